import Cache
import Foundation
import TestSupport
import Testing

/// Malformed documents go through byte for byte, and no answer is composed of them.
///
/// `DocumentScanTests` has every form that is no document.
@Suite(.timeLimit(.minutes(10))) struct HostileDocumentTests {
    /// A document for `/albums/7?include=artists`.
    struct Document: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let body: [UInt8]
        /// Whether there is nothing wrong with it, after all.
        var isSound = false

        init(_ name: String, _ body: String, isSound: Bool = false) { self.init(name, Array(body.utf8), isSound) }

        init(_ name: String, _ body: [UInt8], _ isSound: Bool = false) {
            (testDescription, self.body, self.isSound) = (name, body, isSound)
        }
    }

    private static func album(_ id: String, _ artist: String = #","attributes":{"name":"B"}"#) -> String {
        with(id: "\"\(id)\"", name: "\"A\"", artist)
    }

    /// - Parameters:
    ///   - id, name: JSON values.
    ///   - artist: further members of the artist.
    private static func with(
        id: String = "\"7\"", name: String = "\"A\"", type: String = "\"albums\"",
        _ artist: String = #","attributes":{"name":"B"}"#, more: String = "", behind: String = ""
    ) -> String {
        #"{"data":[{"id":\#(id),"type":\#(type),"href":"/x","attributes":{"name":\#(name)}\#(more),"#
            + #""relationships":{"artists":{"href":"/y","data":[{"id":"1","type":"artists","href":"/z"\#(artist)}]}}}"#
            + "\(behind)]}"
    }

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    static let documents: [Document] = [
        Document("an honest one", with(), isSound: true),
        Document("a megabyte of name", with(name: "\"" + many("x", 1 << 20) + "\""), isSound: true),
        Document("nested deeply and never closed", with(name: many("[{\"a\":", 200_000))),
        Document("broken UTF-8", Array(with().utf8).replacing("A".utf8, with: [0xC3, 0x28])),
        Document("the id twice", with(more: #","id":"8""#)),
        Document("cut off", Array(with().utf8.dropLast(7))),
        Document("something behind it", with() + "{}"),
        Document("nothing", ""),
        Document("an empty id", with(id: "\"\"")),
        Document("an escaped id", with(id: "\"\\u0037\"")),
        Document("another id", with(id: "\"8\"")),
        Document("the type of a song", with(type: "\"songs\"")),
        Document("an object for a list", #"{"data":{"id":"7","type":"albums","attributes":{"name":"A"}}}"#),
        Document("an error", #"{"errors":[{"status":"500"}],"data":[]}"#),
        Document("100,000 resources", with(behind: many(#",{"id":"9","type":"songs"}"#, 100_000))),
    ]

    /// Honest albums, but for the seventh.
    private static func answer(_ target: String, _ hostile: [UInt8]) -> [UInt8] {
        if target.contains("albums/7?") { return hostile }
        let isIncluding = target.contains("include")
        let id = target.components(separatedBy: "?")[0].components(separatedBy: "/").last ?? ""
        return Array(album(id, isIncluding ? #","attributes":{"name":"B"}"# : "").utf8)
    }

    @Test(arguments: documents) func itGoesThroughAndNothingIsMadeOfIt(document: Document) throws {
        let origin = try ScriptedOrigin([
            .serve { request in
                let body = Self.answer(request.components(separatedBy: " ")[1], document.body)
                let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
                return Array(head.utf8) + body
            }
        ])
        let proxy = try ProxyUnderTest(scripted: origin, cache: ResponseCache(mebibytes: 256))
        let path = "/v1/catalog/us/albums/"
        for target in ["1", "2?include=artists"] { #expect(try proxy.client.send("GET", path + target).status == 200) }
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", path + "7?include=artists")
            #expect(reply.status == 200 && reply.body == Data(document.body))
        }
        let asked = origin.requests.joined().count
        // The smaller form, and whatever else the document pretends to show.
        let smaller = try proxy.client.send("GET", path + "7")
        #expect(smaller.status == 200)
        if document.isSound {
            let text = String(decoding: document.body, as: UTF8.self)
            let whole = text.replacingOccurrences(of: #","attributes":{"name":"B"}"#, with: "")
            let values = try? JSONSerialization.jsonObject(with: Data(whole.utf8)) as? NSObject
            #expect(smaller.body == Data(whole.utf8) || smaller.json == values)
            #expect(origin.requests.joined().count == asked)
        } else {
            #expect(smaller.body == Data(Self.album("7", "").utf8) && origin.requests.joined().count == asked + 1)
        }
        for target in ["8", "7?include=artists", "3"] {
            #expect(try proxy.client.send("GET", path + target).status == 200)
        }
    }
}
