import Foundation
import TestSupport
import Testing

/// Every answer of the proxy keeps the promises of CACHING.md, whatever clients ask and whatever
/// becomes of the catalog, the origin, the cache and the process meanwhile.
///
/// The catalog is a function of time (`HuntWorld`), each object says its revision, and `HuntOracle`
/// compares every answer with the states that the origin had, and with what the URL showed before.
/// A world and a seed determine the steps; `REFRAIN_HUNT="SEED WORLD"` repeats one hunt,
/// and prints its steps.
///
/// Not judged are:
/// - personal answers, tokens, several spellings of one path, requests for several types at once,
///   filters, charts and searches;
/// - answers under `upstream`, a clock that is set back, a change of `upstream`, and forms of
///   answers that change in time;
/// - answers that the origin's failure is passed on in, beside that nothing is learnt from them;
/// - composed answers beside the origin's answers to requests with other decorations, such as
///   `include[songs]`, which show another state to the proxy (DECISIONS 9.5);
/// - answers without `data` that have other members: they are answers of an unknown shape
///   (`AnswerContent`), so the origin never fails with them;
/// - revisions that answers of one second could show: the world stands still within a second;
/// - 206, 304 and HEAD with entity tags that no 200 of the URL had;
/// - what is lost with the last 100 ms before a kill, and shown in the milliseconds after a start
///   (DECISIONS 9.22): files are copied once all is written, and requests wait for the index;
/// - what one node shows beside another: a URL is sent to one node, and nodes are not purged;
/// - whether an answer should have come from the cache, and how many requests the origin gets.
@Suite(.timeLimit(.minutes(20))) struct HuntTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let traits: HuntTraits
        let seed: UInt64

        var testDescription: String { "\(traits.name), seed \(seed)" }
    }

    private static let steps = TestSize.of(350, full: 1_500, release: 10_000)
    private static let seeds: UInt64 = TestSize.of(1, full: 2, release: 20)

    static let cases: [Case] = {
        let worlds = TestSize.of(HuntTraits.brief, full: HuntTraits.brief + HuntTraits.further)
        return wanted ?? worlds.flatMap { traits in (1...seeds).map { Case(traits: traits, seed: $0) } }
    }()

    /// The hunt that the environment asks for.
    private static let wanted: [Case]? = {
        let words = ProcessInfo.processInfo.environment["REFRAIN_HUNT"]?.split(separator: " ", maxSplits: 1)
        guard let words else { return nil }
        guard words.count == 2, let seed = UInt64(words[0]),
            let traits = HuntTraits.all.first(where: { $0.name == words[1] })
        else { return [] }
        return [Case(traits: traits, seed: seed)]
    }()

    @Test func theHuntThatIsAskedForExists() {
        let names = HuntTraits.all.map(\.name).joined(separator: ", ")
        #expect(Self.wanted?.isEmpty != true, "REFRAIN_HUNT: a seed and one of: \(names)")
    }

    @Test(arguments: cases) func noAnswerBreaksAPromise(each: Case) throws { try hunt(each) }

    /// Nodes that take answers from each other.
    @Test(.requires(.redis)) func noAnswerBreaksAPromiseAmongNodes() throws {
        for seed in 1...Self.seeds { try hunt(Case(traits: .sharing, seed: seed)) }
    }

    private func hunt(_ each: Case) throws {
        let outcome = try HuntRun.outcome(
            HuntWorld(seed: each.seed, each.traits), steps: Self.steps, isTraced: Self.wanted != nil)
        FigureTable.note("hunt \(each.testDescription)", "\(outcome)")
        for finding in outcome.findings { Issue.record("\(finding.text)") }
        guard outcome.findings.isEmpty else { return }
        // A hunt that met little would show little.
        #expect(outcome.judged > Self.steps / 2 && outcome.aged > Self.steps / 10, "\(outcome)")
        #expect(outcome.composed > Self.steps / 100, "\(outcome)")
        #expect(outcome.restarts > 0 || Self.steps < 1_000, "\(outcome)")
    }

    /// A proxy that keeps answers for longer than the oracle allows is found out.
    @Test func answersThatAreTooOldAreFound() throws {
        var world = HuntWorld(seed: 1, HuntTraits.brief[0])
        world.allowedAge = 8
        let outcome = try HuntRun.outcome(world, steps: Self.steps, mostFindings: 1)
        #expect(outcome.findings.contains { $0.rule == .age })
    }
}
