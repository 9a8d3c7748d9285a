import HTTP
import TestSupport
import Testing

@testable import Freshness

extension ParsedRequest {
    fileprivate func form(of answer: Answer) -> AnswerForm {
        AnswerForm.of(answer, for: head.method, head.fields, bytes.span)
    }
}

@Suite struct AnswerFormTests {
    @Test func aRequestWithoutConditionsGetsAll() throws {
        #expect(
            try ParsedRequest(fields: "If-Match: \"x\"", "If-Unmodified-Since: \(date(0))").form(of: Answer()) == .whole
        )
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
            let asked = try ParsedRequest(fields: "If-None-Match: \(condition)", method: method)
            #expect(asked.form(of: Answer(["ETag: \(tag)"])) == .notModified)
        }
    }

    @Test(arguments: [
        ("\"abcde\"", "\"abcdef\""), ("abcdef", "\"abcdef\""), ("\"abcdef\"", "abcdef"), ("\"a\", *", "\"b\""),
        ("\"1\", \"2\"", "\"3\""), ("w/\"abcdef\"", "W/\"abcdef\""), ("", "\"a\""), ("\"a", "\"a\""),
    ])
    func anUnknownOneGetsAll(condition: String, tag: String) throws {
        #expect(try ParsedRequest(fields: "If-None-Match: \(condition)").form(of: Answer(["ETag: \(tag)"])) == .whole)
    }

    @Test func tagsAreBytesAndMayStandInSeveralLines() throws {
        let tag: [UInt8] = [0x22, 0x61, 0xFC, 0x22]
        let line = Array("ETag: ".utf8) + tag + Array("\r\n".utf8)
        let response = Answer(lines: line)
        let asked = try ParsedRequest(fields: [Array("If-None-Match: \"x\"".utf8), Array("If-None-Match: ".utf8) + tag])
        #expect(asked.form(of: response) == .notModified)
    }

    @Test func aTagOfTheCachesOwnIsHonoured() throws {
        var lines: [UInt8] = []
        _ = OwnTag.appendChecksum(1, bodyCount: 10, to: &lines)
        let one = Answer(lines: lines)
        let tag = String(decoding: one.head[one.validators.tagValue.range], as: UTF8.self)
        #expect(tag.hasPrefix("\"refrain-") && one.validators.isOwnTag)
        #expect(try ParsedRequest(fields: "If-None-Match: \(tag)").form(of: one) == .notModified)
    }

    @Test(arguments: [
        (Int64(-3000), AnswerForm.notModified), (-2000, .notModified), (0, .notModified), (-3001, .whole),
    ])
    func aDateCountsFromLastModifiedOn(since: Int64, expected: AnswerForm) throws {
        let response = Answer(["Last-Modified: \(date(noon - 3000))", "Date: \(date(noon))"])
        #expect(try ParsedRequest(fields: "If-Modified-Since: \(date(noon + since))").form(of: response) == expected)
    }

    @Test func aDateInAnObsoleteFormatCounts() throws {
        let response = Answer(["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"])
        #expect(
            try ParsedRequest(fields: "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT").form(of: response)
                == .notModified)
    }

    @Test func withoutLastModifiedTheAnswersOwnDateCounts() throws {
        let dated = Answer(["Date: \(date(noon - 50))"])
        #expect(try ParsedRequest(fields: "If-Modified-Since: \(date(noon - 50))").form(of: dated) == .notModified)
        #expect(try ParsedRequest(fields: "If-Modified-Since: \(date(noon - 51))").form(of: dated) == .whole)
        let undated = Answer()
        #expect(try ParsedRequest(fields: "If-Modified-Since: \(date(noon))").form(of: undated) == .notModified)
        #expect(try ParsedRequest(fields: "If-Modified-Since: \(date(noon - 1))").form(of: undated) == .whole)
    }

    @Test func ifNoneMatchGoesBeforeIfModifiedSince() throws {
        let response = Answer(["ETag: \"a\"", "Last-Modified: \(date(noon - 5000))"])
        let early = "If-Modified-Since: \(date(noon - 10_000))"
        let late = "If-Modified-Since: \(date(noon))"
        #expect(try ParsedRequest(fields: "If-None-Match: \"a\"", early).form(of: response) == .notModified)
        #expect(try ParsedRequest(fields: "If-None-Match: \"b\"", late).form(of: response) == .whole)
    }

    @Test func aDateThatIsNoneOrComesTwiceIsIgnored() throws {
        let response = Answer(["Last-Modified: \(date(0))"])
        #expect(try ParsedRequest(fields: "If-Modified-Since: yesterday").form(of: response) == .whole)
        let now = "If-Modified-Since: \(date(noon))"
        #expect(try ParsedRequest(fields: now, now).form(of: response) == .whole)
    }

    @Test(arguments: [203, 204, 301, 404, 500])
    func onlyA200HasOtherForms(status: Int) throws {
        let response = Answer(["ETag: \"a\""], status: status)
        #expect(try ParsedRequest(fields: "If-None-Match: \"a\"", "Range: bytes=0-0").form(of: response) == .whole)
    }

    @Test func onlyGetAndHeadAreConditionalAndOnlyGetHasRanges() throws {
        let response = Answer(["ETag: \"a\""])
        #expect(try ParsedRequest(fields: "If-None-Match: \"a\"", method: "POST").form(of: response) == .whole)
        #expect(try ParsedRequest(fields: "Range: bytes=0-0", method: "HEAD").form(of: response) == .whole)
        #expect(try ParsedRequest(fields: "Range: bytes=0-0").form(of: response) == .partial(0..<1))
    }

    @Test func aConditionGoesBeforeARange() throws {
        let response = Answer(["ETag: \"a\""])
        #expect(
            try ParsedRequest(fields: "If-None-Match: \"a\"", "Range: bytes=0-0").form(of: response) == .notModified)
        #expect(
            try ParsedRequest(fields: "If-None-Match: \"b\"", "Range: bytes=0-0").form(of: response) == .partial(0..<1))
        #expect(
            try ParsedRequest(fields: "If-None-Match: \"b\"", "Range: bytes=99-").form(of: response) == .unsatisfiable)
    }

    @Test func rangesInTwoLinesAreIgnored() throws {
        #expect(try ParsedRequest(fields: "Range: bytes=0-0", "Range: bytes=0-0").form(of: Answer()) == .whole)
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
        #expect(
            try ParsedRequest(fields: "Range: bytes=0-", "If-Range: \(date(noon - 60))").form(of: old)
                == .partial(0..<10))
        #expect(try ParsedRequest(fields: "Range: bytes=0-", "If-Range: \(date(noon))").form(of: old) == .whole)
        #expect(try ParsedRequest(fields: "Range: bytes=0-", "If-Range: \(date(noon - 59))").form(of: young) == .whole)
        #expect(try ParsedRequest(fields: "Range: bytes=0-", "If-Range: \(date(noon))").form(of: Answer()) == .whole)
    }
}
