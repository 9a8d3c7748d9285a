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
    @Test func showsTheHeadBeforeItReadsTheBody() {
        var reader = RequestReader(limits: .request)
        var input = buffer("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
        expect(.contentAhead, &reader, &input)
        expect("/a", reader, input)
        let rest = input.copyReadable()
        #expect(rest == Array("abc".utf8) && reader.body.isEmpty)
        expect(.complete, &reader, &input)
    }

    @Test func keepsTheHeadWhileTheBodyArrives() {
        var reader = RequestReader(limits: .request)
        var input = buffer("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc")
        expect(.contentAhead, &reader, &input)
        expect(.needMore, &reader, &input)
        let isReadingBody = reader.isReadingBody
        #expect(isReadingBody)
        let rest = input.copyReadable()
        #expect(rest.isEmpty)
        input.append("defGET")
        expect(.complete, &reader, &input)
        let body = reader.body
        #expect(body == Array("abcdef".utf8))
        expect("/a", reader, input)
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
            var reader = RequestReader(limits: .request)
            var input = ByteBuffer(capacity: 16)
            var seen: [String] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                input.append(stream[start..<min(start + size, stream.count)])
                while !input.isEmpty || reader.isReadingBody {
                    let step = reader.advance(&input)
                    if step == .contentAhead { continue }
                    guard step == .complete else { break }
                    seen.append(target(reader, input) + ":" + String(decoding: reader.body, as: UTF8.self))
                    reader.finish(&input)
                }
            }
            #expect(seen == ["/one:", "/two:hello", "/three:world", "/four:"], "cut into \(size)")
        }
    }

    private func expect(
        _ target: String, _ reader: borrowing RequestReader, _ input: borrowing ByteBuffer,
        at place: SourceLocation = #_sourceLocation
    ) {
        let found = self.target(reader, input)
        #expect(found == target, sourceLocation: place)
    }

    private func target(_ reader: borrowing RequestReader, _ input: borrowing ByteBuffer) -> String {
        let range = reader.head.target.range
        return reader.withHeadBytes(input) { String(decoding: $0.extracting(range).copy(), as: UTF8.self) }
    }
}
