import Cache
import Foundation
import Proxy
import TestSupport
import Testing

/// What is noted of stored answers outlives them: it is looked at again before it is used.
@Suite(.timeLimit(.minutes(1))) struct AgedMaterialTests {
    private static func artist(_ id: String, albums: [String]) -> String {
        let data = albums.map {
            #"{"id":"\#($0)","type":"albums","href":"/v1/catalog/us/albums/\#($0)","attributes":{"name":"\#($0)"}}"#
        }
        return """
            {"id":"\(id)","type":"artists","href":"/v1/catalog/us/artists/\(id)","attributes":{"name":"\(id)"},\
            "relationships":{"albums":{"href":"/v1/catalog/us/artists/\(id)/albums","data":[\(data.joined(separator: ","))]}}}
            """
    }

    /// The batch came again without its first artist, and the place where that one's albums stood was another's.
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
}
