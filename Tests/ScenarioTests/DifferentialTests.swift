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
    private static let habitRequests = TestSize.of(300, full: 900, release: 10_000)
    private static let disturbedRequests = TestSize.of(400, full: 900, release: 10_000)
    private static let disturbEvery = TestSize.of(80, release: 250)
    private static let disturbedReviseEvery = TestSize.of(60, release: 150)
    private static let smallRequests = TestSize.of(500, full: 900, release: 10_000)
    private static let gapRequests = TestSize.of(250, full: 900, release: 10_000)
    private static let flippedRequests = TestSize.of(600, release: 1200)
    /// In the size for a release time passes slower, and revisions and flips come later: in fewer
    /// requests as much is to end its lifetime.
    private static let longestStep = TestSize.of(8, release: 3)
    private static let reviseEvery = TestSize.of(200, release: 400)
    private static let flipAfter = TestSize.of(200, release: 300)

    /// Ten thousand requests in all, in the size for a release.
    @Test(arguments: [
        DifferentialRun.Settings(
            seed: 20_261_121, requests: requests, longestStep: longestStep, reviseEvery: reviseEvery),
        DifferentialRun.Settings(
            seed: 20_261_122, requests: requests, longestStep: longestStep, reviseEvery: reviseEvery, batches: true),
        DifferentialRun.Settings(
            seed: 20_261_123, requests: requests, staleFor: 40, longestStep: longestStep, reviseEvery: reviseEvery),
        DifferentialRun.Settings(
            seed: 20_261_124, requests: requests, staleFor: 90, longestStep: longestStep, reviseEvery: reviseEvery,
            batches: true),
    ])
    func everyAnswerIsOneThatTheOriginGaveInItsTime(settings: DifferentialRun.Settings) async throws {
        let run = try await onThread { try DifferentialRun.outcome(settings) }
        record(run)
        let statistics = run.statistics
        #expect(run.answered == settings.requests)
        #expect(statistics[.hits] > settings.requests / 20 && statistics[.collapsed] > 0)
        #expect(statistics[.revalidated] > 0 || !TestSize.isRelease)
        #expect(statistics[.stale] > 0 || settings.staleFor == 0)
        // There are few windows and revalidations in fewer requests, in some runs none.
        #expect(statistics[.built] > 50 && (statistics[because: .window] > 0 || !TestSize.isRelease))
        #expect(statistics[because: .reduced] > 0 && statistics[because: .split] > 0)
        #expect(statistics[because: .batched] > 0 || !settings.batches)
        // Without answers of earlier revisions the run would have shown little.
        #expect(run.old > 20)
    }

    /// The same in worlds that differ: lists that fill up or cut, with gaps in no storefront, in
    /// one and in all.
    @Test(
        arguments: SimulatorConfiguration.ListCut.allCases,
        [[], ["de"], nil] as [Set<String>?]
    )
    func noAnswerIsWrongHoweverListsAreCut(_ cut: SimulatorConfiguration.ListCut, _ gaps: Set<String>?) async throws {
        var settings = DifferentialRun.Settings(
            seed: 20_261_130 + UInt64(gaps?.count ?? 2), requests: Self.worldRequests, longestStep: Self.longestStep,
            reviseEvery: Self.reviseEvery, batches: true)
        settings.listCut = cut
        settings.storefrontsWithGaps = gaps
        settings.unavailablePercent = gaps == nil ? 5 : 2
        let run = try await onThread { [settings] in try DifferentialRun.outcome(settings) }
        record(run)
        #expect(run.answered == settings.requests)
        #expect(run.statistics[because: .window] > 0 || gaps == nil)
    }

    /// The same before origins that show other relationships than the documented ones.
    @Test(arguments: SimulatorConfiguration.RelationHabit.allCases.filter { $0 != .documented })
    func noAnswerIsWrongWhateverIsShownUnasked(_ habit: SimulatorConfiguration.RelationHabit) async throws {
        var settings = DifferentialRun.Settings(
            seed: 20_261_140, requests: Self.habitRequests, longestStep: Self.longestStep,
            reviseEvery: Self.reviseEvery, batches: true)
        settings.relationHabit = habit
        let run = try await onThread { [settings] in try DifferentialRun.outcome(settings) }
        record(run)
        #expect(run.answered == settings.requests)
        #expect(run.statistics[.built] > 0)
    }

    /// The same where the cache file is opened anew and parts of the cache are purged in between.
    @Test(arguments: [
        DifferentialRun.Settings(
            seed: 20_261_150, requests: disturbedRequests, longestStep: longestStep, reviseEvery: disturbedReviseEvery,
            disturbEvery: disturbEvery, batches: true),
        DifferentialRun.Settings(
            seed: 20_261_151, requests: disturbedRequests, staleFor: 40, longestStep: longestStep,
            reviseEvery: disturbedReviseEvery, disturbEvery: disturbEvery, batches: true),
    ])
    func noAnswerIsWrongOverRestartsAndPurges(settings: DifferentialRun.Settings) async throws {
        let run = try await onThread { try DifferentialRun.outcome(settings) }
        record(run)
        #expect(run.answered == settings.requests)
        #expect(run.composed > 20 && run.old > 3 && run.disturbances >= 3)
    }

    /// Many revisions, each of few resources, whose attributes and lists change together and apart.
    @Test(arguments: SimulatorConfiguration.ListCut.allCases)
    func noAnswerIsWrongWhereEachRevisionIsSmall(_ cut: SimulatorConfiguration.ListCut) async throws {
        var settings = DifferentialRun.Settings(
            seed: 20_261_160, requests: Self.smallRequests, longestStep: Self.longestStep, reviseEvery: 50,
            batches: true)
        settings.listCut = cut
        settings.listSizes = .recorded
        settings.revisionShare = 300
        let run = try await onThread { [settings] in try DifferentialRun.outcome(settings) }
        record(run)
        #expect(run.answered == settings.requests)
        #expect(run.composed > 20 && run.old > 3)
    }

    /// The same with gaps that are rarer than the evidence that there are none.
    @Test(arguments: SimulatorConfiguration.ListCut.allCases, [300, 1_000, 3_000])
    func noAnswerIsWrongWhereGapsAreRare(_ cut: SimulatorConfiguration.ListCut, _ share: Int) async throws {
        var settings = DifferentialRun.Settings(
            seed: 20_261_170, requests: Self.gapRequests, longestStep: 2, reviseEvery: Self.reviseEvery)
        settings.listCut = cut
        settings.listSizes = .recorded
        settings.unavailableOneIn = share
        settings.isAboutLists = true
        let run = try await onThread { [settings] in try DifferentialRun.outcome(settings) }
        record(run)
        #expect(run.answered == settings.requests)
        #expect(run.statistics[because: .window] > 0)
    }

    /// Nodes that take answers from each other, also those that one of them has newer.
    @Test(.requires(.redis)) func noAnswerIsWrongWhereNodesShareWhatTheyHave() async throws {
        var settings = DifferentialRun.Settings(
            seed: 20_261_180, requests: Self.smallRequests, longestStep: Self.longestStep, reviseEvery: 50, nodes: 3,
            batches: true)
        settings.listSizes = .recorded
        settings.revisionShare = 300
        let run = try await onThread { [settings] in try DifferentialRun.outcome(settings) }
        record(run)
        #expect(run.answered == settings.requests)
        #expect(run.composed > 20 && run.old > 3 && run.statistics[.shared] > 0)
    }

    /// What was learnt of the shapes of answers before is wrong afterwards.
    @Test(arguments: [
        DifferentialRun.Settings(
            seed: 20_261_125, requests: flippedRequests, reviseEvery: reviseEvery, flipAfter: flipAfter),
        DifferentialRun.Settings(
            seed: 20_261_126, requests: flippedRequests, reviseEvery: reviseEvery, flipAfter: flipAfter,
            nestsAlbums: false, batches: true),
    ])
    func noAnswerIsWrongWhenTheOriginsShapesChange(settings: DifferentialRun.Settings) async throws {
        let run = try await onThread { try DifferentialRun.outcome(settings) }
        record(run)
        #expect(run.answered == settings.requests)
        #expect(run.old > 3)
        #expect(run.statistics[.contradictions] > 0)
    }

    private func record(_ run: DifferentialRun.Outcome) {
        for failure in run.failures { Issue.record("\(run)\n\(failure)") }
    }

    /// The run itself: a proxy that keeps answers for longer than it may is found out.
    @Test func answersThatAreTooOldAreFound() async throws {
        let settings = DifferentialRun.Settings(seed: 20_261_127, requests: 1000, longestLifetime: 12, mostFailures: 1)
        let run = try await onThread { try DifferentialRun.outcome(settings) }
        #expect(!run.failures.isEmpty)
    }
}
