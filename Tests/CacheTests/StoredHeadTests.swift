import HTTP
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

    @Test func notModifiedSaysWhatCachesNeed() {
        #expect(
            head(full, .notModified) == """
                HTTP/1.1 304 Not Modified\r
                Date: \(date(noon))\r
                ETag: "a"\r
                Vary: Foo\r
                Cache-Control: max-age=9\r
                Expires: \(date(9))\r
                Content-Location: /b\r

                """)
    }

    @Test func notModifiedNamesTheDateWhereThereIsNoTag() {
        let response = StoredResponse(
            restoring: key("/a"), status: 200, fields: Array("Last-Modified: \(date(0))\r\n".utf8), content: .plain([]),
            receivedAt: noon, lifetime: Lifetime(freshFor: 1), classTag: 0, storefront: [])
        #expect(head(response, .notModified) == "HTTP/1.1 304 Not Modified\r\nLast-Modified: \(date(0))\r\n")
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
