import Testing
import Text

@testable import AppleMusic

private func numbers(_ text: String) -> [UInt64] { DocumentScan(Array(text.utf8).span).mentions }

private func named(_ pairs: (String, String)...) -> [UInt64] {
    pairs.map { ResourceMention.number(type: $0.0, id: $0.1) }.sorted()
}

/// The numbers of the resources in a parsed value: the slow way.
func numbers(namedBy value: JSON) -> [UInt64] {
    var found: Set<UInt64> = []
    func visit(_ value: JSON) {
        switch value {
        case .array(let elements): for element in elements { visit(element) }
        case .object(let object):
            if let type = object["type"]?.stringValue, let id = object["id"]?.stringValue {
                found.insert(ResourceMention.number(type: type, id: id))
            }
            for member in object.members { visit(member.value) }
        default: break
        }
    }
    visit(value)
    return found.count > ResourceMention.maxCount ? [ResourceMention.everything] : found.sorted()
}

@Suite struct ResourceMentionTests {
    /// On disk: these must not change between versions. The published vectors of FNV-1a.
    @Test func theHashIsFNV1a() {
        func hash(_ text: String) -> UInt64 {
            var hash = FNV1a()
            for byte in text.utf8 { hash.combine(byte) }
            return hash.value
        }
        #expect(hash("") == 0xCBF2_9CE4_8422_2325)
        #expect(hash("a") == 0xAF63_DC4C_8601_EC8C)
        #expect(hash("foobar") == 0x8594_4171_F739_67E8)
        #expect(ResourceMention.number(type: "ab", id: "c") != ResourceMention.number(type: "a", id: "bc"))
    }

    @Test func resourcesAreFoundWhereverTheyStandAndInAnyOrderOfMembers() {
        let text = #"""
            {"data":[{"id":"1","type":"albums","attributes":{"name":"x","artwork":{"type":"none"}},
              "relationships":{"artists":{"data":[{"type":"artists","href":"/","id":"2"}]}}}],
             "included":[{"attributes":{"id":"9"},"type":"songs","id":"3"}],
             "results":{"songs":{"data":[{"id":"3","type":"songs"},{"id":4,"type":"songs"},{"id":"5"}]}}}
            """#
        #expect(numbers(text) == named(("albums", "1"), ("artists", "2"), ("songs", "3")))
        #expect(numbers(#"[{"id":"1","type":"a"}]"#) == named(("a", "1")))
    }

    @Test(
        arguments: [
            // The last of several members with one key counts.
            (#"{"id":"1","type":"a","id":"2"}"#, ("a", "2")), (#"{"id":"1","type":"a","id":2}"#, nil),
            (#"{"id":"1","type":"a","id":{"id":"2","type":"b"}}"#, ("b", "2")),
            (#"{"id":"1","type":"a","id":null,"id":"3"}"#, ("a", "3")),
            // Escapes are decoded in keys and values.
            (#"{"\u0069d":"\u0031","t\u0079pe":"so\u006Egs"}"#, ("songs", "1")),
            (#"{"id":"\"\\\/\b\f\n\r\té\ud83c\udfb5","type":"a"}"#, ("a", "\"\\/\u{8}\u{C}\n\r\té🎵")),
            (#"{"id":"\ud83cx\udfb5","type":"a"}"#, ("a", "\u{FFFD}x\u{FFFD}")),
            (#"{"attributes":"\"id\":\"1\",\"type\":\"a\""}"#, nil),
        ] as [(String, (String, String)?)])
    func theLastOfEqualMembersCountsAndEscapesAreDecoded(text: String, name: (String, String)?) {
        #expect(numbers(text) == (name.map { named($0) } ?? []))
    }

    @Test(arguments: ["", " ", "<html>", "\"id\"", "12", "null", "\u{1F}\u{8B}", "plain text with {\"id\":\"1\"}"])
    func anythingButAJSONObjectOrArrayNamesNothing(text: String) { #expect(numbers(text).isEmpty) }

    @Test(arguments: [
        "{", "[", "{]", "[}", "[1,]", "{,}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, "[1 2]", "[01]", "[1.]", "[-]",
        "[tru]", "[nul", "[\"\u{1}\"]", "[\"xxxxxxxxxxxx\nxxxxxxxxxxxxxxx\"]", "{\"\u{0}\":1}",
        #"["\x"]"#, #"["\u12g4"]"#, #"["\u12"#, "[] []", "[]x", "[+1]", "[1e]", "[NaN]",
    ])
    func textThatBeginsLikeJSONMayNameEverything(text: String) {
        #expect(numbers(text) == [ResourceMention.everything])
    }

    @Test func asManyAsMayBeKeptAreListedAndOneMoreMayNameEverything() {
        func document(_ ids: Range<Int>) -> String {
            "[" + ids.map { #"{"id":"\#($0)","type":"songs"}"# }.joined(separator: ",") + "]"
        }
        let most = numbers(document(0..<4_096))
        #expect(most.count == 4_096 && most == most.sorted())
        #expect(numbers(document(0..<4_097)) == [ResourceMention.everything])
        #expect(numbers(document(0..<9_000)) == [ResourceMention.everything])
        let again = (0..<5).map { _ in document(0..<3_000) }.joined(separator: ",")
        #expect(numbers("[\(again)]").count == 3_000)
    }
}
