import EventLoop
import HTTP
import Testing

@testable import Upstream

/// Scripts: an event, the actions it must lead to, the next event.
@Suite struct PoolStateTests {
    private typealias Action = PoolState.Action

    private var now = Instant(nanoseconds: 1_000_000_000_000)

    /// A pool that was given these requests, which may be repeated.
    private func pool(connections: Int = 2, waiting: Int = 10, asked: Int...) -> PoolState {
        var settings = UpstreamSettings(
            endpoint: Endpoint(isTLS: false, host: "origin.test", port: 80), maxConnections: connections)
        settings.maxWaiting = waiting
        var pool = PoolState(settings: settings)
        for number in asked { _ = pool.submit(r(number), isReplayable: true, now: now) }
        return pool
    }

    private func c(_ number: Int) -> PoolState.ConnectionID { .init(number: number) }
    private func r(_ number: Int) -> PoolState.RequestID { .init(number: number) }

    /// A pool with the connections 0..<count idle, `count - 1` used last, that was then given these
    /// requests.
    private func idlePool(_ count: Int, connections: Int = 2, asked: Int...) -> PoolState {
        var pool = pool(connections: connections)
        for number in 0..<count {
            #expect(pool.submit(r(1000 + number), isReplayable: true, now: now) == [.open(c(number))])
            #expect(pool.connected(c(number), now: now) == [.lease(c(number), r(1000 + number), isReused: false)])
        }
        for number in 0..<count { #expect(pool.finished(c(number), isReusable: true, now: now).isEmpty) }
        for number in asked { _ = pool.submit(r(number), isReplayable: true, now: now) }
        return pool
    }

    @Test func firstRequestOpensAConnectionAndIsLeasedToIt() {
        var pool = pool()
        #expect(pool.submit(r(1), isReplayable: true, now: now) == [.open(c(0))])
        #expect(pool.counts.starting == 1)
        #expect(pool.connected(c(0), now: now) == [.lease(c(0), r(1), isReused: false)])
        #expect(pool.finished(c(0), isReusable: true, now: now).isEmpty)
        #expect(pool.idle == [c(0)])
        var idle = idlePool(2)
        #expect(idle.submit(r(1), isReplayable: true, now: now) == [.lease(c(1), r(1), isReused: true)])
        #expect(idle.submit(r(2), isReplayable: true, now: now) == [.lease(c(0), r(2), isReused: true)])
    }

    @Test func waitingRequestsAreServedInTheirOrderOnReturnedConnections() {
        var pool = pool(connections: 1)
        #expect(pool.submit(r(1), isReplayable: true, now: now) == [.open(c(0))])
        #expect(pool.submit(r(2), isReplayable: true, now: now).isEmpty)
        for number in 3...4 { #expect(pool.submit(r(number), isReplayable: false, now: now).isEmpty) }
        #expect(pool.connected(c(0), now: now) == [.lease(c(0), r(1), isReused: false)])
        for number in 2...3 {
            #expect(pool.finished(c(0), isReusable: true, now: now) == [.lease(c(0), r(number), isReused: true)])
        }
        // One that is not reusable is replaced.
        #expect(pool.finished(c(0), isReusable: false, now: now) == [.close(c(0)), .open(c(1))])
        #expect(pool.connected(c(1), now: now) == [.lease(c(1), r(4), isReused: false)])
    }

    @Test func requestBeyondTheQueueIsRefused() {
        var pool = pool(connections: 1, waiting: 2, asked: 1, 2)
        #expect(pool.submit(r(3), isReplayable: true, now: now) == [.fail(r(3), .tooManyWaiting(retryAfter: 1))])
        #expect(pool.waiting.count == 2)
    }

    @Test func idleConnectionIsClosedAfterItsTimeoutAndForgotten() {
        var pool = idlePool(1)
        #expect(pool.closedWhileIdle(c(0)) == [.close(c(0))])
        #expect(pool.closedWhileIdle(c(0)).isEmpty)
        #expect(pool.submit(r(1), isReplayable: true, now: now) == [.open(c(1))])
        var idle = idlePool(1)
        let almost = now + .seconds(30) - .nanoseconds(1)
        #expect(idle.tick(now: almost).isEmpty)
        #expect(idle.wakeAt == now + .seconds(30))
        #expect(idle.tick(now: now + .seconds(30)) == [.close(c(0))])
        #expect(idle.wakeAt == nil)
        // No tick has come.
        var late = idlePool(1)
        #expect(late.submit(r(1), isReplayable: true, now: now + .seconds(31)) == [.open(c(1))])
    }

    // MARK: Repeating

    @Test func replayableRequestIsSentOnceMoreOnAFreshConnection() {
        var pool = idlePool(2, asked: 1)
        let dead = UpstreamFailure.closedEarly(.nothing(isReused: true))
        // Connection 0 is idle, but may be as dead as the other: it is left alone.
        #expect(pool.broke(c(1), dead, now: now) == [.close(c(1)), .open(c(2))])
        #expect(pool.connected(c(2), now: now) == [.lease(c(2), r(1), isReused: false)])
        let again = UpstreamFailure.closedEarly(.nothing(isReused: false))
        #expect(pool.broke(c(2), again, now: now) == [.close(c(2)), .fail(r(1), again)])
    }

    @Test(arguments: [
        UpstreamFailure.closedEarly(.nothing(isReused: false)), .closedEarly(.head), .closedEarly(.content),
        .malformed(.statusLine), .timeout(.firstByte),
    ])
    func otherFailuresAreNotRepeated(failure: UpstreamFailure) {
        var pool = idlePool(1, asked: 1)
        #expect(pool.broke(c(0), failure, now: now) == [.close(c(0)), .fail(r(1), failure)])
    }

    @Test func otherMethodsGetAFreshConnectionOrOneUsedAMomentAgo() {
        var pool = idlePool(2)
        let later = now + .seconds(1)
        // Both places are taken by idle connections: the one unused for longest makes room.
        #expect(pool.submit(r(1), isReplayable: false, now: later) == [.close(c(0)), .open(c(2))])
        // A GET meanwhile takes the idle one and does not queue.
        #expect(pool.submit(r(2), isReplayable: true, now: later) == [.lease(c(1), r(2), isReused: true)])
        #expect(pool.connected(c(2), now: later) == [.lease(c(2), r(1), isReused: false)])
    }

    @Test func repeatedRequestDoesNotTakeAReturnedConnection() {
        var pool = idlePool(2, asked: 1, 2, 3)
        let dead = UpstreamFailure.closedEarly(.nothing(isReused: true))
        #expect(pool.broke(c(1), dead, now: now) == [.close(c(1)), .open(c(2))])
        // The request that waited after it may have the returned connection.
        #expect(pool.finished(c(0), isReusable: true, now: now) == [.lease(c(0), r(3), isReused: true)])
        // It comes free again before the new one is there.
        #expect(pool.finished(c(0), isReusable: true, now: now).isEmpty)
        #expect(pool.connected(c(2), now: now) == [.lease(c(2), r(1), isReused: false)])
    }

    // MARK: Connecting fails

    @Test func failedConnectFailsWaitingRequestsAndBacksOff() {
        var pool = pool(connections: 1, asked: 1, 2)
        let refused = DialFailure.connect("refused")
        #expect(
            pool.connectFailed(c(0), refused, now: now) == [
                .close(c(0)), .fail(r(1), .dial(refused)), .fail(r(2), .dial(refused)),
            ])
        #expect(pool.connections == [c(0): .backingOff(until: now + .milliseconds(100))])
        // A request that comes during the pause waits for its end.
        #expect(pool.submit(r(3), isReplayable: true, now: now).isEmpty)
        #expect(pool.tick(now: now + .milliseconds(100)) == [.open(c(1))])
        #expect(pool.connected(c(1), now: now) == [.lease(c(1), r(3), isReused: false)])
    }

    /// A tick forgot the deadlines of what went on waiting: the request ended when something else
    /// was due.
    @Test func aRequestThatWaitsThroughATickEndsAtItsDeadline() {
        var settings = UpstreamSettings(
            endpoint: Endpoint(isTLS: false, host: "origin.test", port: 80), maxConnections: 1)
        (settings.timeouts.response, settings.timeouts.content) = (.seconds(1), .zero)
        var pool = PoolState(settings: settings)
        let deadline = now + settings.timeouts.whole
        _ = pool.submit(r(1), isReplayable: true, now: now)
        _ = pool.connectFailed(c(0), .connect("refused"), now: now)
        #expect(pool.submit(r(2), isReplayable: true, now: now).isEmpty)
        // The pause ends so late that connecting may take longer than the request has.
        let late = deadline - .seconds(1)
        #expect(pool.tick(now: late) == [.open(c(1))])
        #expect(pool.wakeAt == deadline)
        #expect(pool.tick(now: deadline) == [.fail(r(2), .timeout(.whole))])
    }

    @Test func pauseDoublesUpToItsBoundAndOneSuccessEndsIt() {
        var pool = pool(connections: 1)
        var time = now
        for (number, pause) in [100, 200, 400, 500, 500, 500].enumerated() {
            _ = pool.submit(r(number), isReplayable: true, now: time)
            _ = pool.connectFailed(c(number), .connect("refused"), now: time)
            #expect(pool.connections == [c(number): .backingOff(until: time + .milliseconds(pause))])
            time = time + .milliseconds(pause)
            #expect(pool.tick(now: time).isEmpty)
            #expect(pool.connections.isEmpty)
        }
        _ = pool.submit(r(100), isReplayable: true, now: time)
        _ = pool.connected(c(6), now: time)
        _ = pool.finished(c(6), isReusable: false, now: time)
        _ = pool.submit(r(101), isReplayable: true, now: time)
        _ = pool.connectFailed(c(7), .connect("refused"), now: time)
        #expect(pool.connections == [c(7): .backingOff(until: time + .milliseconds(100))])
    }

    @Test func afterAFailureOneConnectionIsTriedAtATime() {
        var pool = pool(connections: 4, asked: 1)
        _ = pool.connectFailed(c(0), .connect("refused"), now: now)
        for number in 2...4 { #expect(pool.submit(r(number), isReplayable: true, now: now).isEmpty) }
        let later = now + .milliseconds(100)
        #expect(pool.tick(now: later) == [.open(c(1))])
        #expect(pool.connected(c(1), now: later) == [.lease(c(1), r(2), isReused: false), .open(c(2)), .open(c(3))])
    }

    @Test func connectionsThatFailTogetherAreOneFailure() {
        var pool = pool(connections: 3)
        for number in 0...2 { _ = pool.submit(r(number), isReplayable: true, now: now) }
        let refused = DialFailure.connect("refused")
        #expect(pool.connectFailed(c(0), refused, now: now) == [.close(c(0))])
        #expect(pool.connectFailed(c(1), refused, now: now) == [.close(c(1))])
        #expect(
            pool.connectFailed(c(2), refused, now: now) == [
                .close(c(2)), .fail(r(0), .dial(refused)), .fail(r(1), .dial(refused)), .fail(r(2), .dial(refused)),
            ])
        #expect(pool.connections == [c(0): .backingOff(until: now + .milliseconds(100))])
        let later = now + .milliseconds(100)
        _ = pool.submit(r(3), isReplayable: true, now: later)
        #expect(pool.tick(now: later) == [.open(c(3))])
        _ = pool.connectFailed(c(3), refused, now: later)
        #expect(pool.connections == [c(3): .backingOff(until: later + .milliseconds(200))])
    }

    @Test func waitingRequestsOutliveAFailedConnectWhileAnotherConnectionMayServeThem() {
        var pool = pool(connections: 2, asked: 1)
        _ = pool.connected(c(0), now: now)
        _ = pool.submit(r(2), isReplayable: true, now: now)
        #expect(pool.connectFailed(c(1), .connect("refused"), now: now) == [.close(c(1))])
        #expect(pool.finished(c(0), isReusable: true, now: now) == [.lease(c(0), r(2), isReused: true)])
    }

    // MARK: Time, cancelling, draining

    @Test func connectAndTheFirstByteHaveDeadlines() {
        var pool = pool(connections: 1, asked: 1)
        #expect(pool.wakeAt == now + .seconds(5))
        #expect(pool.tick(now: now + .seconds(5)) == [.close(c(0)), .fail(r(1), .dial(.timedOut))])
        var silent = self.pool(asked: 1)
        _ = silent.connected(c(0), now: now + .seconds(1))
        #expect(silent.tick(now: now + .seconds(60)).isEmpty)
        #expect(silent.tick(now: now + .seconds(61)) == [.close(c(0)), .fail(r(1), .timeout(.firstByte))])
    }

    /// 5 s to connect, 60 s for the head and ten times 60 s for its content.
    @Test func answerThatTricklesMissesTheWholeDeadline() {
        var pool = pool(asked: 1)
        _ = pool.connected(c(0), now: now)
        for second in stride(from: 30, to: 665, by: 30) {
            #expect(pool.tick(now: now + .seconds(second)).isEmpty)
            pool.progressed(c(0), now: now + .seconds(second))
        }
        #expect(pool.tick(now: now + .seconds(664)).isEmpty)
        #expect(pool.tick(now: now + .seconds(665)) == [.close(c(0)), .fail(r(1), .timeout(.whole))])
    }

    @Test func contentThatStallsMissesItsDeadline() {
        var pool = pool(asked: 1)
        _ = pool.connected(c(0), now: now)
        pool.progressed(c(0), now: now + .seconds(50))
        pool.progressed(c(0), now: now + .seconds(100))
        #expect(pool.tick(now: now + .seconds(159)).isEmpty)
        #expect(pool.tick(now: now + .seconds(160)) == [.close(c(0)), .fail(r(1), .timeout(.content))])
        var unread = self.pool(asked: 1)
        _ = unread.connected(c(0), now: now)
        unread.progressed(c(0), now: now)
        unread.pauses(c(0))
        #expect(unread.tick(now: now + .seconds(664)).isEmpty)
        unread.progressed(c(0), now: now + .seconds(664))
        #expect(unread.tick(now: now + .seconds(665)) == [.close(c(0)), .fail(r(1), .timeout(.whole))])
    }

    @Test func requestThatWaitsForAConnectionMissesTheWholeDeadline() {
        var pool = pool(connections: 1, asked: 1)
        _ = pool.connected(c(0), now: now)
        _ = pool.submit(r(2), isReplayable: true, now: now)
        _ = pool.submit(r(3), isReplayable: true, now: now + .seconds(50))
        pool.pauses(c(0))
        let end = now + .seconds(665)
        #expect(
            pool.tick(now: end) == [
                .close(c(0)), .fail(r(1), .timeout(.whole)), .open(c(1)), .fail(r(2), .timeout(.whole)),
            ])
        #expect(pool.connected(c(1), now: end) == [.lease(c(1), r(3), isReused: false)])
    }

