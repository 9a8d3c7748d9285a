import TestSupport
import Testing

@testable import Text

@Suite struct JSONDifferenceTests {
    private func difference(_ expected: String, _ found: String) -> JSONDifference? {
        JSONDifference.first(expected: Array(expected.utf8), found: Array(found.utf8))
    }

    @Test(arguments: [
        (#"{"a":1,"b":[2,"c"]}"#, #" { "b" : [2, "\u0063"], "a" : 1 } "#), ("[]", "[]"), ("nonsense", "nonsense"),
        (#"{"a":1,"a":2}"#, #"{"a":2}"#), ("\u{FEFF}[1]", "[ 1]"),
        (#"{"a":1,"b":[{"c":"é","d":null}]}"#, #" { "b" : [ {"d":null,"c":"\u00e9"} ], "a":1 } "#),
    ])
    func equalValuesDoNotDiffer(expected: String, found: String) {
        #expect(difference(expected, found) == nil)
    }

    static let cases: [(expected: String, found: String, path: String, left: String, right: String)] = [
        ("1", "2", "$", "1", "2"), ("[1,2]", "[2,1]", "$[0]", "1", "2"), ("{}", "[]", "$", "{}", "[]"),
        ("1", "1.0", "$", "1", "1.0"), ("null", "false", "$", "null", "false"),
        (
            #"{"data":[{"attributes":{"name":"A"}}]}"#, #"{"data":[{"attributes":{"name":"B"}}]}"#,
            "$.data[0].attributes.name", #""A""#, #""B""#
        ),
        (#"{"a":1,"b":2}"#, #"{"b":2}"#, "$.a", "1", "no such member"),
        (#"{"a":1}"#, #"{"a":1,"b":[2]}"#, "$.b", "no such member", "[2]"),
        (#"{"a":[1,2]}"#, #"{"a":[1]}"#, "$.a", "2 elements", "1 element"),
        (#"{"a":[1,2]}"#, #"{"a":{"x":1}}"#, "$.a", "[1,2]", #"{"x":1}"#),
        (#"{"odd name":1}"#, #"{"odd name":2}"#, #"$["odd name"]"#, "1", "2"),
        (#"{"1":1}"#, #"{"1":2}"#, #"$["1"]"#, "1", "2"), (#"{"":1}"#, #"{"":2}"#, #"$[""]"#, "1", "2"),
        (#"{"a":1,"a":2}"#, #"{"a":1}"#, "$.a", "2", "1"),
        ("[[1,[2,3]],4]", "[[1,[2,5]],6]", "$[0][1][1]", "3", "5"),
        ("abcdef", "abcxyz!", "content", "6 bytes", "7 bytes, the same up to byte 3"),
        ("{}", "", "content", "2 bytes", "0 bytes, the same up to byte 0"),
    ]

    @Test(arguments: cases.indices)
    func theFirstDifferingPathIsNamed(index: Int) {
        let (expected, found, path, left, right) = Self.cases[index]
        #expect(difference(expected, found) == JSONDifference(path: path, expected: left, found: right))
    }

    @Test func twoSpellingsOfOneCharacterAreTwoStringsAndTwoNames() {
        #expect(difference(#"["\u00e9"]"#, #"["e\u0301"]"#)?.path == "$[0]")
        #expect(difference(#"{"\u00e9":1}"#, #"{"e\u0301":1}"#)?.found == "no such member")
    }

    @Test func longValuesAreShortenedTo80Characters() {
        let found = difference(
            "\"" + String(repeating: "x", count: 500) + "\"", "[" + String(repeating: "1,", count: 99) + "1]")
        #expect(found?.expected.count == 80 && found?.expected.hasSuffix("…") == true && found?.found.count == 80)
    }

    @Test func theDeepestThatParsesIsCompared() {
        let depth = JSON.maxDepth
        let (open, close) = (String(repeating: "[", count: depth), String(repeating: "]", count: depth))
        #expect(difference(open + "1" + close, open + "2" + close)?.path.hasSuffix("[0]") == true)
        #expect(difference(open + "[1]" + close, open + "[2]" + close)?.path == "content")
    }

    /// The same question, answered without a place.
    private func isSame(_ one: JSON, _ other: JSON) -> Bool {
        switch (one, other) {
        case (.array(let mine), .array(let theirs)):
            return mine.count == theirs.count && zip(mine, theirs).allSatisfy(isSame)
        case (.object(let mine), .object(let theirs)):
            let (mine, theirs) = (mine.lastByKey, theirs.lastByKey)
            return mine.count == theirs.count
                && mine.allSatisfy { key, value in theirs[key].map { isSame(value, $0) } ?? false }
        case (.string(let mine), .string(let theirs)): return mine.utf8.elementsEqual(theirs.utf8)
        default: return one == other
        }
    }

    /// A small one of few words, so that many pairs are equal.
    private func value(_ generator: inout SeededGenerator) -> JSON {
        .random(&generator, depth: 3, most: 3) { ["", "a", "é", "e\u{301}"].randomElement(using: &$0)! }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func itIsFoundExactlyWhereTheTwoAreNotTheSame(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let (left, right) = (value(&generator), value(&generator))
            for (one, other) in [(left, right), (left, left)] {
                let differs = JSONDifference.first(expected: one.bytes, found: other.bytes) != nil
                #expect(differs != isSame(one, other), "seed \(seed): \(one) and \(other)")
            }
        }
    }

    /// A name that looks like one was taken over however long it was, and a path had as many of
    /// them as it liked.
    @Test func longNamesAndPathsAreShortened() throws {
        let name = String(repeating: "x", count: 100_000)
        let one = try #require(difference("{\"\(name)\":1}", "{\"\(name)\":2}"))
        #expect(one.path == "$[\"\(String(repeating: "x", count: 79))…\"]")
        let step = "{\"" + String(repeating: "y", count: 70) + "\":"
        let (open, close) = (String(repeating: step, count: 20), String(repeating: "}", count: 20))
        let many = try #require(difference(open + "1" + close, open + "2" + close))
        #expect(many.path.count == 400 && many.path.hasPrefix("$…") && many.path.hasSuffix("yyy"))
    }
}
