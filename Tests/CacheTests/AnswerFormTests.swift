import Testing

@testable import Cache
@testable import HTTP

/// A request's head with its bytes; lines as they come, so that bytes outside of ASCII can be among
/// them.
struct Asked {
    let head: RequestHead
    let bytes: [UInt8]

    init(_ lines: [[UInt8]], method: String = "GET") throws {
        let all = [Array("\(method) /a HTTP/1.1".utf8), Array("Host: a".utf8)] + lines + [[], []]
        let bytes = Array(all.joined(separator: Array("\r\n".utf8)))
        let head = RequestHead()
        var parser = HeadParser(limits: .request)
        let isWhole = try parser.parse(bytes.span, into: head)
        #expect(isWhole)
        (self.head, self.bytes) = (head, bytes)
    }

    init(_ lines: String..., method: String = "GET") throws {
        try self.init(lines.map { Array($0.utf8) }, method: method)
    }

    func form(of stored: StoredResponse) -> AnswerForm {
        AnswerForm.of(stored, for: head.method, head.fields, bytes.span)
    }
}

func date(_ seconds: Int64) -> String {
    var buffer = ByteBuffer(capacity: 40)
    HTTPDate.append(seconds, to: &buffer)
    return String(decoding: buffer.copyReadable(), as: UTF8.self)
}

func stored(
    _ fields: [String], status: Int = 200, body: String = "0123456789", keeping: FieldRetention = .complete,
    lifetime: Lifetime = Lifetime(freshFor: 100), resources: [UInt64] = []
) -> StoredResponse {
    StoredResponse(
        key: key("/a"), status: status, fields: Array(fields.map { $0 + "\r\n" }.joined().utf8), keeping: keeping,
        body: Array(body.utf8), receivedAt: noon, lifetime: lifetime, classTag: 0, storefront: [], resources: resources)
}

@Suite struct AnswerFormTests {
    @Test func aRequestWithoutConditionsGetsAll() throws {
        #expect(try Asked("If-Match: \"x\"", "If-Unmodified-Since: \(date(0))").form(of: stored([])) == .whole)
    }

    @Test(arguments: [
        ("\"abcdef\"", "\"abcdef\""), ("\"abcdef\", \"1234\", \"5678\"", "\"abcdef\""),
        ("\"1234\", \"abcdef\", \"5678\"", "\"abcdef\""), ("\"1234\",\"5678\",\"abcdef\"", "\"abcdef\""),
        ("W/\"abcdef\"", "\"abcdef\""), ("\"abcdef\"", "W/\"abcdef\""), ("W/\"abcdef\"", "W/\"abcdef\""),
        ("*", "\"abcdef\""), ("\"a,b\"", "\"a,b\""), ("\"a\\\", \"b\"", "\"b\""),
        // An origin that leaves the quotes out, or spells the weakness wrong, gets back what it
        // wrote.
        ("abcdef", "abcdef"), ("w/\"abcdef\"", "w/\"abcdef\""), ("W\\\"abcdef\"", "W\\\"abcdef\""),
    ])
    func aKnownEntityTagIsAnsweredWith304(condition: String, tag: String) throws {
        for method in ["GET", "HEAD"] {
            let asked = try Asked("If-None-Match: \(condition)", method: method)
            #expect(asked.form(of: stored(["ETag: \(tag)"])) == .notModified)
        }
    }

    @Test(arguments: [
        ("\"abcde\"", "\"abcdef\""), ("abcdef", "\"abcdef\""), ("\"abcdef\"", "abcdef"), ("\"a\", *", "\"b\""),
        ("\"1\", \"2\"", "\"3\""), ("w/\"abcdef\"", "W/\"abcdef\""), ("", "\"a\""), ("\"a", "\"a\""),
    ])
    func anUnknownOneGetsAll(condition: String, tag: String) throws {
        #expect(try Asked("If-None-Match: \(condition)").form(of: stored(["ETag: \(tag)"])) == .whole)
    }

    @Test func tagsAreBytesAndMayStandInSeveralLines() throws {
        let tag: [UInt8] = [0x22, 0x61, 0xFC, 0x22]
        let line = Array("ETag: ".utf8) + tag + Array("\r\n".utf8)
        let response = StoredResponse(
            key: key("/a"), status: 200, fields: line, body: [], receivedAt: noon, lifetime: Lifetime(freshFor: 1),
            classTag: 0, storefront: [])
        let asked = try Asked([Array("If-None-Match: \"x\"".utf8), Array("If-None-Match: ".utf8) + tag])
        #expect(asked.form(of: response) == .notModified)
    }

    @Test func aTagOfTheCachesOwnIsHonoured() throws {
        let one = stored([])
        let tag = String(decoding: one.head[one.validators.tagValue.range], as: UTF8.self)
        #expect(tag.hasPrefix("\"refrain-"))
        #expect(try Asked("If-None-Match: \(tag)").form(of: one) == .notModified)
    }