    @Test func cancelledRequestLeavesTheQueueOrTakesItsConnectionWithIt() {
        var pool = pool(connections: 1, asked: 1, 2, 3)
        _ = pool.connected(c(0), now: now)
        #expect(pool.cancel(r(2), now: now).isEmpty)
        #expect(pool.cancel(r(1), now: now) == [.close(c(0)), .open(c(1))])
        #expect(pool.connected(c(1), now: now) == [.lease(c(1), r(3), isReused: false)])
        #expect(pool.cancel(r(1), now: now).isEmpty)
        // A connection that no request waits for becomes idle.
        var other = self.pool(asked: 1)
        _ = other.cancel(r(1), now: now)
        #expect(other.connected(c(0), now: now).isEmpty)
        #expect(other.idle == [c(0)])
    }

    @Test func drainingFinishesAcceptedRequestsAndRefusesTheRest() {
        var pool = idlePool(1, connections: 2, asked: 1, 2)
        _ = pool.connected(c(1), now: now)
        _ = pool.submit(r(3), isReplayable: true, now: now)
        #expect(pool.drain().isEmpty)
        #expect(pool.submit(r(4), isReplayable: true, now: now) == [.fail(r(4), .draining)])
        #expect(pool.finished(c(0), isReusable: true, now: now) == [.lease(c(0), r(3), isReused: true)])
        #expect(pool.finished(c(0), isReusable: true, now: now) == [.close(c(0))])
        #expect(pool.finished(c(1), isReusable: true, now: now) == [.close(c(1))])
        #expect(pool.connections.isEmpty)
        // Idle connections are closed.
        var idle = idlePool(2)
        #expect(idle.drain() == [.close(c(0)), .close(c(1))])
    }
}
