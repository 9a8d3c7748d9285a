import HTTP
import Testing

@Suite struct EntityTagTests {
    private func tag(_ bytes: [UInt8]) -> EntityTag? { EntityTag(bytes.span, 0..<bytes.count) }

    private func opaques(_ list: String) -> [String] {
        let bytes = Array(list.utf8)
        var tags = EntityTags(ByteRange(0, bytes.count))
        var found: [String] = []
        while let tag = tags.next(in: bytes.span) {
            found.append((tag.isWeak ? "W/" : "") + String(decoding: bytes[tag.opaque.range], as: UTF8.self))
        }
        return found
    }

    @Test func strongAndWeakTagsAreTold() {
        #expect(tag(Array("\"abc\"".utf8)) == EntityTag(Array("\"abc\"".utf8).span, 0..<5))
        #expect(tag(Array("\"abc\"".utf8))?.isWeak == false)
        #expect(tag(Array("W/\"abc\"".utf8))?.isWeak == true)
        #expect(tag(Array("\"\"".utf8))?.opaque.count == 2)
        #expect(tag([0x22, 0xFC, 0x21, 0x22]) != nil)
    }

    @Test(arguments: [
        "", "abc", "\"abc", "abc\"", "\"", "w/\"abc\"", "W\\\"abc\"", "W\"abc\"", "W/abc", "W/", "\"a\"b\"", "\"a b\"",
        "\"a\" ", "\"a\u{7F}\"", "*",
    ])
    func nothingElseIsATag(text: String) { #expect(tag(Array(text.utf8)) == nil) }

    @Test func aListIsWalkedAndOtherElementsAreSkipped() {
        #expect(opaques("\"a\", W/\"b\" ,\"c,d\"") == ["\"a\"", "W/\"b\"", "\"c,d\""])
        #expect(opaques(", \"a\",, x, \"b\",") == ["\"a\"", "\"b\""])
        #expect(opaques("\"a\\\", \"b\"") == ["\"a\\\"", "\"b\""])
        #expect(opaques("\"open, \"b\"") == [])
        #expect(opaques("").isEmpty)
    }
}
