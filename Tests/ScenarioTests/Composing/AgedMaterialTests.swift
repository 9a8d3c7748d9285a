import Cache
import Foundation
import Proxy
import TestSupport
import Testing

/// What is noted of stored answers outlives them: it is looked at again before it is used.
@Suite(.timeLimit(.minutes(10))) struct AgedMaterialTests {
    private static func artist(_ id: String, albums: [String]) -> String {
        let data = albums.map {
            #"{"id":"\#($0)","type":"albums","href":"/v1/catalog/us/albums/\#($0)","attributes":{"name":"\#($0)"}}"#
        }
        return """
            {"id":"\(id)","type":"artists","href":"/v1/catalog/us/artists/\(id)","attributes":{"name":"\(id)"},\
            "relationships":{"albums":{"href":"/v1/catalog/us/artists/\(id)/albums","data":[\(data.joined(separator: ","))]}}}
            """
    }

    /// The batch came again without its first artist, and the place where that one's albums stood
    /// was another's.
    @Test func aListIsNotCutOutOfAnothersRelationship() throws {
        let isSmaller = ManualClock(0)
        let scene = try ScriptedScene { request in
            let both = isSmaller.unixSeconds == 0
            let one = both ? Self.artist("1", albums: ["11", "12"]) + "," : ""
            let data =
                request.target.hasPrefix("/v1/catalog/us/artists?ids=")
                ? one + Self.artist("2", albums: ["21", "22"])
                : #"{"id":"31","type":"albums","href":"/h","attributes":{"name":"31"}}"#
            return FakeOrigin.Reply(fields: [("Content-Type", "application/json")], body: #"{"data":[\#(data)]}"#)
        }
        defer { scene.stop() }
        func get(_ target: String) throws -> HTTPTestClient.Reply { try scene.proxy.client.send("GET", target) }
        _ = try get("/v1/catalog/us/artists/3/albums")
        _ = try get("/v1/catalog/us/artists?ids=1,2&include=albums")
        isSmaller.advance(seconds: 1)
        scene.clock.advance(seconds: 9 * 86_400)
        _ = try get("/v1/catalog/us/artists/3/albums")
        _ = try get("/v1/catalog/us/artists?ids=1,2&include=albums")
        let reply = try get("/v1/catalog/us/artists/1/albums")
        #expect(!String(decoding: reply.body, as: UTF8.self).contains("\"21\""), "artist 2's albums")
        #expect(reply.field("Cache-Status")?.contains("fwd=") == true)
    }

    /// What stands in an album's answer for a day is not a genre's answer for longer than genres
    /// are kept.
    @Test func partsDoNotOutliveTheClassOfWhatIsAskedFor() throws {
        var policy = Policy()
        policy[.genres] = .fixed(60, stale: 0)
        let scene = try ComposingScene(policy: policy)
        defer { scene.stop() }
        let albums = try scene.ids("albums", 12)
        for album in albums { try scene.get("/v1/catalog/us/albums/\(album)?include=genres") }
        try scene.get("/v1/catalog/us/genres/34")
        let genres = try #require(scene.direct("/v1/catalog/us/albums/\(albums[0])/genres") as? [String: Any])
        let first = try #require(genres["data"] as? [[String: Any]]).compactMap { $0["id"] as? String }
        let genre = try #require(first.first { $0 != "34" })
        let young = try scene.get("/v1/catalog/us/genres/\(genre)").status
        #expect(young.contains("detail=reduced"), "\(young)")
        scene.clock.advance(seconds: 3_600)
        let old = try scene.get("/v1/catalog/us/genres/\(genre)").status
        #expect(old.contains("fwd="), "\(old)")
    }

    /// Forty albums at once say nothing of how many playlists the origin takes.
    @Test func whatTheOriginTakesIsCountedByType() throws {
        let scene = try ComposingScene()
        defer { scene.stop() }
        let (albums, playlists) = (try scene.ids("albums", 40), try scene.ids("playlists", 26))
        func target(_ type: String, _ ids: some Sequence<String>) -> String {
            "/v1/catalog/us?ids[\(type)]=" + ids.joined(separator: ",")
        }
        try scene.get(target("albums", albums))
        for part in [playlists[..<13], playlists[13...]] {
            #expect(try scene.proxy.client.send("GET", target("playlists", part)).status == 200)
        }
        let both = try scene.proxy.client.send("GET", target("playlists", playlists))
        #expect(both.status == 400)
    }
}
