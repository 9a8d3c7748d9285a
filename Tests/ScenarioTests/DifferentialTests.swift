import Proxy
import TestSupport
import Testing

@testable import Simulator

/// Whatever sequence of requests is made, and however the API changes meanwhile, every answer of
/// the proxy is one that the API gave within its time: in status and JSON value, each part for
/// itself where it is put together of several.
@Suite struct DifferentialTests {
    private static let requests = TestSize.of(800, release: 2500)
    private static let worldRequests = TestSize.of(300, full: 900, release: 10_000)
    private static let disturbedRequests = TestSize.of(400, full: 900, release: 10_000)
    private static let disturbEvery = TestSize.of(80, release: 250)
    private static let disturbedReviseEvery = TestSize.of(60, release: 150)
    private static let smallRequests = TestSize.of(500, full: 900, release: 10_000)
    private static let gapRequests = TestSize.of(250, full: 900, release: 10_000)
    private static let peculiarRequests = TestSize.of(250, full: 1500, release: 10_000)
    private static let flippedRequests = TestSize.of(600, release: 1200)
    /// In the size for a release time passes slower, and revisions and flips come later: in fewer
    /// requests as much is to end its lifetime.
    private static let longestStep = TestSize.of(8, release: 3)
    private static let reviseEvery = TestSize.of(200, release: 400)
    private static let flipAfter = TestSize.of(200, release: 300)

