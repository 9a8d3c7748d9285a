import HTTP
import TestSupport
import Testing
import Text

@testable import Proxy

/// Text of clients in lines of the log.
@Suite struct EscapedTextTests {
    private func escaped(_ bytes: [UInt8], upTo most: Int = 1 << 10) -> String {
        var buffer = ByteBuffer(capacity: 64)
        buffer.appendEscaped(bytes.span, upTo: most)
        return String(decoding: buffer.copyReadable(), as: UTF8.self)
    }

    @Test(arguments: [
        ("plain /v1?x=1", "plain /v1?x=1"), ("müller 日本 😀", "müller 日本 😀"),
        ("\"\\\u{1}\n\u{7F}", "\\u0022\\u005c\\u0001\\u000a\\u007f"),
        // Controls for a terminal or an editor.
        ("a\u{9B}b\u{85}c\u{2028}d\u{202E}e", "a\\u009bb\\u0085c\\u2028d\\u202ee"),
    ]) func charactersStayAndControlsAreEscaped(text: String, expected: String) {
        #expect(escaped(Array(text.utf8)) == expected)
    }

    @Test func bytesThatAreNoCharactersAreEscapedOneByOne() {
        #expect(escaped([0x61, 0xFC, 0x62]) == "a\\u00fcb")
        #expect(escaped([0xE2, 0x82]) == "\\u00e2\\u0082")
        #expect(escaped([0xED, 0xA0, 0x80]) == "\\u00ed\\u00a0\\u0080")
    }

    @Test func textIsCutBetweenCharacters() {
        #expect(escaped(Array("üüü".utf8), upTo: 6) == "üüü")
        #expect(escaped(Array("üüü".utf8), upTo: 5) == "üü...")
        #expect(escaped(Array("a😀b".utf8), upTo: 4) == "a...")
        #expect(escaped(Array("a\"b".utf8), upTo: 6) == "a...")
        #expect(escaped(Array("a\"b".utf8), upTo: 7) == "a\\u0022...")
        #expect(escaped(Array("a\"b".utf8), upTo: 8) == "a\\u0022b")
    }

    /// A line is JSON, has its bound, and text comes back as it was, for any bytes of a client.
    @Test func anyBytesMakeAStringOfJSON() throws {
        var random = SplitMix64(seed: 56)
        let pieces: [[UInt8]] = [
            Array("ü".utf8), Array("日".utf8), Array("😀".utf8), [0xFF], [0xC3], [0xE2, 0x82], Array("\"".utf8),
            Array("\\".utf8), [0], [0x1B], Array("\u{2028}".utf8), Array("a".utf8), Array("\u{9B}".utf8),
        ]
        for _ in 0..<2_000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).flatMap { _ in
                pieces[Int.random(in: pieces.indices, using: &random)]
            }
            let most = Int.random(in: 6..<100, using: &random)
            let text = escaped(bytes, upTo: most)
            #expect(text.utf8.count <= most + 3)
            let value = try #require(try JSON.parse(Array("\"\(text)\"".utf8)).stringValue)
            guard let whole = String(validating: bytes, as: UTF8.self) else { continue }
            #expect(value == whole || value.hasSuffix("...") && whole.utf8.starts(with: value.dropLast(3).utf8))
        }
    }
}
