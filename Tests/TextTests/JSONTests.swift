import Foundation
import TestSupport
import Testing

@testable import Text

private func parse(_ text: String) throws(JSONError) -> JSON { try JSON.parse(Array(text.utf8)) }

private func reason(_ bytes: [UInt8]) -> JSONError.Reason? {
    thrown { () throws(JSONError) in try JSON.parse(bytes) }?.reason
}

private func reason(_ text: String) -> JSONError.Reason? { reason(Array(text.utf8)) }

@Suite struct JSONTests {
    @Test func membersKeepTheirOrderAndNumbersTheirSpelling() throws {
        let text = #"{"b":1.50,"a":[-0,1E+400,1e-7,123456789012345678901234567890],"c":{"":null},"d":true,"e":false}"#
        #expect(try parse(text).description == text)
    }

    @Test func whiteSpaceIsAllowedBetweenTokensAndNowhereElse() throws {
        #expect(
            try parse(" \t\r\n{ \"a\" : [ 1 , 2 ] , \"b\" : { } , \"c\" : [ ] }\n") == [
                "a": [1, 2], "b": [:], "c": [],
            ])
        #expect(reason("tr ue") == .unexpectedByte)
        #expect(reason("1 2") == .trailingContent)
        #expect(reason("\u{0C}1") == .unexpectedByte)
        #expect(reason("\u{FEFF}1") == .unexpectedByte)
    }

    @Test func ofTwoMembersWithOneKeyBothAreKeptAndTheLastIsMeant() throws {
        let value = try parse(#"{"a":1,"b":2,"a":3}"#)
        #expect(value["a"] == 3)
        #expect(value.description == #"{"a":1,"b":2,"a":3}"#)
        #expect(JSONDifference.first(expected: value, found: ["b": 2, "a": 3]) == nil)
    }

    @Test func keysThatOnlyLookTheSameAreDifferent() throws {
        let value = try parse(#"{"\u00e9":1,"e\u0301":2}"#)
        #expect(value["\u{E9}"] == 1)
        #expect(value["e\u{301}"] == 2)
    }

    @Test func escapesAreDecodedAndPairsOfSurrogatesJoined() throws {
        let value = try parse(#""\"\\\/\b\f\n\r\t\u0000\u00e9\u20AC\uD83C\uDfB5é€🎵""#)
        #expect(value.stringValue == "\"\\/\u{08}\u{0C}\n\r\t\0é€🎵é€🎵")
        #expect(value.description == "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0000é€🎵é€🎵\"")
        #expect(try parse(#"{"\u0061":1}"#)["a"] == 1)
    }

    @Test func halfASurrogatePairAndUnknownEscapesAreRefused() {
        for text in [#"\ud800"#, #"\ud800x"#, #"\ud800\n"#, #"\ud800\ud800"#, #"\udc00"#, #"\ud83c\u0041"#] {
            #expect(reason("\"\(text)\"") == .loneSurrogate, "\(text)")
        }
        for text in [#"\x"#, #"\u12g4"#, #"\U0041"#, #"\'"#] { #expect(reason("\"\(text)\"") == .badEscape, "\(text)") }
    }

    @Test(arguments: [
        [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
        [0xE2, 0x82], [0xF8, 0x88, 0x80, 0x80, 0x80],
    ])
    func stringsThatAreNotUTF8AreRefusedWithOrWithoutEscapes(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(reason([quote] + bytes + [quote]) == .invalidUTF8)
        #expect(reason([quote] + Array(#"\n"#.utf8) + bytes + [quote]) == .invalidUTF8)
        #expect(reason([UInt8(ascii: "{"), quote] + bytes + Array(#"":1}"#.utf8)) == .invalidUTF8)
    }

    @Test func controlCharactersInStringsMustBeEscaped() {
        for byte in UInt8(0)..<0x20 {
            #expect(reason([UInt8(ascii: "\""), byte, UInt8(ascii: "\"")]) == .controlCharacter)
        }
        #expect(reason("\"\u{7F}\"") == nil)
    }

    @Test(arguments: ["01", "1.", ".5", "-", "+1", "1e", "1e+", "--1", "0x10", "1.e3", "-01", "NaN", "Infinity"])
    func malformedNumbersAreRefused(text: String) {
        #expect(reason(text) != nil)
        #expect(reason("[\(text)]") != nil)
    }

    @Test(arguments: [
        "[1,]", "{,}", #"{"a":1,}"#, #"{"a" 1}"#, "{a:1}", "[1 2]", "{]", "[}", "'a'", "//\n1", "]", "True", "nul1",
        #"{1:2}"#,
    ])
    func textThatOtherParsersLetPassIsRefused(text: String) { #expect(reason(text) == .unexpectedByte) }

    @Test func everyCutOfATextIsTruncatedAndSaysSo() {
        let text = Array(#"{"a":[1,true,null,"x\u00e9\ud83c\udfb5"],"b":{"c":-1.5}}"#.utf8)
        for count in 0..<text.count {
            #expect(reason(Array(text[..<count])) == .truncated, "cut at \(count)")
        }
        #expect(reason(text) == nil)
    }

    @Test func depth128IsAcceptedAnd129RefusedHoweverLongTheText() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(reason(nested(128)) == nil)
        #expect(reason(nested(129)) == .tooDeep)
        #expect(reason(String(repeating: "[", count: 1_000_000)) == .tooDeep)
        #expect(reason(String(repeating: #"{"a":"#, count: 129)) == .tooDeep)
        #expect(reason("[" + String(repeating: "[],", count: 1000) + "[]]") == nil)
    }

    @Test func anErrorSaysWhere() {
        #expect(throws: JSONError(reason: .unexpectedByte, offset: 4)) { try parse("[1, ,2]") }
        #expect("\(JSONError(reason: .tooDeep, offset: 3))" == "not JSON: nested too deeply, at byte 3")
    }

    @Test func literalsAndSubscriptsBuildDocuments() {
        let value: JSON = ["data": [["id": "1", "n": 5, "ok": true, "none": .null]]]
        #expect(value.description == #"{"data":[{"id":"1","n":5,"ok":true,"none":null}]}"#)
        #expect(value["data"]?[0]?["id"]?.stringValue == "1")
        #expect(value["data"]?[1] == nil)
        #expect(value["data"]?[0]?["n"]?.intValue == 5)
        #expect(JSON.number("1.5").intValue == nil)
        #expect(value.objectValue?.keys == ["data"] && JSON.string("x")["a"] == nil)
    }

    @Test(arguments: UInt64(1)...200)
    func writtenValuesAreReadBack(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let value = JSON.random(&random, depth: 6, most: 5, text: randomString)
        #expect(try JSON.parse(value.bytes) == value, "seed \(seed)")
    }

    @Test(arguments: UInt64(1)...200)
    func aTextWithDamagedBytesGivesAValueOrAnErrorAndNeverATrap(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = JSON.random(&random, depth: 6, most: 5, text: randomString).bytes
        for _ in 0..<4 { bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random) }
        if let value = try? JSON.parse(bytes) { #expect((try? JSON.parse(value.bytes)) == value, "seed \(seed)") }
    }

    @Test(.requires(.sharedMaterial))
    func recordedAnswersMeanTheSameAfterBeingWrittenAgain() throws {
        var count = 0
        for (name, bytes) in try SharedMaterial.recordedAnswers() {
            let expected = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
            guard let expected else { continue }
            let value = try JSON.parse(bytes)
            let again = try #require(JSONSerialization.jsonObject(with: Data(value.bytes)) as? [String: Any])
            #expect(NSDictionary(dictionary: expected).isEqual(to: again), "\(name)")
            count += 1
        }
        #expect(count > 100)
    }

    private func randomString(_ random: inout SeededGenerator) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<8, using: &random) {
            let range: ClosedRange<UInt32> = .random(using: &random) ? 0...0x7F : 0...0x10FFFF
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension JSON {
    /// A value at most `depth` deep, with up to `most` values in each array and object.
    static func random(
        _ random: inout SeededGenerator, depth: Int, most: Int, text: (inout SeededGenerator) -> String
    ) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .number(["0", "1", "1.0", "-0.0E-12"].randomElement(using: &random)!)
        case 3: return .string(text(&random))
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0...most, using: &random) {
                object.append(text(&random), .random(&random, depth: depth - 1, most: most, text: text))
            }
            return Bool.random(using: &random) ? .object(object) : .array(object.members.map(\.value))
        }
    }
}
