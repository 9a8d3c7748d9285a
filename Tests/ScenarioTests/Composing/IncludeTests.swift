import Testing

@testable import Proxy
@testable import Simulator

/// Includes reduced, expanded and split out of stored answers (DECISIONS 9.2).
@Suite struct ComposedIncludeTests {
    @Test func singlesAndBatchesAreComposedOfEachOther() throws {
        let scene = try ComposingScene()
        let songs = try scene.ids("songs", 8)
        func path(_ ids: ArraySlice<String>) -> String { "/v1/catalog/us/songs?ids=" + ids.joined(separator: ",") }
        try scene.get("/v1/catalog/us/songs/\(songs[0])")
        try scene.get(path(songs[0..<3]))
        let (single, cost) = try scene.get("/v1/catalog/us/songs/\(songs[2])")
        #expect(single.contains("detail=reduced") && cost == 0, "\(single)")
        try scene.get("/v1/catalog/us/songs/\(songs[5])")
        // Composed of two batches and a single answer, in another order.
        try scene.get(path(songs[3..<5]))
        let mixed = ["\(songs[4])", songs[1], songs[5], songs[2]][...]
        let (batch, nothing) = try scene.get(path(mixed))
        #expect(batch.contains("hit") && batch.contains("detail=split") && nothing == 0, "\(batch)")
        // Missing songs alone are fetched.
        let (partial, one) = try scene.get(path([songs[6], songs[0], songs[7]]))
        #expect(partial.contains("fwd=partial") && partial.contains("detail=split") && one == 1, "\(partial)")
        #expect(scene.upstream.last == "/v1/catalog/us/songs?ids=\(songs[6]),\(songs[7])")
    }

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
        // The third has its base alone: its artists are fetched.
        try scene.get("/v1/catalog/us/albums/\(albums[2])")
        let (partial, one) = try scene.get("/v1/catalog/us/albums/\(albums[2])?include=artists")
        #expect(partial.contains("fwd=partial") && one == 1, "\(partial)")
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
}
