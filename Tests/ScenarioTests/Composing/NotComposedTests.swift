import Compose
import EventLoop
import Foundation
import Proxy
import TestSupport
import Testing

/// Each request to the origin counts one reason why its answer was not composed, and no other
/// request counts any.
@Suite(.timeLimit(.minutes(10))) struct NotComposedTests {
    private func counts(_ proxy: ProxyUnderTest) -> [String] {
        proxy.statistics.notComposed.map { "\($0.rule.word) \($0.lack.word) \($0.count)" }
    }

    @Test func refusalsAreCountedByWhatIsMissing() throws {
        let scene = try ComposingScene()
        let albums = try scene.ids("albums", 3)
        let path = "/v1/catalog/us/albums"
        #expect(counts(scene.proxy).isEmpty)
        try scene.get("\(path)/\(albums[0])?include=artists")
        #expect(counts(scene.proxy) == ["item not-held 1"])
        try scene.get("\(path)/\(albums[0])?include=artists")
        #expect(counts(scene.proxy) == ["item not-held 1"], "a hit is none")
        try scene.get("\(path)/\(albums[0])")
        #expect(counts(scene.proxy) == ["item not-held 1", "item form-never-seen 1"])
        try scene.get("/v1/catalog/us/search?term=a&types=albums")
        try scene.get("/v1/catalog/us/genres")
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