    @Test(arguments: [
        (Int64(-3000), AnswerForm.notModified), (-2000, .notModified), (0, .notModified), (-3001, .whole),
    ])
    func aDateCountsFromLastModifiedOn(since: Int64, expected: AnswerForm) throws {
        let response = stored(["Last-Modified: \(date(noon - 3000))", "Date: \(date(noon))"])
        #expect(try Asked("If-Modified-Since: \(date(noon + since))").form(of: response) == expected)
    }

    @Test func aDateInAnObsoleteFormatCounts() throws {
        let response = stored(["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(
            try Asked("If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT").form(of: response) == .notModified)
    }

    @Test func withoutLastModifiedTheAnswersOwnDateCounts() throws {
        let dated = stored(["Date: \(date(noon - 50))"])
        #expect(try Asked("If-Modified-Since: \(date(noon - 50))").form(of: dated) == .notModified)
        #expect(try Asked("If-Modified-Since: \(date(noon - 51))").form(of: dated) == .whole)
        let undated = stored([], keeping: .impersonal)
        #expect(try Asked("If-Modified-Since: \(date(noon))").form(of: undated) == .notModified)
        #expect(try Asked("If-Modified-Since: \(date(noon - 1))").form(of: undated) == .whole)
    }

    @Test func ifNoneMatchGoesBeforeIfModifiedSince() throws {
        let response = stored(["ETag: \"a\"", "Last-Modified: \(date(noon - 5000))"])
        let early = "If-Modified-Since: \(date(noon - 10_000))"
        let late = "If-Modified-Since: \(date(noon))"
        #expect(try Asked("If-None-Match: \"a\"", early).form(of: response) == .notModified)
        #expect(try Asked("If-None-Match: \"b\"", late).form(of: response) == .whole)
    }

    @Test func aDateThatIsNoneOrComesTwiceIsIgnored() throws {
        let response = stored(["Last-Modified: \(date(0))"])
        #expect(try Asked("If-Modified-Since: yesterday").form(of: response) == .whole)
        let now = "If-Modified-Since: \(date(noon))"
        #expect(try Asked(now, now).form(of: response) == .whole)
    }

    @Test(arguments: [203, 204, 301, 404, 500])
    func onlyA200HasOtherForms(status: Int) throws {
        let response = stored(["ETag: \"a\""], status: status)
        #expect(try Asked("If-None-Match: \"a\"", "Range: bytes=0-0").form(of: response) == .whole)
    }

    @Test func onlyGetAndHeadAreConditionalAndOnlyGetHasRanges() throws {
        let response = stored(["ETag: \"a\""])
        #expect(try Asked("If-None-Match: \"a\"", method: "POST").form(of: response) == .whole)
        #expect(try Asked("Range: bytes=0-0", method: "HEAD").form(of: response) == .whole)
        #expect(try Asked("Range: bytes=0-0").form(of: response) == .partial(0..<1))
    }

    @Test func aConditionGoesBeforeARange() throws {
        let response = stored(["ETag: \"a\""])
        #expect(try Asked("If-None-Match: \"a\"", "Range: bytes=0-0").form(of: response) == .notModified)
        #expect(try Asked("If-None-Match: \"b\"", "Range: bytes=0-0").form(of: response) == .partial(0..<1))
        #expect(try Asked("If-None-Match: \"b\"", "Range: bytes=99-").form(of: response) == .unsatisfiable)
    }

    @Test func rangesInTwoLinesAreIgnored() throws {
        #expect(try Asked("Range: bytes=0-0", "Range: bytes=0-0").form(of: stored([])) == .whole)
    }

    @Test(arguments: [
        ("\"a\"", "\"a\"", true), ("\"b\"", "\"a\"", false), ("W/\"a\"", "\"a\"", false), ("\"a\"", "W/\"a\"", false),
        ("W/\"a\"", "W/\"a\"", false), ("a", "a", false), ("*", "\"a\"", false),
    ])
    func ifRangeComparesStrongly(condition: String, tag: String, isPart: Bool) throws {
        let asked = try Asked("Range: bytes=2-4", "If-Range: \(condition)")
        #expect(asked.form(of: stored(["ETag: \(tag)"])) == (isPart ? .partial(2..<5) : .whole))
    }

    @Test func ifRangeTakesTheVeryDateWhereItIsStrong() throws {
        let old = stored(["Last-Modified: \(date(noon - 60))", "Date: \(date(noon))"])
        let young = stored(["Last-Modified: \(date(noon - 59))", "Date: \(date(noon))"])
        #expect(try Asked("Range: bytes=0-", "If-Range: \(date(noon - 60))").form(of: old) == .partial(0..<10))
        #expect(try Asked("Range: bytes=0-", "If-Range: \(date(noon))").form(of: old) == .whole)
        #expect(try Asked("Range: bytes=0-", "If-Range: \(date(noon - 59))").form(of: young) == .whole)
        #expect(try Asked("Range: bytes=0-", "If-Range: \(date(noon))").form(of: stored([])) == .whole)
    }
}

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
