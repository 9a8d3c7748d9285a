import Foundation
import Server
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// Ten nodes before an origin that allows few requests and says nothing of when to come again: they
/// learn its limit together.
@Suite(.timeLimit(.minutes(30)), .requires(.redis), .requires(.binary), .requires(.plainBuild))
struct CommonLimitTests {
    private static let (nodes, clients, perSecond) = (10, 20, 4)
    /// Before the engine is killed, and as many afterwards.
    private static let requests = TestSize.of(30, full: 150)
    /// 429s, of a hundred requests to the origin: the aim, and the most before the test fails.
    /// Without the engine the nodes go on at their parts of the limit, and meet by chance.
    private static let (wanted, wantedWithoutEngine) = (10, 15)
    private static let (most, mostWithoutEngine) = (10, 50)
    /// 429s before the limit is known, however long the trial is: each client's first request may
    /// come to a node that has not heard of it yet. In a short trial on a busy machine more of them
    /// are under way by then.
    private static let learning = TestSize.of(2 * clients, full: clients + 4)
    /// The most requests in a hundred that may wait in vain without the engine, where clients want
    /// more than the origin allows.
    private static let mostFailed = TestSize.of(25, full: 10)

    /// Clients that ask for one thing after the other, never for the same, and so want more than
    /// the origin allows.
    private final class Crowd: Sendable {
        let fleet: NodeFleet
        let origin: CountingResponder
        let failures = Mutex<[String]>([])
        private let next = Atomic(0)

        init(_ fleet: NodeFleet, _ origin: CountingResponder) { (self.fleet, self.origin) = (fleet, origin) }

        /// Sends `count` requests. The first client is alone until it has met the limit.
        func ask(_ count: Int) {
            let end = next.load(ordering: .relaxed) + count
            concurrently(CommonLimitTests.clients) { client in
                if client > 0 { waitUntil(within: 60) { self.origin.counts.refused > 0 } }
                while case let number = self.next.add(1, ordering: .relaxed).oldValue, number < end {
                    self.ask(number: number)
                }
            }
        }

        /// Searches are not joined with others, and not composed.
        private func ask(number: Int) {
            let client = HTTPTestClient(port: fleet.port(of: number % CommonLimitTests.nodes))
            let status = try? client.send("GET", "/v1/catalog/us/search?types=songs&term=word\(number)").status
            if status != 200 { failures.withLock { $0.append("\(number): \(status.map(String.init) ?? "no answer")") } }
        }
    }

    @Test func tenNodesLearnOneLimitTogether() async throws {
        try await onThread {
            let api = SimulatedAPI.open { configuration in
                configuration.artists = 100
                configuration.latency = .milliseconds(20)
                configuration.requestsPerSecond = Self.perSecond
            }
            let origin = CountingResponder(api)
            let host = try ServiceHost.serving(origin)
            defer { host.stop() }
            let fleet = try NodeFleet(Self.nodes, isShared: true, before: host.address)
            let crowd = Crowd(fleet, origin)
            crowd.ask(Self.requests)
            let before = origin.counts
            fleet.killEngine()
            crowd.ask(Self.requests)
            let all = origin.counts
            for (counts, name, wanted, most) in [
                (before, "with the engine", Self.wanted, Self.most),
                (all, "engine killed midway", Self.wantedWithoutEngine, Self.mostWithoutEngine),
            ] {
                let percent = counts.refused * 100 / max(counts.asked, 1)
                FigureTable.note(
                    "429s, \(Self.nodes) nodes at a limit of \(Self.perSecond)/s, \(name)",
                    "\(percent) %, \(counts.refused) of \(counts.asked) requests", wanted: "\(wanted) %")
                #expect((counts.refused - Self.learning) * 100 <= most * counts.asked, "\(name)")
            }
            let failures = crowd.failures.withLock { $0 }
            FigureTable.note(
                "clients without an answer, \(Self.nodes) nodes at a limit of \(Self.perSecond)/s",
                "\(failures.count) of \(2 * Self.requests)", wanted: "0")
            #expect(failures.count * 100 <= Self.mostFailed * 2 * Self.requests, "\(failures)")
            #expect(before.asked >= Self.requests && all.asked >= 2 * Self.requests)
        }
    }
}
