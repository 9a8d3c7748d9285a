import Testing
import Text

@testable import Bench

@Suite struct NumberedSongsTests {
    @Test func theIdentifierNamesTheSize() {
        #expect(NumberedSongs(bytes: 4096).target(17) == "/v1/catalog/us/songs/40960000017")
        #expect(NumberedSongs.bytes(of: "40960000017") == 4096)
        #expect(NumberedSongs.bytes(of: NumberedSongs(bytes: 1 << 20).identifier(9_999_999)) == 1 << 20)
        for other in ["", "0000017", "4096-000017", "x0000000017"] { #expect(NumberedSongs.bytes(of: other) == nil) }
    }

    @Test(arguments: [SongDocument.leastBytes, 256, 1024, 4096, 65_536, 1 << 20])
    func anAnswerIsASongOfExactlyTheSize(bytes: Int) throws {
        let identifier = NumberedSongs(bytes: bytes).identifier(1_234_567)
        let response = SongDocument(NumberedSongs(bytes: bytes)).response(Array(identifier.utf8))
        let text = String(decoding: response, as: UTF8.self)
        let end = try #require(text.firstRange(of: "\r\n\r\n")).upperBound
        let body = Array(text[end...].utf8)
        #expect(body.count == bytes)
        #expect(text.contains("\r\nContent-Length: \(bytes)\r\n"))
        let song = try #require(try JSON.parse(body)["data"]?.arrayValue?.first)
        #expect(song["id"]?.stringValue == identifier)
        #expect(song["href"]?.stringValue == NumberedSongs(bytes: bytes).target(1_234_567))
        #expect(song["type"]?.stringValue == "songs")
        if bytes >= 1024 { #expect(song["attributes"]?["playParams"]?["id"]?.stringValue == identifier) }
    }

    @Test func hitsLetTheOriginRest() {
        #expect(OriginShare.none.objection(asked: 0, requests: 1000, connections: 64) == nil)
        #expect(OriginShare.none.objection(asked: 1, requests: 1000, connections: 64) != nil)
    }

    @Test func missesReachTheOriginOnceEach() {
        let misses = OriginShare.all
        #expect(misses.objection(asked: 100_064, requests: 100_000, connections: 64) == nil)
        #expect(misses.objection(asked: 50_000, requests: 100_000, connections: 64) != nil)
        #expect(misses.objection(asked: 200_000, requests: 100_000, connections: 64) != nil)
    }

    @Test func fieldsAreRead() throws {
        let fields = try Curl.fields("HTTP/1.1 200 OK\r\nX-Cache-Status:  HIT\r\nAge: 1\r\n\r\n", "u")
        #expect(fields == ["x-cache-status": "HIT", "age": "1"])
        #expect(throws: BenchError.self) { try Curl.fields("HTTP/1.1 502 Bad\r\n\r\n", "u") }
        #expect(throws: BenchError.self) { try Curl.fields("", "u") }
    }
}
