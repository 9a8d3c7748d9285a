import Synchronization
import TestSupport
import Testing

/// The origin's requests from three nodes that share a tier, also when one is lost or joins.
///
/// The nodes are processes of the program, with a real engine, and a balancer before them.
@Suite(.serialized, .timeLimit(.minutes(30)), .requires(.redis), .requires(.binary), .requires(.plainBuild))
struct SharingNodesTests {
    /// How many times as many requests reach the origin as in the trial that is compared with.
    private struct Bound {
        /// The ratio that nodes with a shared tier are meant to keep to.
        let wanted: Double
        /// The ratio above which the test fails.
        ///
        /// No request is sent twice; but each node finds out for itself whether it pays to ask for
        /// more than a client wants, and joins only its own requests: the sooner one node alone
        /// finds out, the higher is the ratio (1.06 to 1.11 were seen).
        let most: Double
    }

    private static let bounds: [TrialBalancer.Way: Bound] = [
        .roundRobin: Bound(wanted: 1.07, most: 1.2), .byResource: Bound(wanted: 1.03, most: 1.2),
        .byType: Bound(wanted: 1.03, most: 1.2),
    ]
    private static let (oneIsLost, oneJoins) = (Bound(wanted: 1.02, most: 1.1), Bound(wanted: 1.01, most: 1.1))

    /// Several tests compare with the same trial.
    private static let known = Mutex<[String: Trial.Outcome]>([:])

    private static func undisturbed(_ world: TrialWorld, _ way: TrialBalancer.Way?) throws -> Trial.Outcome {
        let name = "\(world.name), \(way?.rawValue ?? "alone")"
        if let outcome = known.withLock({ $0[name] }) { return outcome }
        let outcome = try Trial.outcome(of: world, way)
        known.withLock { $0[name] = outcome }
        return outcome
    }

    private func expect(
        _ outcome: Trial.Outcome, of base: Trial.Outcome, _ bound: Bound, _ what: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let ratio = Double(outcome.asked) / Double(max(base.asked, 1))
        FigureTable.note(
            "requests of three nodes to the origin, \(what)",
            "\((ratio * 1000).rounded() / 1000) times \(base.asked)", wanted: "\(bound.wanted) times")
        #expect(outcome.failures.isEmpty, "\(what)", sourceLocation: location)
        #expect(base.asked > 0 && ratio <= bound.most, "\(what)", sourceLocation: location)
    }

    @Test(arguments: TestSize.of([.apps], full: TrialWorld.Name.allCases) as [TrialWorld.Name])
    func threeNodesAskHardlyMoreThanOne(_ name: TrialWorld.Name) async throws {
        let world = try await onThread { TrialWorld.named(name) }
        try #require(world.requests.count > 400)
        let alone = try await onThread { try Self.undisturbed(world, nil) }
        #expect(alone.failures.isEmpty)
        for way in TestSize.of([.roundRobin], full: TrialBalancer.Way.allCases) as [TrialBalancer.Way] {
            let outcome = try await onThread { try Self.undisturbed(world, way) }
            expect(outcome, of: alone, try #require(Self.bounds[way]), "\(world.name), \(way)")
        }
    }

    @Test(arguments: TestSize.of([.roundRobin], release: TrialBalancer.Way.allCases) as [TrialBalancer.Way])
    func aKilledNodeCostsHardlyARequest(_ way: TrialBalancer.Way) async throws {
        let base = try await onThread { try Self.undisturbed(.named(.apps), way) }
        let outcome = try await onThread { try Trial.outcome(of: .named(.apps), way, .kill) }
        expect(outcome, of: base, Self.oneIsLost, "one is killed, \(way)")
    }

    @Test(arguments: TestSize.of([.roundRobin], release: TrialBalancer.Way.allCases) as [TrialBalancer.Way])
    func aNodeThatJoinsLateCostsHardlyARequest(_ way: TrialBalancer.Way) async throws {
        let base = try await onThread { try Self.undisturbed(.named(.apps), way) }
        let outcome = try await onThread { try Trial.outcome(of: .named(.apps), way, .join) }
        expect(outcome, of: base, Self.oneJoins, "a fourth one joins, \(way)")
    }
}
