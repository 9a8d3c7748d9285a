import TestSupport
import Testing

@testable import HTTP
@testable import Server

@Suite struct RequestReaderTests {
    private func buffer(_ text: String) -> ByteBuffer {
        var buffer = ByteBuffer(capacity: 256)
        buffer.append(text)
        return buffer
    }

    /// `#expect` cannot hold a buffer, which cannot be copied.
    private func expect(
        _ step: RequestReader.Step, _ reader: inout RequestReader, _ input: inout ByteBuffer,
        at place: SourceLocation = #_sourceLocation
    ) {
        let next = reader.advance(&input)
        #expect(next == step, sourceLocation: place)
    }

    /// Nothing of the content is kept before the head has been shown.
    @Test func theHeadIsShownBeforeTheBodyAndKeptWhileItArrives() {
        var reader = RequestReader(limits: .request)
        var input = buffer("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc")
        expect(.contentAhead, &reader, &input)
        let (shown, ahead) = (target(reader, input), input.copyReadable())
        #expect(shown == "/a" && ahead == Array("abc".utf8) && reader.body.isEmpty)
        expect(.needMore, &reader, &input)
        let (isReadingBody, rest) = (reader.isReadingBody, input.copyReadable())
        #expect(isReadingBody && rest.isEmpty)
        input.append("defGET")
        expect(.complete, &reader, &input)
        let (body, kept) = (reader.body, target(reader, input))
        #expect(body == Array("abcdef".utf8) && kept == "/a")
        reader.finish(&input)
        let next = input.copyReadable()
        #expect(next == Array("GET".utf8))
    }

    @Test func asksForTheBodyThatWaitsForContinue() {
        var reader = RequestReader(limits: .request)
        var input = buffer("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        expect(.contentAhead, &reader, &input)
        expect(.continueExpected, &reader, &input)
        expect(.needMore, &reader, &input)
        input.append("ok")
        expect(.complete, &reader, &input)
    }

    /// However a stream of requests is cut, the same requests come out.
    @Test func cutsDoNotMatter() {
        let stream = Array(
            ("GET /one HTTP/1.1\r\nHost: x\r\n\r\nPOST /two HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
                + "POST /three HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nworld\r\n0\r\n\r\n"
                + "GET /four HTTP/1.1\r\nHost: x\r\n\r\n").utf8)
        for size in 1...stream.count {
            let read = Verdict(reading: stream, cuts: Array(stride(from: size, to: stream.count, by: size)))
            #expect(read.targets == ["/one", "/two", "/three", "/four"] && read.end == .clean, "cut into \(size)")
            #expect(read.contents == ["", "hello", "world", ""].map { Array($0.utf8) }, "cut into \(size)")
        }
    }

    private func target(_ reader: borrowing RequestReader, _ input: borrowing ByteBuffer) -> String {
        let range = reader.head.target.range
        return reader.withHeadBytes(input) { String(decoding: $0.extracting(range).copy(), as: UTF8.self) }
    }
}
