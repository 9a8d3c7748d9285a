import HTTP
import TestSupport
import Testing

@testable import Cache
@testable import Freshness

/// The head in which a response leaves.
func head(_ response: StoredResponse, _ form: AnswerForm, _ coding: ContentCoding = .identity) -> String {
    var buffer = ByteBuffer(capacity: 64)
    response.appendHead(form, coding, to: &buffer)
    return String(decoding: buffer.copyReadable(), as: UTF8.self)
}

@Suite struct StoredHeadTests {
    private let full = stored([
        "Date: \(date(noon))", "Content-Type: a/b", "ETag: \"a\"", "Last-Modified: \(date(0))", "Vary: Foo", "X: y",
        "Cache-Control: max-age=9", "Expires: \(date(9))", "Content-Location: /b", "Content-Range: odd",
    ])

    @Test func aWholeAnswerHasItsOwnHead() {
        #expect(head(full, .whole) == String(decoding: full.head, as: UTF8.self))
    }

    @Test func notModifiedNamesTheDateWhereThereIsNoTag() {
        let response = StoredResponse(
            restoring: key("/a"), status: 200, fields: Array("Last-Modified: \(date(0))\r\n".utf8), content: .plain([]),
            receivedAt: noon, lifetime: Lifetime(freshFor: 1), classTag: 0, storefront: [])
        #expect(head(response, .notModified) == "HTTP/1.1 304 Not Modified\r\nLast-Modified: \(date(0))\r\n")
    }

    /// There were two rules: an answer that was not stored kept Content-Language, and whatever else
    /// it said of its content.
    @Test func notModifiedSaysTheSameWhereTheAnswerIsNotStored() throws {
        let lines = [
            "Date: \(date(noon))", "Content-Type: a/b", "Content-Language: de", "ETag: \"a\"", "Vary: Foo", "X: y",
            "Last-Modified: \(date(0))", "Cache-Control: max-age=9", "Set-Cookie: a=b", "Content-Location: /b",
            "Expires: \(date(9))",
        ].map { $0 + "\r\n" }
        let asked = try ParsedRequest(fields: "If-None-Match: \"a\"")
        let passed = NotModified.lines(
            for: .get, asked.head.fields, asked.bytes.span, insteadOf: Array(lines.joined().utf8))
        let kept = [0, 3, 4, 7, 8, 9, 10].map { lines[$0] }.joined()
        #expect(passed.map { String(decoding: $0, as: UTF8.self) } == kept)
        let stored = stored(lines.map { String($0.dropLast()) })
        #expect(head(stored, .notModified) == "HTTP/1.1 304 Not Modified\r\n" + kept)
    }

    @Test func aPartHasAllFieldsAndItsPlace() {
        let text = head(full, .partial(2..<5))
        #expect(text.hasPrefix("HTTP/1.1 206 Partial Content\r\nDate: "))
        #expect(
            text.hasSuffix(
                "X: y\r\nCache-Control: max-age=9\r\nExpires: \(date(9))\r\nContent-Location: /b\r\n"
                    + "Content-Range: bytes 2-4/10\r\nContent-Length: 3\r\n"))
        #expect(!text.contains("odd"))
    }

    @Test func anUnsatisfiableRangeLearnsTheLength() {
        var buffer = ByteBuffer(capacity: 64)
        full.appendContentRange(to: &buffer)
        #expect(String(decoding: buffer.copyReadable(), as: UTF8.self) == "Content-Range: bytes */10\r\n")
    }
}
