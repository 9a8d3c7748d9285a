import Testing

@testable import Bench

@Suite struct AnswerReaderTests {
    private let answer = Array("HTTP/1.1 200 OK\r\nX: y\r\ncontent-length:  5\r\n\r\nhello".utf8)

    private func take(_ reader: inout AnswerReader, _ bytes: some Collection<UInt8>) throws -> Bool {
        try Array(bytes).withUnsafeBytes { try reader.take($0) }
    }

    @Test func answersInOnePieceFollowEachOther() throws {
        var reader = AnswerReader()
        for _ in 0..<3 { #expect(try take(&reader, answer)) }
    }

    @Test func anAnswerMayBeCutAnywhere() throws {
        for cut in 1..<answer.count {
            var reader = AnswerReader()
            #expect(try !take(&reader, answer[..<cut]))
            #expect(try take(&reader, answer[cut...]))
        }
        var reader = AnswerReader()
        for byte in answer.dropLast() { #expect(try !take(&reader, [byte])) }
        #expect(try take(&reader, answer.suffix(1)))
    }

    @Test func anAnswerWithoutBodyEndsWithItsHead() throws {
        var reader = AnswerReader()
        #expect(try take(&reader, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".utf8))
    }

    @Test(arguments: [
        "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nab", "nonsense\r\n\r\n",
    ])
    func anythingElseIsAFailure(text: String) {
        var reader = AnswerReader()
        #expect(throws: BenchError.self) { try take(&reader, text.utf8) }
    }
}
