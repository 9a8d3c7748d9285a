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

    private func target(_ reader: borrowing RequestReader, _ input: borrowing ByteBuffer) -> String {
        let range = reader.head.target.range
        return reader.withHeadBytes(input) { String(decoding: $0.extracting(range).copy(), as: UTF8.self) }
    }
}
