import Testing
import Text

@testable import Simulator

@Suite struct JSONBytesTests {
    @Test func writesWhatAParserReads() throws {
        let text = "quote \" backslash \\ line\n tab\t bell\u{7} slash / ü 🎸 星"
        var json = JSONBytes()
        json.beginObject()
        json.member("text", text)
        json.member("numbers", [0, 7, 10, -1, 1_400_000_000, .max, .min])
        json.member("flag", true)
        json.beginObject("empty")
        json.endObject()
        json.endObject()
        let value = try JSON.parse(json.bytes)
        #expect(value["text"]?.stringValue == text)
        let numbers = value["numbers"]?.arrayValue?.compactMap(\.intValue)
        #expect(numbers == [0, 7, 10, -1, 1_400_000_000, .max, .min])
        #expect(value.keys == ["text", "numbers", "flag", "empty"])
    }

    @Test func slugsAreNeverEmpty() {
        for (name, slug) in [("Say \"Hello\"", "say-hello"), ("夜", "x"), ("--", "x"), ("A & B", "a-b"), ("Ü 1 ", "1")] {
            var bytes: [UInt8] = []
            bytes.appendSlug(name)
            #expect(String(decoding: bytes, as: UTF8.self) == slug)
        }
    }
}
