import HTTP
import Proxy
import Testing

@testable import Traffic

@Suite struct AnswerReaderTests {
    private static func read(_ text: String, isHead: Bool = false) throws -> (AnswerReader, AnswerReader.Step) {
        var reader = AnswerReader()
        reader.begin(isHead: isHead, keepsContent: true)
        let bytes = Array(text.utf8)
        let step = try reader.read(bytes.span)
        return (reader, step)
    }

    @Test func anAnswerIsReadWholeOrInPieces() throws {
        let text =
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\nCache-Status: refrain; hit; ttl=9\r\n\r\nhello"
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var reader = AnswerReader()
            reader.begin(isHead: false, keepsContent: true)
            let beginning = Array(bytes[..<cut])
            let first = try reader.read(beginning.span)
            #expect(first.isWhole == (cut == bytes.count))
            if !first.isWhole {
                let rest = Array(bytes[first.consumed...])
                #expect(try reader.read(rest.span).isWhole)
            }
            #expect(reader.status == 200 && reader.outcome == .hit && reader.keepsAlive && reader.length == 5)
            #expect(reader.content == Array("hello".utf8))
        }
    }

    @Test func chunksAreDecoded() throws {
        let (reader, step) = try Self.read(
            "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nrest")
        #expect(step.isWhole && reader.content == Array("abcde".utf8) && reader.status == 404)
        #expect(reader.keepsAlive)
    }

    @Test func onlyAnAnswerWithoutALengthEndsWithItsConnection() throws {
        var (reader, step) = try Self.read("HTTP/1.1 200 OK\r\n\r\nabc")
        #expect(!step.isWhole && reader.end() && reader.length == 3 && !reader.keepsAlive)
        (reader, step) = try Self.read("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc")
        #expect(!step.isWhole && !reader.end() && reader.hasHead)
        (reader, step) = try Self.read("")
        #expect(reader.isUntouched && !reader.end())
    }

    @Test func theAnswerToAHeadHasNoContent() throws {
        let (reader, step) = try Self.read("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", isHead: true)
        #expect(step.isWhole && reader.length == 0)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
        "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ]) func whatIsMalformedIsNoAnswer(_ text: String) {
        #expect(throws: ParseError.self) { try Self.read(text) }
    }

    @Test(arguments: [
        ("Cache-Status: refrain; hit; ttl=5", Outcome.hit), ("Cache-Status: refrain; hit; ttl=-5", .stale),
        ("Cache-Status: refrain; hit; ttl=-5; detail=stale-while-revalidate", .stale),
        ("Cache-Status: refrain; hit; ttl=5; detail=composed", .composed),
        ("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; stored; ttl=60", .miss),
        ("Cache-Status: refrain; fwd=uri-miss; fwd-status=200; collapsed; stored; ttl=60", .collapsed),
        ("Cache-Status: refrain; fwd=stale; fwd-status=304; stored; ttl=60; detail=revalidated", .revalidated),
        ("Cache-Status: refrain; fwd=stale; detail=stale-if-error", .staleIfError),
        ("Cache-Status: refrain; fwd=uri-miss; detail=upstream-connect", .failed),
        ("Cache-Status: refrain; fwd=bypass; fwd-status=200; detail=personal", .bypass),
        ("Cache-Status: refrain; detail=waited-too-long", .refused),
        ("Cache-Status: origin; fwd=uri-miss, \"a;b,c\"; hit", .hit), ("X-Cache: HIT", .hit),
        ("X-Cache: HIT, MISS", .miss), ("X-Cache-Status: UPDATING", .stale), ("x-cache: TCP_MISS from here", .miss),
    ]) func theOutcomeIsWhatTheNearestCacheSays(_ field: String, _ outcome: Outcome) throws {
        let (reader, _) = try Self.read("HTTP/1.1 200 OK\r\nServer: x\r\n\(field)\r\nContent-Length: 0\r\n\r\n")
        #expect(reader.outcome == outcome)
    }

    @Test func anAnswerThatSaysNothingHasNoOutcome() throws {
        let (reader, _) = try Self.read("HTTP/1.1 200 OK\r\nCache-Status: x\r\nContent-Length: 0\r\n\r\n")
        #expect(reader.outcome == nil)
    }
}
