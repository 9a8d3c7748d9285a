import Foundation
import TestSupport
import Testing

/// Each request to the origin counts one reason why its answer was not composed, and no other
/// request counts any.
@Suite(.timeLimit(.minutes(10))) struct NotComposedTests {
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
