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
            let explained = scene.proxy.explain(target)
            #expect(explained?.action == .complete && explained?.reason == .absent, "nothing of it is stored")
            let first = try scene.get(target)
            #expect(first.cost == 1 && first.status.contains("fwd=uri-miss"), "\(first)")
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

    /// It may blame what the proxy has added.
    @Test func aBadRequestForTheLargerAnswerIsNotKept() throws {
        let scene = try scriptedScene { target in
            guard target.contains("/albums/1000?") else { return Self.included(target) }
            return FakeOrigin.Reply(status: 400, body: #"{"errors":[{"status":"400","code":"40005"}]}"#)
        }
        defer { scene.stop() }
        let target = "/v1/catalog/us/albums/1000"
        let larger = target + "?include=artists"
        #expect(try scene.proxy.client.send("GET", target).status == 200)
        #expect(try scene.proxy.client.send("GET", larger).status == 200, "no 400 stands in for what can be composed")
        #expect(scene.upstream.suffix(2) == [larger, target])
    }

    private func ids(_ count: Int) throws -> [String] {
        let scene = try ComposingScene()
        defer { scene.stop() }
        return try scene.ids("albums", count)
    }

    /// An origin that shows what is included.
    @Sendable private static func included(_ target: String) -> FakeOrigin.Reply {
        FakeOrigin.Reply(body: body(id(target), isIncluded: target.contains("include=")))
    }

    /// Albums that clients want with their artists, so that a miss asks for these too.
    private func scriptedScene(_ answer: @escaping @Sendable (String) -> FakeOrigin.Reply) throws -> ScriptedScene {
        let scene = try ScriptedScene { answer($0.target) }
        for id in 1...20 {
            _ = try scene.proxy.client.send("GET", "/v1/catalog/us/albums/\(id)?include=artists")
        }
        _ = try scene.proxy.client.send("GET", "/v1/catalog/us/albums/50")
        return scene
    }

    /// After 28 of 260 it was asked for no more, because a client that asks for the larger answer
    /// itself was not counted.
    @Test func aPlainHitCredits() throws {
        let scene = try scriptedScene(Self.included)
        defer { scene.stop() }
        for id in 1_000..<1_200 {
            let target = "/v1/catalog/us/albums/\(id)"
            let before = scene.upstream.count
            for query in ["", "?include=artists", "?include=artists"] {
                #expect(try scene.proxy.client.send("GET", target + query).status == 200)
            }
            #expect(scene.upstream[before...] == [target + "?include=artists"])
        }
    }

    /// The bytes that are of no use end it: with less credit than a request costs, none is begun.
    /// From then on one in seven misses begins one.
    @Test func aHeadOnTheLargerAnswerIsNoUse() throws {
        let scene = try scriptedScene(Self.included)
        defer { scene.stop() }
        for id in 1_000..<1_100 {
            let target = "/v1/catalog/us/albums/\(id)"
            #expect(try scene.proxy.client.send("GET", target).status == 200)
            #expect(try scene.proxy.client.send("HEAD", target + "?include=artists").status == 200)
            // Others want artists of other albums.
            #expect(try scene.proxy.client.send("GET", "/v1/catalog/us/albums/5\(id)?include=artists").status == 200)
        }
        let larger = (1_000..<1_100).count { scene.upstream.contains("/v1/catalog/us/albums/\($0)?include=artists") }
        #expect((70..<90).contains(larger), "\(larger)")
    }

    @Test func aHeadBeginsNone() throws {
        let scene = try scriptedScene(Self.included)
        defer { scene.stop() }
        let target = "/v1/catalog/us/albums/1000"
        #expect(try scene.proxy.client.send("HEAD", target).status == 200)
        #expect(scene.upstream.last == target)
        #expect(try scene.proxy.client.send("GET", target).status == 200)
        #expect(scene.upstream.last == target + "?include=artists")
    }

    private static func id(_ target: String) -> String {
        target.components(separatedBy: "?")[0].components(separatedBy: "/").last ?? ""
    }

    private static func body(_ id: String, isIncluded: Bool) -> String {
        let name = isIncluded ? ",\"attributes\":{\"name\":\"a\"}" : ""
        let artist = "{\"id\":\"7\",\"type\":\"artists\",\"href\":\"/v1/catalog/us/artists/7\"\(name)}"
        let head = "\"id\":\"\(id)\",\"type\":\"albums\",\"href\":\"/v1/catalog/us/albums/\(id)\""
        let relationships = "\"relationships\":{\"artists\":{\"data\":[\(artist)]}}"
        return "{\"data\":[{\(head),\"attributes\":{\"name\":\"\(id)\"},\(relationships)}]}"
    }
}
