import HTTP
import TestSupport
import Testing

@testable import Freshness

@Suite struct VariantSignpostTests {
    private func signpost(_ names: String) -> VariantSignpost {
        VariantSignpost(names: Array(names.utf8), generation: 0x0123_4567_89AB_CDEF)
    }

    private func variant(_ names: String, _ lines: [String]) throws -> [UInt8] {
        let forwarded = Array(lines.map { $0 + "\r\n" }.joined().utf8)
        let variant = signpost(names).variant(of: forwarded.span)
        return try #require(variant)
    }

    @Test func whatIsWrittenIsReadAgain() {
        let one = signpost("accept-language,foo")
        #expect(String(decoding: one.selecting, as: UTF8.self) == "0123456789abcdef accept-language,foo")
        #expect(VariantSignpost(one.selecting) == one)
        #expect(VariantSignpost(one.selecting + Array(" de=A,en=B".utf8)) == one, "as earlier versions wrote it")
        #expect(VariantSignpost(names: one.names).selecting != VariantSignpost(names: one.names).selecting)
        for text in ["", "0123456789abcdef", "0123456789abcdef ", "0123456789abcdefxfoo"] {
            #expect(VariantSignpost(Array(text.utf8)) == nil)
        }
    }

    @Test func aVariantIsTheGenerationAndADigest() throws {
        let variant = try variant("foo", ["Foo: secret"])
        #expect(variant.count == 16 + 64 && variant.starts(with: Array("0123456789abcdef".utf8)))
        #expect(variant.allSatisfy { ($0 >= 48 && $0 <= 57) || ($0 >= 97 && $0 <= 102) })
    }

    static let same: [(String, [String], [String])] = [
        ("foo", ["Foo: 1"], ["foo: 1"]),
        ("foo", ["Foo: 1", "Other: 2"], ["Other: 3", "Foo: 1"]),
        ("bar,foo", ["Foo: 1", "Bar: abc"], ["Bar: abc", "Foo: 1"]),
        ("bar,baz,foo", ["Foo: 1", "Baz: 789"], ["Baz: 789", "Foo: 1"]),
        ("foo", ["Foo: 1, 2"], ["Foo: 1", "Foo: 2"]),
        ("foo", ["Foo: 1,2"], ["Foo:  1 ,\t2 "]),
        ("foo", ["Foo: 1, 2,3"], ["Foo: 1", "Foo: 2 , 3"]),
        ("accept-language", ["Accept-Language: en, de"], ["Accept-Language:  en ,   de"]),
    ]

    @Test(arguments: same)
    func equalRequestsMeet(names: String, one: [String], other: [String]) throws {
        #expect(try variant(names, one) == variant(names, other))
    }

    static let different: [(String, [String], [String])] = [
        ("foo", ["Foo: 1"], ["Foo: 2"]), ("foo", ["Foo: 1"], []), ("foo", ["Foo:"], []),
        ("foo", ["Foo: a"], ["Foo: A"]),
        ("bar,foo", ["Foo: 1", "Bar: abc"], ["Foo: 2", "Bar: abc"]), ("bar,foo", ["Foo: 1", "Bar: abc"], []),
        ("bar,foo", ["Foo: 1"], ["Bar: 1"]), ("bar,foo", ["Bar: 1", "Foo: 23"], ["Bar: 12", "Foo: 3"]),
        ("bar,baz,foo", ["Foo: 1", "Bar: abc", "Baz: 789"], ["Foo: 1", "Baz: 789", "Bar: abcde"]),
        ("foo", ["Foo: 1, 2"], ["Foo: 2, 1"]), ("foo", ["Foo: \"1, 2\""], ["Foo: \"1,2\""]),
        ("foo", ["Foo: 1 2"], ["Foo: 12"]), ("foo", ["Foo: 1,,2"], ["Foo: 1,2"]),
    ]

    @Test(arguments: different)
    func differentRequestsDoNot(names: String, one: [String], other: [String]) throws {
        #expect(try variant(names, one) != variant(names, other))
    }
}