    /// Ten thousand requests in all, in the size for a release.
    @Test(
        arguments: [0, 0, 40, 90].enumerated().map { number, staleFor in
            DifferentialRun.Settings(
                seed: 20_261_121 + UInt64(number), requests: requests, staleFor: staleFor, longestStep: longestStep,
                reviseEvery: reviseEvery, batches: number % 2 == 1)
        })
    func everyAnswerIsOneOfTheOriginsInTime(settings: DifferentialRun.Settings) throws {
        let run = try outcome(settings)
        let statistics: StatisticsSource = run.statistics
        #expect(statistics[.hits] > settings.requests / 20 && statistics[.collapsed] > 0)
        #expect(statistics[.revalidated] > 0 || !TestSize.isRelease)
        #expect(statistics[.stale] > 0 || settings.staleFor == 0)
        // There are few windows and revalidations in fewer requests, in some runs none.
        #expect(
            statistics[.built] > settings.requests / 40 && (statistics[because: .window] > 0 || !TestSize.isRelease))
        #expect(statistics[because: .reduced] > 0 && statistics[because: .split] > 0)
        // A batch answers for its members once enough of their type were compared.
        #expect(statistics[because: .batched] > 0 || !settings.batches || !TestSize.isRelease)
        // Without answers of earlier revisions the run would have shown little.
        #expect(run.old > 20)
    }

    /// A run whose answers must be right, and the events that it must have met.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let settings: DifferentialRun.Settings
        let hasMet: @Sendable (DifferentialRun.Outcome) -> Bool

        var testDescription: String { "\(name): \(settings.testDescription)" }
    }

    private typealias Cut = SimulatorConfiguration.ListCut

    /// Lists that fill up or are cut first, with gaps in no storefront, in one and in all. In brief
    /// each is met, and not each with each.
    private static let gaps: [Case] = {
        let rows: [(Cut, Set<String>?)] =
            Cut.allCases.flatMap { cut in [[], ["de"], nil].map { (cut, $0) } }
        return TestSize.of([rows[0], rows[4], rows[5]], full: rows).map { cut, gaps in
            var settings = DifferentialRun.Settings(
                seed: 20_261_130 + UInt64(gaps?.count ?? 2), requests: worldRequests, longestStep: longestStep,
                reviseEvery: reviseEvery, batches: true)
            (settings.simulator.listCut, settings.simulator.storefrontsWithGaps) = (cut, gaps)
            settings.simulator.traits.unavailablePercent = gaps == nil ? 5 : 2
            // Where there are gaps, windows are few, in some runs none.
            return Case(name: "lists", settings: settings) {
                $0.composed > 0 && ($0.statistics[because: .window] > 0 || gaps?.isEmpty != true)
            }
        }
    }()

    /// Gaps that are rarer than the evidence that there are none.
    private static let rareGaps: [Case] = Cut.allCases.flatMap { cut in
        TestSize.of([1_000], full: [300, 1_000, 3_000]).map { share in
            var settings = DifferentialRun.Settings(
                seed: 20_261_170, requests: gapRequests, longestStep: 2, reviseEvery: reviseEvery, isAboutLists: true)
            settings.simulator.listCut = cut
            (settings.simulator.traits.listSizes, settings.simulator.traits.unavailableOneIn) = (.recorded, share)
            return Case(name: "rare gaps", settings: settings) { $0.statistics[because: .window] > 0 }
        }
    }

    /// Origins that show other relationships than the documented ones.
    private static let habits: [Case] = SimulatorConfiguration.RelationHabit.allCases.compactMap { habit in
        guard habit != .documented else { return nil }
        var settings = DifferentialRun.Settings(
            seed: 20_261_140, requests: worldRequests, longestStep: longestStep, reviseEvery: reviseEvery,
            batches: true)
        settings.simulator.relationHabit = habit
        return Case(name: "relationships", settings: settings) { $0.statistics[.built] > 0 }
    }

    /// The cache file is opened anew and parts of the cache are purged in between.
    private static let disturbed: [Case] = [0, 40].map { staleFor in
        let settings = DifferentialRun.Settings(
            seed: staleFor == 0 ? 20_261_150 : 20_261_151, requests: disturbedRequests, staleFor: staleFor,
            longestStep: longestStep, reviseEvery: disturbedReviseEvery, disturbEvery: disturbEvery, batches: true)
        return Case(name: "restarts and purges", settings: settings) {
            $0.composed > 5 && $0.old > 3 && $0.disturbances >= 3
        }
    }

    /// Many revisions, each of few resources, whose attributes and lists change together and apart.
    private static func smallRevisions(seed: UInt64, nodes: Int = 1, _ cut: Cut = .first) -> DifferentialRun.Settings {
        var settings = DifferentialRun.Settings(
            seed: seed, requests: smallRequests, longestStep: longestStep, reviseEvery: 50, nodes: nodes, batches: true)
        settings.simulator.listCut = cut
        (settings.simulator.traits.listSizes, settings.simulator.traits.revisionShare) = (.recorded, 300)
        return settings
    }

    private static let small: [Case] = Cut.allCases.map { cut in
        Case(name: "small revisions", settings: smallRevisions(seed: 20_261_160, cut)) {
            $0.composed > 5 && $0.old > 3
        }
    }

    /// The shapes of answers change once the proxy has learnt them.
    private static let flipped: [Case] = [true, false].map { nestsAlbums in
        var settings = DifferentialRun.Settings(
            seed: nestsAlbums ? 20_261_125 : 20_261_126, requests: flippedRequests, reviseEvery: reviseEvery,
            flipAfter: flipAfter, batches: !nestsAlbums)
        settings.simulator.nestsAlbums = nestsAlbums
        return Case(name: "shapes", settings: settings) { $0.old > 3 && $0.statistics[.contradictions] > 0 }
    }

    /// Worlds in which items and batches differ, or seem to.
    private static let apart: Set<Peculiarity> = [.attributesOfOne, .laggingReplicas, .lateAnswers]

    /// Origins of which nothing can be concluded from one form to another. In brief the
    /// documentation counts in every other one.
    private static let peculiar: [Case] = Peculiarity.allCases.enumerated().flatMap { number, peculiarity in
        TestSize.of([number % 2 == 1], full: [false, true]).map { isDocumented in
            var settings = DifferentialRun.Settings(
                seed: 20_261_200 + UInt64(number), requests: peculiarRequests, longestStep: longestStep,
                reviseEvery: reviseEvery, batches: number % 2 == 0, isDocumented: isDocumented)
            (settings.isAboutForms, settings.simulator.peculiarities) = (true, [peculiarity])
            let mustCross = !apart.contains(peculiarity)
            return Case(name: "peculiar", settings: settings) { $0.composed > 0 && ($0.crossings > 0 || !mustCross) }
        }
    }

    /// Absence that comes and goes.
    private static let flickering: [Case] = [false, true].map { isDocumented in
        var settings = smallRevisions(seed: 20_261_190)
        (settings.reviseEvery, settings.isDocumented) = (25, isDocumented)
        (settings.isAboutForms, settings.simulator.traits.unavailablePercent) = (true, 20)
        return Case(name: "absence", settings: settings) { $0.composed > 0 }
    }

    static let cases = gaps + rareGaps + habits + disturbed + small + flipped

    @Test(arguments: cases) func noAnswerIsWrong(each: Case) throws {
        let run = try outcome(each.settings)
        #expect(each.hasMet(run), "\(run)")
    }

    /// In each, another conclusion is wrong; with and without the documentation.
    @Test(arguments: peculiar + flickering) func noAnswerIsWrongInPeculiarWorlds(each: Case) throws {
        let run = try outcome(each.settings)
        #expect(each.hasMet(run), "\(run)")
    }

    /// Nodes that take answers from each other, also those that one of them has newer.
    @Test(.requires(.redis)) func noAnswerIsWrongAmongSharingNodes() throws {
        let run = try outcome(Self.smallRevisions(seed: 20_261_180, nodes: 3))
        #expect(run.composed > 0 && run.old > 0 && run.statistics[.shared] > 0, "\(run)")
    }

    /// Makes all requests of a run, and records its wrong answers.
    private func outcome(_ settings: DifferentialRun.Settings) throws -> DifferentialRun.Outcome {
        let run = try DifferentialRun.outcome(settings)
        for failure in run.failures { Issue.record("\(run)\n\(failure)") }
        #expect(run.answered == settings.requests)
        return run
    }

    /// The run itself: a proxy that keeps answers for longer than it may is found out.
    @Test func answersThatAreTooOldAreFound() throws {
        let settings = DifferentialRun.Settings(seed: 20_261_127, requests: 1000, longestLifetime: 12, mostFailures: 1)
        let run = try DifferentialRun.outcome(settings)
        #expect(!run.failures.isEmpty)
    }
}
