import Foundation
import TestSupport
import Testing

/// Malformed documents go through byte for byte, and no answer is composed of them.
/// `DocumentScanTests` has every form that is no document.
@Suite(.timeLimit(.minutes(10))) struct HostileDocumentTests {
    private static let path = "/v1/catalog/us/albums/"
    private static let honest = ScriptedAlbums.reply(path + "7?include=artists").body

    private static func changed(_ part: String, _ other: String) -> String { honest.replacing(part, with: other) }

    /// Answers to a request for album 7 with its artists; the first has nothing wrong with it.
    private static let documents = [
        ("an honest one", honest), ("cut off", String(honest.dropLast(7))),
        ("nested deeply", changed(#""name":"7""#, #""name":"# + String(repeating: #"[{"a":"#, count: 200_000))),
        ("another id", changed(#""id":"7","type":"albums""#, #""id":"8","type":"albums""#)),
        ("the type of a song", changed(#""type":"albums""#, #""type":"songs""#)),
        ("an error", #"{"errors":[{"status":"500"}],"data":[]}"#),
    ]

    @Test(arguments: documents.map(\.0)) func itGoesThroughAndNothingIsMadeOfIt(name: String) throws {
        let document = try #require(Self.documents.first { $0.0 == name }?.1)
        let scene = try ScriptedScene { request in
            let isDocument = request.target.contains("albums/7?")
            return isDocument ? FakeOrigin.Reply(body: document) : ScriptedAlbums.reply(request.target)
        }
        func get(_ target: String) throws -> HTTPTestClient.Reply {
            let reply = try scene.proxy.client.send("GET", Self.path + target)
            #expect(reply.status == 200)
            return reply
        }
        for target in ["1", "2?include=artists"] { _ = try get(target) }
        for _ in 0..<2 { #expect(try get("7?include=artists").body == Data(document.utf8)) }
        let asked = scene.upstream.count
        // The smaller form, and whatever else the document pretends to show.
        let expected = Data(ScriptedAlbums.reply(Self.path + "7").body.utf8)
        #expect(try get("7").json == HTTPTestClient.Reply(status: 200, fields: [], body: expected).json)
        #expect(scene.upstream.count == asked + (document == Self.honest ? 0 : 1))
        for target in ["8", "7?include=artists", "3"] { _ = try get(target) }
    }
}
