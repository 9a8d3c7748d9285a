import TestSupport
import Testing

/// The origin's requests from three nodes that share a tier, also when one is lost or joins. Nodes
/// are processes, the engine is real, and a balancer asks them by turns.
@Suite(.serialized, .timeLimit(.minutes(30)), .requires(.redis), .requires(.binary), .requires(.plainBuild))
struct SharingNodesTests {
    /// The requests of three nodes of which none goes or comes; several tests compare with them.
    private static let undisturbed = Result { try Trial.outcome(nodes: 3) }

    /// - Parameters:
    ///   - wanted: how many times as many requests nodes with a shared tier are meant to send.
    ///   - most: the ratio above which the test fails. No request is sent twice; but each node
    ///     finds out for itself whether it pays to ask for more than a client wants, and joins only
    ///     its own requests: the sooner one node alone finds out, the higher is the ratio (1.12 was
    ///     seen, and 1.6 to 1.8 without an engine).
    private func expect(
        _ outcome: Trial.Outcome, of base: Trial.Outcome, wanted: Double, most: Double, _ what: String,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let ratio = Double(outcome.asked) / Double(max(base.asked, 1))
        FigureTable.note(
            "requests of three nodes to the origin, \(what)",
            "\((ratio * 1000).rounded() / 1000) times \(base.asked)", wanted: "\(wanted) times")
        #expect(outcome.failures.isEmpty, "\(what)", sourceLocation: location)
        #expect(base.asked > 0 && ratio <= most, "\(what)", sourceLocation: location)
    }

    @Test func threeNodesAskHardlyMoreThanOne() throws {
        let alone = try Trial.outcome(nodes: 1)
        #expect(alone.failures.isEmpty && alone.asked > 100)
        expect(try Self.undisturbed.get(), of: alone, wanted: 1.12, most: 1.25, "in turns")
    }

    @Test(arguments: [(Trial.Event.kill, 1.02), (.join, 1.01)])
    func aNodeThatGoesOrComesCostsHardlyARequest(_ event: Trial.Event, wanted: Double) throws {
        let outcome = try Trial.outcome(nodes: 3, event)
        expect(outcome, of: try Self.undisturbed.get(), wanted: wanted, most: 1.1, "\(event) of one")
    }
}
