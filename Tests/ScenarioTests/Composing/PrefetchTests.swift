import Compose
import Foundation
import Proxy
import TestSupport
import Testing

/// Pages fetched ahead for clients that walk through a list (DECISIONS 10.4).
@Suite(.timeLimit(.minutes(10))) struct PrefetchTests {
    /// With a gap, so that pages are fetched one by one.
    private func makeScene(_ settings: CompositionSettings = CompositionSettings()) throws -> ListScene {
        try ListScene(settings, gaps: [2])
    }

    @Test func theStepAfterTheSecondIsStoredAlready() throws {
        let scene = try makeScene()
        defer { scene.stop() }
        try scene.get(ListScene.target(1, "limit=20"))
        #expect(scene.proxy.statistics[.prefetched] == 0, "a first page is no walk")
        try scene.get(ListScene.target(1, "limit=20&offset=20"))
        #expect(scene.proxy.statistics[.prefetched] == 1)
        waitUntil { scene.proxy.statistics[.stored] == 3 }
        #expect(scene.upstream.last == ListScene.target(1, "limit=20&offset=40"))
        let (status, _) = try scene.get(ListScene.target(1, "limit=20&offset=40"))
        #expect(status.contains("hit"), "\(status)")
        #expect(scene.upstream.count { $0 == ListScene.target(1, "limit=20&offset=40") } == 1)
    }

    @Test func aWalkFetchesNothingTwiceAndNothingBehindTheEnd() throws {
        let scene = try makeScene()
        defer { scene.stop() }
        // At once, whether the next page has come or is on its way.
        for offset in stride(from: 0, to: 230, by: 20) {
            try scene.get(ListScene.target(1, "limit=20&offset=\(offset)"))
        }
        #expect(Set(scene.upstream).count == scene.upstream.count)
        #expect(scene.upstream.count == 12)
        #expect(scene.proxy.statistics[.prefetched] == 10)
    }

    @Test func aClientThatFollowsLinksAsTheyStandIsWalkingToo() throws {
        let scene = try makeScene()
        defer { scene.stop() }
        for query in ["", "offset=25"] { try scene.get(ListScene.target(1, query)) }
        waitUntil { scene.proxy.statistics[.stored] == 3 }
        #expect(try scene.get(ListScene.target(1, "offset=50")).status.contains("hit"))
    }

    @Test func nothingIsFetchedAheadForAClientThatJumps() throws {
        let scene = try makeScene()
        defer { scene.stop() }
        for offset in [0, 40, 80, 10] { try scene.get(ListScene.target(1, "limit=20&offset=\(offset)")) }
        #expect(scene.proxy.statistics[.prefetched] == 0)
        #expect(scene.upstream.count == 4)
    }

    @Test func windowsOffSwitchesItOff() throws {
        var settings = CompositionSettings()
        settings.windows = false
        let scene = try makeScene(settings)
        defer { scene.stop() }
        for offset in [0, 20, 40] { try scene.get(ListScene.target(1, "limit=20&offset=\(offset)")) }
        #expect(scene.proxy.statistics[.prefetched] == 0)
        #expect(scene.upstream.count == 3)
    }
}
