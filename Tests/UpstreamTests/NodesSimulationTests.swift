import EventLoop
import TestSupport
import Testing

@testable import Upstream

/// Ten nodes in front of an origin that answers 429 without `Retry-After`: one budget for all of
/// them, and each learning alone for comparison.
@Suite struct NodesSimulationTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let perSecond: Double
        let clients: Int
        let seconds: Int
        /// The largest shares that may meet a 429, and how many requests of clients may fail.
        let mostShared: Double
        let mostLost: Double
        let mostFailed: (shared: Int, lost: Int)
        var testDescription: String { "\(perSecond)/s" }
    }

    /// The origin is asked for all that it has, and more: at half a request a second four clients
    /// leave each other no time for repeats. Ten nodes that have lost the engine are not in step
    /// any more, and where each has less than one a second their requests collide.
    private static let cases = [
        Case(perSecond: 0.5, clients: 4, seconds: 600, mostShared: 0.12, mostLost: 0.55, mostFailed: (80, 700)),
        Case(perSecond: 4, clients: 20, seconds: 90, mostShared: 0.1, mostLost: 0.15, mostFailed: (2, 60)),
        Case(perSecond: 20, clients: 100, seconds: 90, mostShared: 0.1, mostLost: 0.15, mostFailed: (0, 0)),
    ]
    private static let seeds: ClosedRange<UInt64> = 1...TestSize.of(2, release: 5)

    /// Over all seeds, of the run from its first request on, or from the loss of the engine on.
    private static func counts(
        _ test: Case, _ limiter: LimitedOrigin.Limiter, _ sharing: NodesSimulation.Sharing, losingEngine: Bool = false
    ) -> SimulationCounts {
        var sum = SimulationCounts()
        for seed in seeds {
            var nodes = NodesSimulation(
                nodes: 10, clients: test.clients, LimitedOrigin(limiter, perSecond: test.perSecond), sharing, seed: seed
            )
            if losingEngine {
                _ = nodes.run(.seconds(30))
                nodes.isEngineThere = false
            }
            sum.add(nodes.run(.seconds(test.seconds)))
        }
        let rate = Double(sum.answered) / Double(test.seconds) / Double(seeds.count)
        FigureTable.note(
            "simulated nodes, \(test.perSecond)/s, \(limiter.rawValue), \(sharing.rawValue)\(losingEngine ? ", engine lost" : "")",
            "\((sum.shareRefused * 1000).rounded() / 10) % met a 429, \(sum.failed) failed, "
                + "\((rate * 100).rounded() / 100)/s answered, \(sum.asked) questions; seeds \(seeds)")
        return sum
    }

    @Test(arguments: cases, LimitedOrigin.Limiter.allCases)
    func nodesThatShareABudgetMeetFew429s(_ test: Case, _ limiter: LimitedOrigin.Limiter) {
        let alone = Self.counts(test, limiter, .alone)
        let shared = Self.counts(test, limiter, .shared)
        #expect(shared.shareRefused <= test.mostShared && shared.failed <= test.mostFailed.shared)
        #expect(shared.shareRefused < alone.shareRefused || shared.shareRefused < 0.02)
        #expect(Double(shared.answered) > 0.8 * test.perSecond * Double(test.seconds * Self.seeds.count))
    }

    @Test(arguments: cases, LimitedOrigin.Limiter.allCases)
    func nodesThatLoseTheEngineGoOnWithTheirParts(_ test: Case, _ limiter: LimitedOrigin.Limiter) {
        let counts = Self.counts(test, limiter, .shared, losingEngine: true)
        #expect(counts.shareRefused <= test.mostLost && counts.failed <= test.mostFailed.lost)
    }
}
