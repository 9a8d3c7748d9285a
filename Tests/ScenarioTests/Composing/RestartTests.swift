import Cache
import Compose
import Purging
import Store
import TestSupport
import Testing

/// Answers that an earlier run stored are material for this one.
@Suite(.timeLimit(.minutes(10))) struct ComposingAfterRestartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func makeCache() -> ResponseCache { ResponseCache(file: folder.file("cache.sqlite")) }

    @Test func answersAreComposedOutOfTheFile() throws {
        let scene = try ComposingScene(cache: makeCache())
        let songs = try scene.ids("songs", 40)
        let albums = try scene.ids("albums", 2)
        let path = "/v1/catalog/us/songs?ids="
        try scene.get("/v1/catalog/us/songs/\(songs[0])")
        try scene.get(path + songs[..<20].joined(separator: ","))
        try scene.get(path + songs[20...].joined(separator: ","))
        try scene.get("/v1/catalog/us/albums/\(albums[0])")
        try scene.get("/v1/catalog/us/albums/\(albums[1])?include=artists")
        #expect(try scene.get("/v1/catalog/us/songs/\(songs[1])").cost == 0)
        try scene.restart(makeCache)
        waitUntil { scene.proxy.isIndexComplete }
        for (target, detail) in [
            ("/v1/catalog/us/songs/\(songs[2])", "reduced"), ("/v1/catalog/us/songs/\(songs[1])", "reduced"),
            (path + [songs[30], songs[3]].joined(separator: ","), "split"),
            ("/v1/catalog/us/albums/\(albums[1])", "reduced"),
        ] {
            let (status, cost) = try scene.get(target)
            #expect(status.contains("hit") && status.contains("detail=\(detail)") && cost == 0, "\(target) \(status)")
        }
        // A purge reaches answers that were composed of another run's.
        let selection = EntrySelection([.storefront(Array("us".utf8))])
        scene.cache.purgeAndWait(selection, .hard, at: scene.clock.unixSeconds)
        #expect(try scene.get("/v1/catalog/us/songs/\(songs[2])").cost == 1)
    }

    /// `compose verify` found a difference; then the operator switched to `on`, and restarted.
    @Test func aRestingFormRestsAfterARestart() throws {
        let scene = try ComposingScene(.byExample(.verify), cache: makeCache())
        let albums = try scene.ids("albums", 60)
        func album(_ index: Int) -> String { "/v1/catalog/us/albums/\(albums[index])" }
        // Which attributes albums have alone.
        for index in [0] + Array(40..<60) { try scene.get(album(index)) }
        try scene.get("/v1/catalog/us/albums?ids=" + albums.joined(separator: ","))
        scene.misname(album(1))
        #expect(try scene.proxy.client.send("GET", album(1)).status == 200)
        waitUntil { scene.proxy.statistics.restingForms() == 1 }
        try scene.restart(makeCache)
        waitUntil { scene.proxy.isIndexComplete }
        #expect(scene.proxy.statistics.restingForms() == 1)
        #expect(try scene.get(album(39)).cost == 1)
    }

    /// The file is read latest first; older answers of the same form undid the later lessons.
    @Test func olderAnswersInTheFileMadeNewFormsOld() throws {
        let scene = try ComposingScene(cache: makeCache())
        let songs = try scene.ids("songs", 4)
        try scene.get("/v1/catalog/us/songs/\(songs[0])")
        scene.clock.advance(seconds: 50_000)
        try scene.get("/v1/catalog/us/songs/\(songs[1])")
        try scene.get("/v1/catalog/us/songs?ids=" + songs[1...].joined(separator: ","))
        try scene.restart(makeCache)
        waitUntil { scene.proxy.isIndexComplete }
        #expect(try scene.get("/v1/catalog/us/songs/\(songs[2])") == ("refrain; hit; ttl=86400; detail=reduced", 0))
    }
}
