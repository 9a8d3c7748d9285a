import Foundation
import TestSupport
import Testing

@testable import Simulator

/// Answers composed of stored and of fetched parts (DECISIONS 9.2, 10.1), and the reasons why
/// others are not. `ComposeTests` has the rules; here a proxy follows them.
@Suite(.timeLimit(.minutes(10))) struct ComposedAnswerTests {
    @Test func anIncludeIsExpandedFromStoredResources() throws {
        let scene = try ComposingScene { $0.nestsAlbums = false }
        let albums = try scene.ids("albums", 4)
        // Learnt of the first: both forms, and that included artists look like those of a batch.
        try scene.get("/v1/catalog/us/albums/\(albums[0])?include=artists")
        let artists = try artistIDs(albums[0], scene)
        try scene.get("/v1/catalog/us/artists?ids=" + artists.joined(separator: ","))
        try scene.get("/v1/catalog/us/albums/\(albums[1])")
        let others = try artistIDs(albums[1], scene)
        try scene.get("/v1/catalog/us/artists?ids=" + others.joined(separator: ","))
        let (status, cost) = try scene.get("/v1/catalog/us/albums/\(albums[1])?include=artists")
        #expect(status.contains("hit") && status.contains("detail=composed") && cost == 0, "\(status)")
        // The fourth has its base alone: its artist is fetched, whose attributes are no others.
        try scene.get("/v1/catalog/us/albums/\(albums[3])")
        let (partial, one) = try scene.get("/v1/catalog/us/albums/\(albums[3])?include=artists")
        #expect(partial.contains("fwd=partial") && one == 1, "\(partial), \(counts(scene.proxy))")
        #expect(scene.upstream.last?.hasPrefix("/v1/catalog/us/artists?ids=") == true, "\(scene.upstream)")
    }

    /// Forty albums at once say nothing of how many playlists the origin takes.
    @Test func batchSizesAreLearntByType() throws {
        let scene = try ComposingScene()
        let (albums, playlists) = (try scene.ids("albums", 40), try scene.ids("playlists", 26))
        func target(_ type: String, _ ids: some Sequence<String>) -> String {
            "/v1/catalog/us?ids[\(type)]=" + ids.joined(separator: ",")
        }
        try scene.get(target("albums", albums))
        for part in [playlists[..<13], playlists[13...]] {
            #expect(try scene.proxy.client.send("GET", target("playlists", part)).status == 200)
        }
        #expect(try scene.proxy.client.send("GET", target("playlists", playlists)).status == 400)
    }

    private func artistIDs(_ album: String, _ scene: ComposingScene) throws -> [String] {
        let answer = try #require(scene.direct("/v1/catalog/us/albums/\(album)") as? [String: Any])
        let data = try #require((answer["data"] as? [[String: Any]])?.first?["relationships"] as? [String: Any])
        let artists = try #require((data["artists"] as? [String: Any])?["data"] as? [[String: Any]])
        return artists.compactMap { $0["id"] as? String }
    }

    /// Each HEAD was charged for a larger page that it never asked for; five ended all of them.
    @Test func headsAreNotChargedForLargerPages() throws {
        let scene = try ListScene()
        // They show how links are written.
        for query in ["limit=100", "limit=100&offset=7", "", "offset=9"] { try scene.get(ListScene.target(9, query)) }
        for artist in 2...6 {
            try scene.get(ListScene.target(artist, "limit=20&offset=0"))
            let target = ListScene.target(artist, "limit=20&offset=20")
            _ = try scene.proxy.client.send("HEAD", target)
            #expect(scene.upstream.last == target)
        }
        try scene.get(ListScene.target(1, "limit=20&offset=0"))
        let target = ListScene.target(1, "limit=20&offset=20")
        let (status, cost) = try scene.get(target)
        #expect(status.contains("fwd=uri-miss") && status.contains("detail=window") && cost == 1, "\(status)")
        #expect(scene.upstream.last == ListScene.target(1, "limit=100&offset=0"))
        let (next, nothing) = try scene.get(ListScene.target(1, "limit=20&offset=40"))
        #expect(next.contains("hit") && next.contains("detail=window") && nothing == 0, "\(next)")
    }

    /// Others' answers can serve it by the time at which the origin fails.
    @Test func aFailedRequestIsAnsweredByComposition() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .perform { request in
                let ids = ScriptedSongs.ids(ScriptedSongs.target(request))
                if ids == ["2"] { return [.wait(gate), .send("nonsense\r\n\r\n"), .close] }
                return [.send(ScriptedSongs.response(ids))]
            }
        ])
        let proxy = try ProxyUnderTest(scripted: origin, composition: .byExample())
        let path = "/v1/catalog/us/songs"
        _ = try proxy.client.send("GET", path + "/1")
        let client = try proxy.connection(sending: .get(path + "/2", closes: true))
        waitUntil { proxy.statistics[.upstreamRequests] == 2 }
        _ = try proxy.client.send("GET", path + "?ids=1,2,3")
        gate.open()
        let composed = client.readText()
        #expect(composed.hasPrefix("HTTP/1.1 200 ") && composed.hasSuffix("\r\n\r\n" + ScriptedSongs.body(["2"])))
        #expect(composed.contains("Cache-Status: refrain; fwd=uri-miss; stored; ttl="), "\(composed)")
        #expect(proxy.statistics[.built] == 1 && proxy.statistics[because: .upstreamMalformed] == 1)
        // It is kept.
        let again = try proxy.client.send("GET", path + "/2")
        #expect(again.field("Cache-Status")?.hasPrefix("refrain; hit") == true)
        #expect(String(decoding: again.body, as: UTF8.self) == ScriptedSongs.body(["2"]))
        #expect(proxy.statistics[.upstreamRequests] == 3)
    }

    /// It was called `partial`, though nothing stored was in it.
    @Test func anAnswerFetchedWholeIsNotPartial() throws {
        let scene = try ScriptedScene { request in
            let ids = ScriptedSongs.ids(request.target)
            return FakeOrigin.Reply(body: ids == ["3"] ? "" : ScriptedSongs.body(ids))
        }
        let path = "/v1/catalog/us/songs"
        _ = try scene.proxy.client.send("GET", path + "?ids=1,2")
        let whole = try scene.proxy.client.send("GET", path + "?ids=1,3")
        #expect(scene.upstream == ["?ids=1,2", "?ids=3", "?ids=1,3"].map { path + $0 })
        #expect(String(decoding: whole.body, as: UTF8.self) == ScriptedSongs.body(["1", "3"]))
        let status = whole.field("Cache-Status") ?? ""
        #expect(status.hasPrefix("refrain; fwd=uri-miss; fwd-status=200; stored; ttl="), "\(status)")
    }

    // MARK: Reasons

    // Each request to the origin counts one reason why nothing was composed; others count none.

    private func counts(_ proxy: ProxyUnderTest) -> [String] {
        proxy.statistics.notComposed.map { "\($0.rule.word) \($0.reason.word) \($0.count)" }
    }

    @Test func refusalsAreCountedByWhatIsMissing() throws {
        let scene = try ComposingScene()
        let albums = try scene.ids("albums", 3)
        let path = "/v1/catalog/us/albums"
        // An explanation says it in a sentence, before it is asked for.
        func refusal(_ target: String) -> String { scene.proxy.explain(target)?.refusal?.sentence ?? "" }
        #expect(refusal("\(path)/\(albums[0])").hasPrefix("item: no fresh stored answer has any of the resources"))
        #expect(counts(scene.proxy).isEmpty)
        try scene.get("\(path)/\(albums[0])?include=artists")
        #expect(counts(scene.proxy) == ["item not-held 1"])
        #expect(refusal("\(path)/\(albums[0])?include=artists").isEmpty, "a hit")
        #expect(refusal("\(path)/\(albums[0])").hasPrefix("item: no answer to a request with"))
        try scene.get("\(path)/\(albums[0])?include=artists")
        #expect(counts(scene.proxy) == ["item not-held 1"], "a hit is none")
        try scene.get("\(path)/\(albums[0])")
        #expect(counts(scene.proxy) == ["item not-held 1", "item form-never-seen 1"])
        let (search, genres) = ("/v1/catalog/us/search?term=a&types=albums", "/v1/catalog/us/genres")
        #expect(refusal(search) == "other: charts and searches are never composed")
        #expect(refusal(genres) == "other: answers to this kind of target are not composed")
        #expect(refusal("/v1/me/library/songs").isEmpty, "a pass")
        for target in [search, genres] { try scene.get(target) }
        #expect(
            counts(scene.proxy) == [
                "item not-held 1", "item form-never-seen 1", "other not-understood 1", "other found-otherwise 1",
            ])
    }

    @Test func completedAndPassedRequestsAreNotCounted() throws {
        let scene = try ComposingScene()
        let songs = try scene.ids("songs", 3)
        try scene.get("/v1/catalog/us/songs?ids=\(songs[0]),\(songs[1])")
        let before = counts(scene.proxy)
        #expect(before == ["batch not-held 1"])
        let (status, cost) = try scene.get("/v1/catalog/us/songs?ids=\(songs[0]),\(songs[2])")
        #expect(status.contains("fwd=partial") && cost == 1)
        _ = try scene.proxy.client.send("GET", "/v1/me/library/songs")
        #expect(counts(scene.proxy) == before)
    }

    @Test func backgroundRefreshesAreCounted() throws {
        let scene = try ComposingScene()
        let song = "/v1/catalog/us/songs/\(try scene.ids("songs", 1)[0])"
        try scene.get(song)
        scene.clock.advance(seconds: 86_401)
        try scene.get(song)
        waitUntil { counts(scene.proxy).count == 2 }
        #expect(counts(scene.proxy) == ["item not-held 1", "item form-ran-out 1"])
    }
}
