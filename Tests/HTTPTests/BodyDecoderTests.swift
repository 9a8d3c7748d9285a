import TestSupport
import Testing

@testable import HTTP

@Suite struct BodyDecoderTests {
    /// The content of a chunked message that is all of `text`, or the error; nil when more is
    /// needed.
    private func decode(_ text: String, limits: MessageLimits = .request) throws(ParseError) -> String? {
        let bytes = [UInt8](text.utf8)
        var decoder = BodyDecoder(.chunked, limits: limits)
        var content: [UInt8] = []
        var offset = 0
        while true {
            switch try decoder.next(bytes.span.extracting(offset..<bytes.count)) {
            case .content(let range, let consumed):
                content += bytes[offset...].dropFirst(Int(range.start)).prefix(range.count)
                offset += consumed
            case .needMore: return nil
            case .end(let consumed):
                #expect(offset + consumed == bytes.count)
                return String(decoding: content, as: UTF8.self)
            }
        }
    }

    private func refusal(_ text: String, limits: MessageLimits = .request) -> ParseError? {
        thrown { () throws(ParseError) in try decode(text, limits: limits) }
    }

    @Test func lengthDelimitedContentEndsExactly() throws {
        let bytes = [UInt8]("helloGET /".utf8)
        var decoder = BodyDecoder(.length(5), limits: .request)
        #expect(try decoder.next(bytes.span.extracting(0..<2)) == .content(ByteRange(0, 2), consumed: 2))
        #expect(try decoder.next(bytes.span.extracting(2..<2)) == .needMore(consumed: 0))
        #expect(try decoder.next(bytes.span.extracting(2..<10)) == .content(ByteRange(0, 3), consumed: 3))
        #expect(try decoder.next(bytes.span.extracting(5..<10)) == .end(consumed: 0))
    }

    @Test func noContentEndsAtOnce() throws {
        let bytes = [UInt8]("x".utf8)
        for framing in [BodyFraming.none, .length(0)] {
            var decoder = BodyDecoder(framing, limits: .request)
            #expect(try decoder.next(bytes.span) == .end(consumed: 0))
        }
    }

    @Test func closingEndsOnlyUndelimitedContent() throws {
        let bytes = [UInt8]("abc".utf8)
        var open = BodyDecoder(.untilClose, limits: .response)
        #expect(try open.next(bytes.span) == .content(ByteRange(0, 3), consumed: 3))
        #expect(try open.next([UInt8]().span) == .needMore(consumed: 0))
        try open.finish()
        #expect(try open.next([UInt8]().span) == .end(consumed: 0))
        for framing in [BodyFraming.length(4), .chunked] {
            var decoder = BodyDecoder(framing, limits: .response)
            #expect(thrown { () throws(ParseError) in try decoder.finish() } == .truncated)
            #expect(thrown { () throws(ParseError) in try decoder.next(bytes.span) } == .truncated)
        }
        var done = BodyDecoder(.none, limits: .response)
        try done.finish()
    }

    @Test func chunksAreJoined() throws {
        #expect(try decode("5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n") == "hello world")
        #expect(try decode("0\r\n\r\n") == "")
        #expect(try decode("a\r\n0123456789\r\n000\r\n\r\n") == "0123456789")
        #expect(try decode("0000000000000001\r\na\r\n0\r\n\r\n") == "a")
        #expect(try decode("1;a;b=c;d=\"e;\\\"\t \"\r\na\r\n0;z\r\n\r\n") == "a")
        #expect(try decode("1\r\na\r\n0\r\nX: y\r\nContent-Length: 9\r\n\r\n") == "a")
        let half = [UInt8]("5\r\nhe".utf8)
        var decoder = BodyDecoder(.chunked, limits: .request)
        #expect(try decoder.next(half.span) == .content(ByteRange(3, 5), consumed: 5), "as it arrives")
    }

    @Test(arguments: [
        "\r\n", "g\r\n", "+1\r\n", "-1\r\n", " 1\r\n", "1 \r\n", "1\t\r\n", "0x1\r\n", "1_0\r\n", "1,\r\n",
        "1.\r\n", ";a\r\n", "1\u{0}\r\n", "00000000000000001\r\n", "fffffffffffffffff\r\n",
    ])
    func aSizeIsUpToSixteenHexadecimalDigits(line: String) {
        #expect(refusal(line + "a\r\n0\r\n\r\n") == .chunkSize)
    }

    @Test func sizesDoNotOverflow() {
        for size in ["ffffffffffffffff", "8000000000000000", "7fffffffffffffff", "100000001"] {
            let error = refusal("\(size)\r\na\r\n0\r\n\r\n")
            #expect(error == .chunkSize || error == .contentTooLarge, "\(size)")
        }
        #expect(refusal("1\r\na\r\n7fffffffffffffff\r\n", limits: .response) == .contentTooLarge)
    }

    @Test(arguments: [
        "1;\r\n", "1;;a\r\n", "1; a\r\n", "1;a =b\r\n", "1;a= b\r\n", "1;a=\r\n", "1;a=\"b\r\n", "1;a=\"b\"c\r\n",
        "1;a b\r\n", "1;a=\"b\\\"\r\n", "1;a=\"\\\r\n", "1;=b\r\n",
    ])
    func extensionsFollowTheirGrammar(line: String) {
        #expect(refusal(line + "a\r\n0\r\n\r\n") == .chunkExtension)
    }

    @Test(arguments: ["1\n", "1\r\r\n", "1;a\n", "1;a=\"\n\"\r\n", "1;a\rb\r\n"])
    func aChunkLineEndsWithCRLF(line: String) { #expect(refusal(line + "a\r\n0\r\n\r\n") != nil) }

    @Test(arguments: ["aXX", "a\n", "a\rX", "aX\r\n", "ab\r\n", "a0\r\n", "a\r\r\n"])
    func dataIsFollowedByBothBytesOfTheLineEnd(data: String) {
        #expect(refusal("1\r\n\(data)0\r\n\r\n") == .chunkEnd)
    }

    @Test func trailersAreFieldLines() {
        for line in ["X : y", " X: y", "X", ": y", "GET / HTTP/1.1", "X\u{e4}: y"] {
            #expect(refusal("0\r\n\(line)\r\n\r\n") != nil, "\(line)")
        }
        #expect(refusal("0\r\nX: y\n\r\n") == .lineEnd)
        #expect(refusal("0\r\nX: \u{0}\r\n\r\n") == .controlCharacter)
        #expect(refusal("0\r\nX") == nil)
    }

    /// A sender could make the decoder go through as many of them as their bytes allow.
    @Test func manyShortTrailersWereBoundedByTheirBytesAlone() throws {
        var limits = MessageLimits.request
        limits.maxFields = 2
        #expect(try decode("0\r\nA: b\r\nC: d\r\n\r\n", limits: limits) == "")
        #expect(refusal("0\r\nA: b\r\nC: d\r\nE: f\r\n\r\n", limits: limits) == .tooManyFields)
    }

    @Test func anErrorIsFinal() {
        var decoder = BodyDecoder(.chunked, limits: .request)
        let bad = [UInt8]("z".utf8)
        let good = [UInt8]("0\r\n\r\n".utf8)
        #expect(thrown { () throws(ParseError) in try decoder.next(bad.span) } == .chunkSize)
        #expect(thrown { () throws(ParseError) in try decoder.next(good.span) } == .chunkSize)
        #expect(thrown { () throws(ParseError) in try decoder.finish() } == .chunkSize)
    }
}
