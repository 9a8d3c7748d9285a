import Cache
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Simulator

/// The origin revises a resource while older answers about it are still fresh.
@Suite struct TwoRevisionsTests {
    private static let catalog = "/v1/catalog/us/"

    /// Albums that include artists and genres when they are asked to; one of them gets another
    /// artist and another track.
    private final class AlbumOrigin: Sendable {
        let isRevised = Atomic(false)

        func answer(_ request: FakeOrigin.Request) -> FakeOrigin.Reply {
            guard let parts = URLComponents(string: request.target) else { return FakeOrigin.Reply(status: 400) }
            let path = parts.path.split(separator: "/").map(String.init)
            let query = Dictionary((parts.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { one, _ in one }
            let ids = path.count == 5 ? path[4] : query["ids"] ?? ""
            let objects = ids.split(separator: ",").map { id in
                path[3] == "albums" ? album(String(id), query["include"] ?? "") : named("artists", String(id))
            }
            return FakeOrigin.Reply(
                fields: [("Content-Type", "application/json")], body: #"{"data":[\#(objects.joined(separator: ","))]}"#)
        }

        private func head(_ type: String, _ id: String) -> String {
            #""id":"\#(id)","type":"\#(type)","href":"\#(TwoRevisionsTests.catalog)\#(type)/\#(id)""#
        }

        private func named(_ type: String, _ id: String) -> String {
            #"{\#(head(type, id)),"attributes":{"name":"\#(type) \#(id)"}}"#
        }

        private func album(_ id: String, _ include: String) -> String {
            let isNew = id == "1" && isRevised.load(ordering: .relaxed)
            let artist = isNew ? "300" : "10\(id)"
            let tracks = (0..<(isNew ? 3 : 2)).map { named("songs", "\(id)\($0)") }
            var lists = [
                ("artists", [include.contains("artists") ? named("artists", artist) : "{\(head("artists", artist))}"]),
                ("tracks", tracks),
            ]
            if include.contains("genres") { lists.append(("genres", [named("genres", "20")])) }
            let relationships = lists.map { name, elements in
                #""\#(name)":{"href":"\#(TwoRevisionsTests.catalog)albums/\#(id)/\#(name)","data":[\#(elements.joined(separator: ","))]}"#
            }
            return #"{\#(head("albums", id)),"attributes":{"trackCount":\#(tracks.count)},"#
                + #""relationships":{\#(relationships.joined(separator: ","))}}"#
        }
    }

    private struct Answer: Decodable {
        struct Album: Decodable {
            let attributes: Attributes
            let relationships: [String: List]
        }
        struct Attributes: Decodable { let trackCount: Int }
        struct List: Decodable { let data: [Element] }
        struct Element: Decodable { let id: String }
        let data: [Album]
    }

    /// The artists were those of the old revision, the attributes and tracks those of the new one.
    @Test func anAlbumHadTheArtistsOfAnotherRevision() throws {
        let origin = AlbumOrigin()
        let scene = try ScriptedScene { origin.answer($0) }
        defer { scene.stop() }
        func ask(_ target: String) throws -> Answer.Album {
            let reply = try scene.proxy.client.send("GET", Self.catalog + target)
            return try #require(JSONDecoder().decode(Answer.self, from: reply.body).data.first)
        }
        func learn(_ target: String) throws { _ = try scene.proxy.client.send("GET", Self.catalog + target) }
        for album in [2, 3] {
            for target in [
                "albums/\(album)", "albums/\(album)?include=artists", "albums/\(album)?include=genres",
                "artists/10\(album)",
            ] { try learn(target) }
        }
        for album in [4, 5] {
            for target in ["albums/\(album)", "artists/10\(album)", "albums/\(album)?include=artists"] {
                try learn(target)
            }
        }
        for target in ["artists/101", "albums/1"] { try learn(target) }
        scene.clock.advance(seconds: 2)
        origin.isRevised.store(true, ordering: .relaxed)
        #expect(try ask("albums/1?include=genres").attributes.trackCount == 3)
        let album = try ask("albums/1?include=artists")
        #expect(album.attributes.trackCount == 3)
        #expect(album.relationships["artists"]?.data.map(\.id) == ["300"])
        #expect(album.relationships["tracks"]?.data.count == 3)
    }

    // MARK: - In the file

    private static func names(_ scene: ComposingScene, _ target: String) throws -> [String] {
        let document = try #require(scene.direct(catalog + target) as? [String: Any])
        return try #require(document["data"] as? [[String: Any]]).compactMap { $0["id"] as? String }
    }

    /// An artist inside two albums, whose older state was read from the file last.
    @Test func theOldestStateInTheFileCounted() throws {
        let folder = try TemporaryFolder()
        let makeCache = {
            ResponseCache(
                memory: MemoryTier(maxBytes: 16 << 20),
                store: FileTier.open(path: folder.file("cache.sqlite"), maxBytes: 64 << 20) { print($0) })
        }
        let scene = try ComposingScene(cache: makeCache())
        defer { scene.stop() }
        let owners = try scene.ids("albums", 20).flatMap { try Self.names(scene, "albums/\($0)/artists") }
        let artists = try Set(owners).sorted().filter { try Self.names(scene, "artists/\($0)/albums").count > 2 }
        let (artist, other) = (artists[0], artists[1])
        let albums = try Self.names(scene, "artists/\(artist)/albums")
        func get(_ target: String) throws -> (status: String, cost: Int) { try scene.get(Self.catalog + target) }
        _ = try get("albums/\(try Self.names(scene, "artists/\(other)/albums")[0])?include=artists")
        _ = try get("artists/\(other)")
        _ = try get("albums/\(albums[0])?include=artists")
        scene.clock.advance(seconds: 10)
        let before = scene.direct(Self.catalog + "artists/\(artist)")
        for _ in 0..<8 where scene.direct(Self.catalog + "artists/\(artist)") == before { scene.api.revise() }
        #expect(scene.direct(Self.catalog + "artists/\(artist)") != before)
        let there = try #require(
            albums.dropFirst().first { scene.direct(Self.catalog + "albums/\($0)")?.value(of: "data") != nil })
        _ = try get("albums/\(there)?include=artists")
        try scene.restart(makeCache)
        waitUntil { scene.proxy.isIndexComplete }
        let (status, cost) = try get("artists/\(artist)")
        #expect(cost == 0 && status.contains("detail="), "\(status)")
    }
}

extension NSObject {
    fileprivate func value(of name: String) -> Any? { (self as? [String: Any])?[name] }
}
