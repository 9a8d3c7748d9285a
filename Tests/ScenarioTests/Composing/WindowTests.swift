import Compose
import Foundation
import Proxy
import TestSupport
import Testing

/// Windows into lists cut out of stored pages (DECISIONS 10.1).
@Suite(.timeLimit(.minutes(10))) struct WindowTests {
    private typealias Scene = ListScene

    /// Pages that show how links are written for all that the tests ask for, of an artist that they
    /// do not ask for.
    private func learn(_ scene: ListScene) throws {
        for query in ["limit=100", "limit=100&offset=7", "", "offset=9"] { try scene.get(Scene.target(9, query)) }
    }

    @Test func anyWindowIsCutOutOfAFullPage() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=100&offset=10"))
        let windows = [(10, 100), (11, 99), (50, 1), (109, 1), (77, 10), (12, 25), (60, 50), (85, nil), (10, nil)]
        for (offset, limit) in windows {
            let query = (limit.map { "limit=\($0)&" } ?? "") + "offset=\(offset)"
            let (status, cost) = try scene.get(Scene.target(1, query))
            #expect(status.contains("hit"), "\(query): \(status)")
            #expect(status.contains("detail=window") || (limit == 100), "\(query): \(status)")
            #expect(cost == 0, "\(query)")
        }
        for (offset, limit) in [(109, 2), (112, 1), (86, 30), (9, 2)] {
            let (status, cost) = try scene.get(Scene.target(1, "limit=\(limit)&offset=\(offset)"))
            #expect(status.contains("fwd=") && cost > 0, "not all of \(limit) from \(offset) is there: \(status)")
        }
    }

    @Test func theLinkIsAsTheOriginWritesIt() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        try scene.get(Scene.target(9, "l=de-DE&limit=20&offset=3"))
        try scene.get(Scene.target(1, "l=de-DE&limit=20&offset=0"))
        let target = Scene.target(1, "l=de-DE&limit=5&offset=8")
        #expect(try scene.get(target).status.contains("detail=window"))
        let next = (try scene.proxy.client.send("GET", target).json as? [String: Any])?["next"] as? String
        #expect(next == "/v1/catalog/us/artists/1/albums?l=de-DE&offset=13")
        // Without an offset the origin was not seen to write a link in that language, and might
        // leave something out.
        let (status, cost) = try scene.get(Scene.target(1, "l=de-DE&limit=5"))
        #expect(status.contains("fwd=") && cost == 1, "\(status)")
    }

    @Test func aPageWithAGapAnswersNoOtherWindow() throws {
        let scene = try ListScene(gaps: [15])
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=50&offset=0"))
        for query in ["limit=5&offset=0", "limit=5&offset=20", "limit=5&offset=45"] {
            let (status, cost) = try scene.get(Scene.target(1, query))
            #expect(status.contains("fwd=") && cost == 1, "\(query): \(status)")
        }
    }

    @Test func theEndOfAListIsCutOnceItsPlacesAreProved() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=50&offset=200"))
        let (larger, nothing) = try scene.get(Scene.target(1, "limit=80&offset=200"))
        #expect(larger.contains("detail=window") && nothing == 0, "\(larger)")
        let (proved, one) = try scene.get(Scene.target(1, "limit=10&offset=205"))
        #expect(proved.contains("fwd=uri-miss") && proved.contains("detail=window") && one == 1, "\(proved)")
        #expect(scene.upstream.last == Scene.target(1, "limit=29&offset=200"), "of 30 items")
        let (hit, none) = try scene.get(Scene.target(1, "limit=10&offset=219"))
        #expect(hit.contains("hit") && hit.contains("detail=window") && none == 0, "\(hit)")
        for query in ["limit=10&offset=220", "limit=100&offset=201"] {
            let (status, cost) = try scene.get(Scene.target(1, query))
            #expect(status.contains("fwd=") && cost >= 1, "\(query): \(status)")
        }
    }

    @Test func theEndOfAListWithAGapIsTheOriginsOwn() throws {
        let scene = try ListScene(gaps: [215])
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=50&offset=200"))
        for query in ["limit=10&offset=205", "limit=10&offset=210", "limit=10&offset=216", "limit=5&offset=216"] {
            let target = Scene.target(1, query)
            let reply = try scene.proxy.client.send("GET", target)
            #expect(reply.json == scene.list.direct(target), "\(query)")
        }
    }

    @Test func aLimitThatWasNeverAcceptedIsForwarded() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        for query in ["limit=30", "limit=30&offset=30", "limit=20&offset=40"] { try scene.get(Scene.target(1, query)) }
        let (status, cost) = try scene.get(Scene.target(1, "limit=31&offset=30"))
        #expect(status.contains("fwd=") && cost >= 1, "\(status)")
        try learn(scene)
        try scene.get(Scene.target(1, "limit=100"))
        let reply = try scene.proxy.client.send("GET", Scene.target(1, "limit=101"))
        #expect(reply.status == 400, "more than the most is an error, not fewer items")
        #expect(scene.upstream.last == Scene.target(1, "limit=101"))
    }

    @Test func pagesOfDifferentAgesAreNeverJoined() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=30"))
        scene.list.edition.store(2, ordering: .relaxed)
        try scene.get(Scene.target(1, "limit=30&offset=31"))
        try scene.get(Scene.target(2, "limit=30&offset=30"))
        let (status, cost) = try scene.get(Scene.target(1, "limit=10&offset=25"))
        #expect(status.contains("fwd=") && cost >= 1, "\(status)")
        #expect(try scene.get(Scene.target(1, "limit=10&offset=35")).status.contains("detail=window"))
    }

    @Test func aListInsideItsParentIsItsFirstPage() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        // That albums look alike in both places is learnt of the first artist.
        try scene.get("/v1/catalog/us/artists/9?include=albums")
        try learn(scene)
        try scene.get("/v1/catalog/us/artists/1?include=albums")
        for query in ["", "limit=10", "limit=10&offset=15"] {
            let (status, cost) = try scene.get(Scene.target(1, query))
            #expect(status.contains("hit") && status.contains("detail=window") && cost == 0, "\(query): \(status)")
        }
        let (status, cost) = try scene.get(Scene.target(1, "limit=10&offset=16"))
        #expect(status.contains("fwd=") && cost >= 1, "one of them is on the next page: \(status)")
    }

    @Test func aLargerPageIsFetchedWhereListsAreWalkedThroughAndHaveNoGaps() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=20&offset=0"))
        let (status, cost) = try scene.get(Scene.target(1, "limit=20&offset=20"))
        #expect(status.contains("fwd=uri-miss") && status.contains("detail=window") && cost == 1, "\(status)")
        #expect(scene.upstream.last == Scene.target(1, "limit=100&offset=0"))
        for offset in [40, 60, 80] {
            let (status, cost) = try scene.get(Scene.target(1, "limit=20&offset=\(offset)"))
            #expect(status.contains("hit") && cost == 0 || offset == 80, "\(offset): \(status)")
        }
    }

    /// Each HEAD of a further page was charged for a larger page, which it never asked for: five of
    /// them ended all growth.
    @Test func headsAreNotChargedForLargerPages() throws {
        let scene = try ListScene()
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=20&offset=0"))
        let target = Scene.target(1, "limit=20&offset=20")
        for _ in 0..<5 { _ = try scene.proxy.client.send("HEAD", target) }
        #expect(scene.upstream.suffix(5) == Array(repeating: target, count: 5)[...])
        try scene.get(target)
        #expect(scene.upstream.last == Scene.target(1, "limit=100&offset=0"))
    }

    @Test func noLargerPageIsFetchedOfListsWithGaps() throws {
        let scene = try ListScene(gaps: [3])
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=20&offset=0"))
        try scene.get(Scene.target(1, "limit=20&offset=20"))
        #expect(scene.upstream.contains(Scene.target(1, "limit=20&offset=20")))
        #expect(!scene.upstream.contains(Scene.target(1, "limit=100&offset=0")))
    }

    @Test func withWindowsOffEveryPageIsTheOriginsOwn() throws {
        var settings = CompositionSettings()
        settings.windows = false
        let scene = try ListScene(settings)
        defer { scene.stop() }
        try learn(scene)
        try scene.get(Scene.target(1, "limit=100"))
        for offset in [0, 20, 40] {
            let (status, cost) = try scene.get(Scene.target(1, "limit=20&offset=\(offset)"))
            #expect(status.contains("fwd=") && cost == 1, "\(status)")
        }
        #expect(scene.proxy.statistics[.built] == 0)
    }
}
