import Testing

@testable import HTTP

@Suite struct AnswerReaderTests {
    private static func read(_ text: String, isHead: Bool = false) throws -> (AnswerReader, isWhole: Bool) {
        var reader = AnswerReader()
        reader.begin(isHead: isHead, keepsContent: true)
        let bytes = Array(text.utf8)
        let surplus: Int? = try reader.take(bytes.span)
        return (reader, surplus != nil)
    }

    @Test func theAnswerToAHeadHasNoContent() throws {
        let (reader, isWhole) = try Self.read("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", isHead: true)
        #expect(isWhole && reader.length == 0)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\n", "HTTP/1.1 101 Switching\r\n\r\n",
        "SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    ]) func malformedBytesAreNoAnswer(_ text: String) {
        #expect(throws: ParseError.self) { try Self.read(text) }
    }

    /// Gives `text` to a reader `step` bytes at a time, then the end.
    private static func take(_ text: String, step: Int) throws(ParseError) -> AnswerReader {
        var reader = AnswerReader()
        reader.begin(keepsContent: true)
        var rest = Array(text.utf8)[...]
        repeat {
            let part = rest.prefix(step)
            rest = rest.dropFirst(step)
            if try reader.take(Array(part)) { return reader }
        } while !rest.isEmpty
        guard try reader.take([]) else { throw .truncated }
        return reader
    }

    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n3\r\nody\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nbody",
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Encoding: GZIP\r\n\r\nbody",
    ]

    @Test(arguments: answers, [1, 2, 7, 1000]) func isTheSameHoweverItArrives(text: String, step: Int) throws {
        let reader = try Self.take(text, step: step)
        #expect(reader.status == 200 && reader.length == 4 && reader.content == Array("body".utf8))
        #expect(reader.head.fields.contains(.contentEncoding) == text.contains("GZIP"))
        #expect(reader.keepsAlive == (text != Self.answers[2]))
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody"])
    func isRefusedWhenIncomplete(_ text: String) {
        #expect(throws: ParseError.truncated) { try Self.take(text, step: 1000) }
    }

    @Test func answersFollowEachOtherAndWhatIsLeftOverIsCounted() throws {
        var reader = AnswerReader(mostKept: 3)
        let answer = Array(Self.answers[0].utf8)
        for cut in 1..<answer.count {
            reader.begin(keepsContent: true)
            #expect(reader.isUntouched && !reader.hasHead)
            let (beginning, rest) = (Array(answer[..<cut]), Array(answer[cut...]) + [1, 2])
            let first: Int? = try reader.take(beginning.span)
            #expect(first == nil && !reader.isUntouched && reader.hasHead == (cut >= answer.count - 4))
            let surplus: Int? = try reader.take(rest.span)
            #expect(surplus == 2 && reader.length == 4 && reader.content.count <= 3)
        }
    }
}
