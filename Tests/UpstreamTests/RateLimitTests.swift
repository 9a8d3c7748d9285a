import EventLoop
import Testing

@testable import Upstream

@Suite struct RateLimitTests {
    private let start = Instant(nanoseconds: 1_000_000_000_000)

    /// A limit that was found to be `count` a second by as many answers and a 429.
    private func found(_ count: Int, ceiling: Double? = nil) -> RateLimit {
        var limit = RateLimit(ceiling: ceiling)
        for _ in 0..<count { limit.succeeded(now: start, isBinding: false) }
        limit.refused(startedAt: start, now: start)
        return limit
    }

    @Test func firstLimitIsTheSuccessesBeforeTheFirst429() {
        var limit = RateLimit(ceiling: nil)
        for _ in 0..<100 {
            limit.started(now: start)
            limit.succeeded(now: start, isBinding: false)
        }
        #expect(limit.current == nil)
        #expect(limit.nextStart(now: start) == start)
        var found = RateLimit(ceiling: nil)
        for _ in 0..<50 { found.succeeded(now: start - .seconds(3), isBinding: false) }
        for _ in 0..<20 { found.succeeded(now: start - .milliseconds(500), isBinding: false) }
        found.refused(startedAt: start, now: start)
        #expect(found.current == 20)
    }

    /// A single 429 while hardly anything was sent once throttled an app that opened a page a
    /// moment later.
    @Test func a429InAQuietMomentLeavesFourASecond() {
        #expect(found(0).current == 4)
        #expect(found(3).current == 4)
        var limit = found(0)
        for second in 1...60 {
            let now = start + .seconds(2 * second)
            limit.refused(startedAt: now, now: now)
        }
        #expect(limit.current == 1)
    }

    @Test func refusalsOfOneOvershootAreOneSignal() {
        var limit = found(100)
        for milliseconds in [0, 500, 999] {
            limit.refused(startedAt: start + .milliseconds(milliseconds), now: start + .seconds(2))
        }
        #expect(limit.current == 100)
        let now = start + .seconds(10)
        for _ in 0..<100 { limit.succeeded(now: now, isBinding: true) }
        let before = limit.current ?? 0
        limit.refused(startedAt: now, now: now)
        #expect(before > 100)
        #expect((before * 0.5...before * 0.95).contains(limit.current ?? 0))
    }

    @Test func successesRaiseALimitOnlyWhileItHoldsRequestsBack() {
        var limit = found(100)
        let now = start + .seconds(2)
        limit.succeeded(now: now, isBinding: false)
        #expect(limit.current == 100)
        limit.succeeded(now: now, isBinding: true)
        #expect((limit.current ?? 0) > 100)
    }

    @Test func requestsAreSpacedEvenlyWithoutCredit() {
        var limit = found(10)
        #expect(limit.nextStart(now: start) == start)
        limit.started(now: start)
        // Twenty milliseconds may be made good.
        #expect(limit.nextStart(now: start) == start + .milliseconds(80))
        limit.started(now: start + .milliseconds(80))
        #expect(limit.nextStart(now: start) == start + .milliseconds(180))
        var fast = found(200)
        let later = start + .seconds(100)
        var burst = 0
        while fast.nextStart(now: later) == later {
            fast.started(now: later)
            burst += 1
        }
        #expect(burst == 5)
    }

    @Test func ceilingIsNeverExceeded() {
        #expect(RateLimit(ceiling: 5).current == 5)
        #expect(found(100, ceiling: 5).current == 5)
        #expect(found(4, ceiling: 5).current == 4)
    }

    @Test func tenMinutesWithoutA429ForgetTheLimit() {
        var limit = found(100)
        limit.succeeded(now: start + .seconds(599), isBinding: false)
        #expect(limit.current == 100)
        limit.succeeded(now: start + .seconds(600), isBinding: false)
        #expect(limit.current == nil)
    }
}
