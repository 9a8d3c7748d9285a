import Text

// Splits the text of a configuration file into lines of words. Knows the quotes, comments and
// nothing of directives.

/// A line that holds at least one word.
struct ConfigurationLine: Equatable, Sendable {
    let place: SourceLine
    /// Without their quotes.
    let words: [String]
}

/// Words are separated by blanks; `#` at the start of a word begins a comment, as in nginx, so that
/// a path may hold one. A word may be quoted: `"..."` (where `\"` and `\\` stand for the second
/// character) or `'...'` (taken as it is).
enum ConfigurationLexer {
    /// The lines of `bytes` in order; a line that cannot be read is left out, and its error goes to
    /// `errors`.
    static func lines(of bytes: [UInt8], file: String, errors: inout [ConfigurationError]) -> [ConfigurationLine] {
        var lines: [ConfigurationLine] = []
        let text = bytes.dropFirst(bytes.span.byteOrderMarkCount)
        let rows = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, row) in rows.enumerated() {
            let place = SourceLine(file: file, line: index + 1)
            do throws(ValueError) {
                let words = try words(of: row.last == UInt8(ascii: "\r") ? row.dropLast() : row)
                if !words.isEmpty { lines.append(ConfigurationLine(place: place, words: words)) }
            } catch {
                errors.append(ConfigurationError(place: place, message: error.message))
            }
        }
        return lines
    }

    /// The words of one line without its line end.
    static func words(of row: ArraySlice<UInt8>) throws(ValueError) -> [String] {
        var words: [String] = []
        var rest = row
        while true {
            rest = rest.drop { isBlank($0) }
            guard let first = rest.first, first != UInt8(ascii: "#") else { return words }
            let bytes: [UInt8]
            if first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
                bytes = try quotedWord(&rest, quote: first)
            } else {
                bytes = Array(rest.prefix { !isBlank($0) })
                rest = rest.dropFirst(bytes.count)
            }
            guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw ValueError("a control character") }
            guard let word = String(validating: bytes, as: UTF8.self) else { throw ValueError("not UTF-8") }
            words.append(word)
        }
    }

    /// `word` as a line of configuration spells it: quoted where it would not be read back as the
    /// same single word.
    static func spelling(of word: String) -> String {
        let isPlain =
            !word.isEmpty && !word.utf8.contains { isBlank($0) } && !"#\"'".utf8.contains(word.utf8.first ?? 0)
        guard !isPlain else { return word }
        var text = "\""
        for character in word.unicodeScalars {
            if character == "\"" || character == "\\" { text += "\\" }
            text.unicodeScalars.append(character)
        }
        return text + "\""
    }

    private static func quotedWord(_ rest: inout ArraySlice<UInt8>, quote: UInt8) throws(ValueError) -> [UInt8] {
        var bytes: [UInt8] = []
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if byte == quote {
                guard rest.first.map({ isBlank($0) }) ?? true else { throw ValueError("text after a closing quote") }
                return bytes
            }
            let escapes = byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"")
            guard escapes, let next = rest.first, next == quote || next == byte else {
                bytes.append(byte)
                continue
            }
            bytes.append(next)
            rest = rest.dropFirst()
        }
        throw ValueError("a quote is not closed")
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
