import Testing

@testable import refrain

@Suite struct AdminAnswerTests {
    /// Gives `text` to a reader `step` bytes at a time, then the end.
    private func read(_ text: String, step: Int) throws(FileProblem) -> AdminAnswer {
        var reader = AdminAnswerReader()
        var rest = Array(text.utf8)[...]
        repeat {
            let part = rest.prefix(step)
            rest = rest.dropFirst(step)
            if try reader.take(Array(part)) { return reader.answer() }
        } while !rest.isEmpty
        guard try reader.take([]) else { throw FileProblem("not complete at the end") }
        return reader.answer()
    }

    private static let answers = [
        "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n3\r\nody\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nbody",
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
    ]

    @Test(arguments: answers, [1, 2, 7, 1000]) func isTheSameHoweverItArrives(text: String, step: Int) throws {
        #expect(try read(text, step: step) == AdminAnswer(status: 200, body: Array("body".utf8)))
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nbody", "SSH-2.0-x\r\n\r\n",
    ])
    func isRefusedWhenIncompleteOrNotHTTP(_ text: String) {
        #expect(throws: FileProblem.self) { try read(text, step: 1000) }
    }
}
