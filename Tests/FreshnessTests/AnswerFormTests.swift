import TestSupport
import Testing

@testable import Freshness

extension ParsedRequest {
    fileprivate func form(of answer: Answer) -> AnswerForm {
        AnswerForm.of(answer, for: head.method, head.fields, bytes.span)
    }
}

@Suite struct AnswerFormTests {
    private func form(_ answer: Answer, _ fields: String..., method: String = "GET") throws -> AnswerForm {
        try ParsedRequest(fields: fields.map { Array($0.utf8) }, method: method).form(of: answer)
    }

    @Test(arguments: [
        ("\"abcdef\"", "\"abcdef\"", true), ("\"abcdef\", \"1234\", \"5678\"", "\"abcdef\"", true),
        ("\"1234\", \"abcdef\", \"5678\"", "\"abcdef\"", true), ("\"1234\",\"5678\",\"abcdef\"", "\"abcdef\"", true),
        ("W/\"abcdef\"", "\"abcdef\"", true), ("\"abcdef\"", "W/\"abcdef\"", true),
        ("W/\"abcdef\"", "W/\"abcdef\"", true), ("*", "\"abcdef\"", true), ("\"a,b\"", "\"a,b\"", true),
        ("\"a\\\", \"b\"", "\"b\"", true),
        // An origin without quotes, or with another weakness, gets back its own spelling.
        ("abcdef", "abcdef", true), ("w/\"abcdef\"", "w/\"abcdef\"", true), ("W\\\"abcdef\"", "W\\\"abcdef\"", true),
        ("\"abcde\"", "\"abcdef\"", false), ("abcdef", "\"abcdef\"", false), ("\"abcdef\"", "abcdef", false),
        ("\"a\", *", "\"b\"", false), ("\"1\", \"2\"", "\"3\"", false), ("w/\"abcdef\"", "W/\"abcdef\"", false),
        ("", "\"a\"", false), ("\"a", "\"a\"", false),
    ])
    func onlyAKnownEntityTagIsAnsweredWith304(condition: String, tag: String, isKnown: Bool) throws {
        for method in ["GET", "HEAD"] {
            let found = try form(Answer(["ETag: \(tag)"]), "If-None-Match: \(condition)", method: method)
            #expect(found == (isKnown ? .notModified : .whole))
        }
    }

    @Test func tagsAreBytesInAnyLineAndMayBeOurOwn() throws {
        let tag: [UInt8] = [0x22, 0x61, 0xFC, 0x22]
        let line = Array("ETag: ".utf8) + tag + Array("\r\n".utf8)
        let response = Answer(lines: line)
        let asked = try ParsedRequest(fields: [Array("If-None-Match: \"x\"".utf8), Array("If-None-Match: ".utf8) + tag])
        #expect(asked.form(of: response) == .notModified)
        var lines: [UInt8] = []
        _ = OwnTag.appendChecksum(1, bodyCount: 10, to: &lines)
        let one = Answer(lines: lines)
        let own = String(decoding: one.head[one.validators.tagValue.range], as: UTF8.self)
        #expect(own.hasPrefix("\"refrain-") && one.validators.isOwnTag)
        #expect(try form(one, "If-None-Match: \(own)") == .notModified)
    }

    @Test(arguments: [
        (Int64(-3000), AnswerForm.notModified), (-2000, .notModified), (0, .notModified), (-3001, .whole),
    ])
    func aDateCountsFromLastModifiedOn(since: Int64, expected: AnswerForm) throws {
        let response = Answer(["Last-Modified: \(date(noon - 3000))", "Date: \(date(noon))"])
        #expect(try form(response, "If-Modified-Since: \(date(noon + since))") == expected)
    }

    @Test func withoutLastModifiedTheAnswersOwnDateCounts() throws {
        let dated = Answer(["Date: \(date(noon - 50))"])
        #expect(try form(dated, "If-Modified-Since: \(date(noon - 50))") == .notModified)
        #expect(try form(dated, "If-Modified-Since: \(date(noon - 51))") == .whole)
        let undated = Answer()
        #expect(try form(undated, "If-Modified-Since: \(date(noon))") == .notModified)
        #expect(try form(undated, "If-Modified-Since: \(date(noon - 1))") == .whole)
        let response = Answer(["Last-Modified: \(date(0))"])
        #expect(try form(response, "If-Modified-Since: yesterday") == .whole)
        let now = "If-Modified-Since: \(date(noon))"
        #expect(try form(response, now, now) == .whole)
    }

    @Test func ifNoneMatchGoesBeforeADateAndARange() throws {
        let response = Answer(["ETag: \"a\"", "Last-Modified: \(date(noon - 5000))"])
        let early = "If-Modified-Since: \(date(noon - 10_000))"
        let late = "If-Modified-Since: \(date(noon))"
        #expect(try form(response, "If-None-Match: \"a\"", early) == .notModified)
        #expect(try form(response, "If-None-Match: \"b\"", late) == .whole)
        #expect(try form(response, "If-None-Match: \"a\"", "Range: bytes=0-0") == .notModified)
        #expect(try form(response, "If-None-Match: \"b\"", "Range: bytes=0-0") == .partial(0..<1))
        #expect(try form(response, "If-None-Match: \"b\"", "Range: bytes=99-") == .unsatisfiable)
    }

    @Test(arguments: [203, 204, 301, 404, 500])
    func onlyA200HasOtherForms(status: Int) throws {
        let response = Answer(["ETag: \"a\""], status: status)
        #expect(try form(response, "If-None-Match: \"a\"", "Range: bytes=0-0") == .whole)
    }

    @Test func onlyGetAndHeadAreConditionalAndGetHasOneRange() throws {
        let response = Answer(["ETag: \"a\""])
        #expect(try form(response, "If-None-Match: \"a\"", method: "POST") == .whole)
        #expect(try form(response, "Range: bytes=0-0", method: "HEAD") == .whole)
        #expect(try form(response, "Range: bytes=0-0") == .partial(0..<1))
        #expect(try form(Answer(), "Range: bytes=0-0", "Range: bytes=0-0") == .whole)
        #expect(try form(Answer(), "If-Match: \"x\"", "If-Unmodified-Since: \(date(0))") == .whole)
    }

    @Test(arguments: [
        ("\"a\"", "\"a\"", true), ("\"b\"", "\"a\"", false), ("W/\"a\"", "\"a\"", false), ("\"a\"", "W/\"a\"", false),
        ("W/\"a\"", "W/\"a\"", false), ("a", "a", false), ("*", "\"a\"", false),
    ])
    func ifRangeComparesStrongly(condition: String, tag: String, isPart: Bool) throws {
        let asked = try ParsedRequest(fields: "Range: bytes=2-4", "If-Range: \(condition)")
        #expect(asked.form(of: Answer(["ETag: \(tag)"])) == (isPart ? .partial(2..<5) : .whole))
    }

    @Test func ifRangeTakesTheVeryDateWhereItIsStrong() throws {
        let old = Answer(["Last-Modified: \(date(noon - 60))", "Date: \(date(noon))"])
        let young = Answer(["Last-Modified: \(date(noon - 59))", "Date: \(date(noon))"])
        #expect(try form(old, "Range: bytes=0-", "If-Range: \(date(noon - 60))") == .partial(0..<10))
        #expect(try form(old, "Range: bytes=0-", "If-Range: \(date(noon))") == .whole)
        #expect(try form(young, "Range: bytes=0-", "If-Range: \(date(noon - 59))") == .whole)
        #expect(try form(Answer(), "Range: bytes=0-", "If-Range: \(date(noon))") == .whole)
    }
}
