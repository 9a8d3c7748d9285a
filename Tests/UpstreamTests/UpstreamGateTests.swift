import Dispatch
import EventLoop
import HTTP
import Synchronization
import TestSupport
import Testing

@testable import Upstream

/// The gate with real sockets: turns, repeats after 429, ends of all kinds.
@Suite(.timeLimit(.minutes(10))) struct UpstreamGateTests {
    private typealias Step = ScriptedOrigin.Step

    /// Refuses the first `count` requests of all connections, then answers with the target.
    private static func refusing(_ count: Int) -> Step {
        let left = Mutex(count)
        return .serve { request in
            let isRefused = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isRefused
                ? wholeAnswer("API capacity exceeded", status: 429)
                : wholeAnswer(String(request.split(separator: " ")[1]))
        }
    }

    /// An origin that holds its first request until the gate opens, then answers that and all
    /// others.
    private func heldScene(
        budget: UpstreamBudget = UpstreamBudget()
    ) throws -> (scene: GateScene, gate: ScriptedOrigin.Gate) {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .answer("first"), .echo])
        return (try GateScene(origin, budget: budget), gate)
    }

    // MARK: Turns

    @Test func waitingRequestsGoByUrgency() async throws {
        let (scene, gate) = try heldScene()
        let first = scene.send("/first")
        let others = [
            scene.send("/refresh", priority: .refresh), scene.send("/revalidation", priority: .revalidation),
            scene.send("/client"), scene.send("/promoted", priority: .refresh),
        ]
        scene.onLoop { _ in others[3].exchange.promote(to: .waitingClient) }
        #expect(others[3].exchange.state.priority == .waitingClient)
        #expect(scene.budget.snapshot.waiting == 4 && scene.count(.queued) == 4)
        gate.open()
        #expect(await first.end().text == "first")
        for sent in others { #expect(await sent.end().text != nil) }
        #expect(scene.targets == ["/first", "/client", "/promoted", "/revalidation", "/refresh"])
    }

    @Test func requestBeyondTheQueueIsRefusedWithTheTimeToComeBack() async throws {
        let (scene, gate) = try heldScene(budget: UpstreamBudget(maxWaiting: 1, maxWaitingInBackground: 1))
        let first = scene.send("/first")
        let refresh = scene.send("/refresh", priority: .refresh)
        let client = scene.send("/client")
        #expect(await refresh.end().failure == .tooManyWaiting(retryAfter: 1))
        #expect(await scene.send("/late").end().failure == .tooManyWaiting(retryAfter: 1))
        #expect(scene.count(.refused) == 2)
        gate.open()
        #expect(await first.end().text == "first")
        #expect(await client.end().text == "/client")
    }

    @Test func aRequestThatWaitsPastItsDeadlineFails() async throws {
        let (scene, gate) = try heldScene()
        let first = scene.send("/first")
        let late = scene.send("/late", within: .milliseconds(30))
        #expect(await late.end().failure == .waitedTooLong(retryAfter: 1))
        #expect(scene.budget.snapshot.waiting == 0)
        gate.open()
        #expect(await first.end().text == "first")
        #expect(scene.targets == ["/first"])
    }

    @Test func failureGivesTheTurnBack() async throws {
        let scene = try GateScene(ScriptedOrigin([.request, .close], [.echo]))
        let (one, two) = (scene.send("/1"), scene.send("/2"))
        #expect(await one.end().failure == .closedEarly(.nothing(isReused: false)))
        #expect(await two.end().text == "/2")
        #expect(scene.budget.snapshot.inFlight == 0)
    }

    // MARK: 429

    @Test func requestThatMetA429IsSentAgain() async throws {
        let scene = try GateScene(ScriptedOrigin([Self.refusing(1)]))
        #expect(await scene.send("/a").end().text == "/a")
        #expect(scene.targets == ["/a", "/a"])
        #expect(scene.count(.rateLimited) == 1 && scene.count(.repeated) == 1 && scene.count(.started) == 2)
        #expect(scene.budget.snapshot == UpstreamBudget.Snapshot(rate: 4, inFlight: 0, waiting: 0))
    }

    @Test(arguments: [(HTTP.Method.get, 0, 20_000), (.post, 3, 20_000), (.get, 3, 300)])
    func refusalIsHandedOnWhereItMayNotBeRepeated(_ method: HTTP.Method, _ repeats: Int, _ patience: Int) async throws {
        let scene = try GateScene(ScriptedOrigin([Self.refusing(1)]))
        let end = await scene.send("/a", method, within: .milliseconds(patience), repeats: repeats).end()
        let response = try #require(end.collected)
        #expect(response.status == 429 && response.body == Array("API capacity exceeded".utf8))
        #expect(scene.count(.rateLimited) == 1 && scene.count(.repeated) == 0)
    }

    /// The next upstream was not asked, on any node, for as long as the former one had said.
    @Test(arguments: [false, true]) func a429OfAFormerOriginHoldsNoRequestForTheNext(isOfFormerOrigin: Bool)
        async throws
    {
        let refusal = "HTTP/1.1 429 X\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"
        let arrives = ScriptedOrigin.Gate()
        let scene = try GateScene(ScriptedOrigin([.request, .wait(arrives), .send(refusal), .hold]))
        let sent = scene.send("/a")
        waitUntil { scene.origin.requests.joined().count == 1 }
        scene.onLoop { $0.retire(isOfFormerOrigin: isOfFormerOrigin) {} }
        arrives.open()
        #expect(await sent.end().collected?.status == 429)
        #expect(scene.onLoop { gate in gate.retryAfter(of: 0) > 3_000 } == !isOfFormerOrigin)
    }

    /// It went out four times in four seconds.
    @Test func a429ThatSaysWhenToComeBackIsHandedOn() async throws {
        let refusal = "HTTP/1.1 429 X\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n"
        let scene = try GateScene(ScriptedOrigin([.request, .send(refusal), .hold]))
        #expect(await scene.send("/a").end().collected?.status == 429)
        let failure = await scene.send("/b").end().failure
        #expect((3590...3600).contains(failure?.retryAfter ?? 0) && failure?.status == 429)
        #expect(scene.targets == ["/a"] && scene.count(.repeated) == 0)
    }

    /// The origin has said that it was asked too much, whatever becomes of the rest.
    @Test(arguments: [20, 8 << 20])
    func a429WhoseContentBrokeOffWasNoAnswerToTheBudget(maxCollected: Int) async throws {
        let half = "HTTP/1.1 429 X\r\nContent-Length: 100\r\n\r\n\(String(repeating: "x", count: 50))"
        let scene = try GateScene(ScriptedOrigin([.request, .send(half), .close])) {
            $0.maxCollectedBytes = maxCollected
        }
        #expect(await scene.send("/a").end().failure == .closedEarly(.content))
        #expect(scene.count(.rateLimited) == 1)
        #expect(scene.budget.snapshot == UpstreamBudget.Snapshot(rate: 4, inFlight: 0, waiting: 0))
    }

    @Test func pausesGrowAndDiffer() {
        var random = SeededGenerator(seed: 1)
        for (number, seconds) in [0.5, 1, 2].enumerated() {
            let pauses = (0..<100).compactMap { _ in RepeatPause.duration(beforeRepeat: number, using: &random) }
            #expect(pauses.allSatisfy { (.seconds(seconds * 0.75)...(.seconds(seconds * 1.25))).contains($0) })
            #expect(Set(pauses).count > 90)
        }
        #expect(RepeatPause.duration(beforeRepeat: 3, using: &random) == nil)
    }

    // MARK: Taking back

    @Test func requestTakenBackWhileItWaitsIsNeverSent() async throws {
        let (scene, gate) = try heldScene()
        let first = scene.send("/first")
        let gone = scene.send("/gone")
        let last = scene.send("/last")
        scene.cancel(gone)
        gate.open()
        #expect(await first.end().text == "first")
        #expect(await last.end().text == "/last")
        #expect(scene.targets == ["/first", "/last"])
        #expect(!gone.receiver.hasEnded)
    }

    @Test func requestTakenBackInFlightGivesItsTurnBack() async throws {
        let scene = try GateScene(ScriptedOrigin([.request, .hold], [.echo]))
        let gone = scene.send("/gone")
        // Before that, its connection would serve the next one.
        waitUntil { scene.targets == ["/gone"] }
        let next = scene.send("/next")
        scene.cancel(gone)
        scene.cancel(gone)
        #expect(await next.end().text == "/next")
        #expect(scene.budget.snapshot == UpstreamBudget.Snapshot(rate: nil, inFlight: 0, waiting: 0))
        #expect(!gone.receiver.hasEnded)
        waitUntil { scene.origin.endedConnections == 1 }
    }

    @Test func cancellingTheSendingGivesTheTurnBackToo() async throws {
        let long = "HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n\(String(repeating: "x", count: 100))"
        let scene = try GateScene(ScriptedOrigin([.request, .send(long), .hold], [.echo])) {
            $0.maxCollectedBytes = 10
        }
        let gone = scene.send("/gone", cancelling: .began)
        #expect(await scene.send("/b").end().text == "/b")
        #expect(gone.receiver.hasCancelled && scene.budget.snapshot.inFlight == 0)
    }

    @Test func requestTakenBackInThePauseIsNotRepeated() async throws {
        // On a busy machine the pause may be over before it is taken back: then that says nothing,
        // and it is tried again.
        for _ in 0..<10 {
            let scene = try GateScene(ScriptedOrigin([Self.refusing(1)]))
            let gone = scene.send("/gone")
            waitUntil { scene.count(.rateLimited) > 0 }
            scene.cancel(gone)
            guard scene.count(.repeated) == 0 else { continue }
            // A timer of the same loop, set for later than the longest first pause ends.
            let isPast = DispatchSemaphore(value: 0)
            scene.onLoop { _ = $0.loop.schedule(after: .milliseconds(630)) { isPast.signal() } }
            #expect(await scene.send("/b").end().text == "/b")
            isPast.waitOrFail()
            return #expect(scene.targets == ["/gone", "/b"])
        }
        Issue.record("the pause was always over")
    }

    // MARK: The rest

    @Test func streamedAnswerHoldsItsTurnUntilItsEnd() async throws {
        let gate = ScriptedOrigin.Gate()
        let head = "HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\n"
        let scene = try GateScene(
            ScriptedOrigin([
                .request, .send(head + String(repeating: "x", count: 50)), .wait(gate),
                .send(String(repeating: "y", count: 50)), .echo,
            ])
        ) { $0.maxCollectedBytes = 20 }
        let streamed = scene.send("/streamed")
        await streamed.receiver.began()
        let next = scene.send("/next")
        #expect(scene.budget.snapshot == UpstreamBudget.Snapshot(rate: nil, inFlight: 1, waiting: 1))
        gate.open()
        #expect(await streamed.end().text?.count == 100)
        #expect(await next.end().text == "/next")
    }

    @Test func interimResponsesAreHandedOn() async throws {
        let hint = "HTTP/1.1 103 X\r\nLink: </a>\r\n\r\n"
        let scene = try GateScene(ScriptedOrigin([.request, .send(hint), .answer("done"), .hold]))
        let sent = scene.send("/")
        #expect(await sent.end().text == "done")
        let interim = scene.onLoop { _ in sent.receiver.interim }
        #expect(interim.map(\.status) == [103])
        #expect(interim.first?.fields.bytes == Array("Link: </a>\r\n".utf8))
    }

    @Test(arguments: [false, true]) func aGateThatEndsFinishesItsRequests(isRetired: Bool) async throws {
        let (scene, gate) = try heldScene()
        let (first, second) = (scene.send("/first"), scene.send("/second"))
        let isLetGo = Atomic<Bool>(false)
        if isRetired {
            scene.onLoop { $0.retire(isOfFormerOrigin: false) { isLetGo.store(true, ordering: .relaxed) } }
        } else {
            scene.onLoop { $0.drain() }
            #expect(await scene.send("/late").end().failure == .draining)
        }
        #expect(isLetGo.load(ordering: .relaxed) == false)
        gate.open()
        #expect(await first.end().text == "first")
        #expect(await second.end().text == "/second")
        waitUntil { isLetGo.load(ordering: .relaxed) == isRetired && scene.origin.endedConnections > 0 }
    }
}
