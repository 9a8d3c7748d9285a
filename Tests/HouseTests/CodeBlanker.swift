/// Replaces comments and the content of string literals with blanks, so that rules see code only;
/// or all but the comments. Line ends stay where they are. Knows nested comments, multi-line and
/// raw literals, and interpolation.
struct CodeBlanker {
    private var bytes: [UInt8]
    private var index = 0
    private var comments: [Range<Int>] = []

    /// The text without comments and the content of literals, and its comments alone.
    static func parted(_ text: [UInt8]) -> (code: [UInt8], comments: [UInt8]) {
        var blanker = CodeBlanker(bytes: text)
        blanker.code(untilParenthesis: false)
        var comments = text.map { $0 == UInt8(ascii: "\n") ? $0 : UInt8(ascii: " ") }
        for range in blanker.comments { comments.replaceSubrange(range, with: text[range]) }
        return (blanker.bytes, comments)
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private func starts(_ text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func blank(_ count: Int) {
        for _ in 0..<count where index < bytes.count {
            if bytes[index] != UInt8(ascii: "\n") { bytes[index] = UInt8(ascii: " ") }
            index += 1
        }
    }

    /// Code to the end of the text, or to the parenthesis that closes an interpolation.
    private mutating func code(untilParenthesis: Bool) {
        var depth = 0
        while index < bytes.count {
            // By the byte first: nearly all of them begin nothing.
            switch bytes[index] {
            case UInt8(ascii: "/") where starts("//"):
                let start = index
                while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { blank(1) }
                comments.append(start..<index)
            case UInt8(ascii: "/") where starts("/*"):
                let start = index
                comment()
                comments.append(start..<index)
            case UInt8(ascii: "("):
                depth += 1
                index += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if untilParenthesis, depth < 0 { return }
                index += 1
            case UInt8(ascii: "\""), UInt8(ascii: "#"):
                if let hashes = literalHashes() { literal(hashes: hashes) } else { index += 1 }
            default:
                index += 1
            }
        }
    }

    private mutating func comment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank(2)
            } else if starts("*/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && index < bytes.count
    }

    /// The number of `#` before a literal that begins here.
    private func literalHashes() -> Int? {
        let hashes = bytes[index...].prefix { $0 == UInt8(ascii: "#") }.count
        return bytes.indices.contains(index + hashes) && bytes[index + hashes] == UInt8(ascii: "\"") ? hashes : nil
    }

    private mutating func literal(hashes: Int) {
        let marks = String(repeating: "#", count: hashes)
        let quotes = starts(marks + "\"\"\"") && !(hashes == 0 && starts("\"\"\"\"\"")) ? "\"\"\"" : "\""
        index += hashes + quotes.utf8.count
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\"") where starts(quotes + marks):
                index += quotes.utf8.count + hashes
                return
            case UInt8(ascii: "\\") where starts("\\" + marks + "("):
                blank(2 + hashes)
                code(untilParenthesis: true)
                blank(1)
            case UInt8(ascii: "\\") where starts("\\" + marks):
                blank(2 + hashes)
            default:
                blank(1)
            }
        }
    }
}
