import Compose
import Foundation
import Proxy
import TestSupport
import Testing

/// Misses that bring the relationships that clients often include (`superset_includes on`, the
/// default).
@Suite(.timeLimit(.minutes(10))) struct SupersetIncludesTests {
    /// Clients that want artists and genres of albums, more of them than are needed to be known as
    /// a habit, and some that want less: the origin has shown all forms.
    private func taught(_ albums: [String]) throws -> ComposingScene {
        let scene = try ComposingScene()
        for (index, album) in albums.enumerated() {
            for include in ["", "?include=artists", "?include=genres", "?include=artists,genres"]
            where index < 2 || include.contains(",") {
                try scene.get("/v1/catalog/us/albums/\(album)" + include)
            }
        }
        return scene
    }

    @Test func oneRequestServesWhateverIsIncluded() throws {
        let albums = try ids(22)
        let scene = try taught(Array(albums[..<18]))
        defer { scene.stop() }
        var costs: [Int] = []
        for album in albums[18...] {
            let target = "/v1/catalog/us/albums/\(album)"
            let first = try scene.get(target)
            #expect(first.cost == 1 && first.status.contains("fwd=partial"), "\(first)")
            #expect(scene.upstream.last == target + "?include=artists,genres")
            for include in ["?include=genres,artists", "?include=artists", "?include=genres"] {
                costs.append(try scene.get(target + include).cost)
            }
        }
        // An album with more artists than any before may be asked for anew.
        #expect(costs.count { $0 == 0 } >= 9, "\(costs)")
    }

    /// The larger request brings no answer to make the client's of: it gets its own.
    @Test func whatIsAbsentGetsTheOriginsOwn404() throws {
        let scene = try taught(ids(18))
        defer { scene.stop() }
        let target = "/v1/catalog/us/albums/999999900"
        let reply = try scene.proxy.client.send("GET", target)
        #expect(reply.status == 404)
        #expect(scene.upstream.suffix(2) == [target + "?include=artists,genres", target])
    }

    private func ids(_ count: Int) throws -> [String] {
        let scene = try ComposingScene()
        defer { scene.stop() }
        return try scene.ids("albums", count)
    }

    // MARK: An origin that takes too long

    @Test func whereTheOriginIsTooSlowForItTheClientGetsItsOwn() throws {
        let scene = try ScriptedScene { Self.answer($0.target) }
        defer { scene.stop() }
        func get(_ target: String) throws -> HTTPTestClient.Reply { try scene.proxy.client.send("GET", target) }
        for id in 1...20 { #expect(try get("/v1/catalog/us/albums/\(id)?include=artists").status == 200) }
        #expect(try get("/v1/catalog/us/albums/50").status == 200)
        for id in 100..<110 {
            let reply = try get("/v1/catalog/us/albums/\(id)")
            #expect(reply.status == 200)
            #expect(String(decoding: reply.body, as: UTF8.self) == Self.body("\(id)", isIncluded: false))
        }
        let inVain = (100..<110).flatMap { id in scene.upstream.filter { $0.contains("/albums/\(id)?include=") } }
        #expect(inVain.count == 4, "it rests after the fourth")
    }

    /// From album 100 on it does not manage to include anything.
    private static func answer(_ target: String) -> FakeOrigin.Reply {
        let isIncluded = target.contains("include=")
        let id = target.components(separatedBy: "?")[0].components(separatedBy: "/").last ?? ""
        if isIncluded, id.count > 2 { return FakeOrigin.Reply(status: 504, body: "") }
        return FakeOrigin.Reply(body: body(id, isIncluded: isIncluded))
    }

    private static func body(_ id: String, isIncluded: Bool) -> String {
        let name = isIncluded ? ",\"attributes\":{\"name\":\"a\"}" : ""
        let artist = "{\"id\":\"7\",\"type\":\"artists\",\"href\":\"/v1/catalog/us/artists/7\"\(name)}"
        let head = "\"id\":\"\(id)\",\"type\":\"albums\",\"href\":\"/v1/catalog/us/albums/\(id)\""
        let relationships = "\"relationships\":{\"artists\":{\"data\":[\(artist)]}}"
        return "{\"data\":[{\(head),\"attributes\":{\"name\":\"\(id)\"},\(relationships)}]}"
    }
}
