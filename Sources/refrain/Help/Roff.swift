/// Text in the man(7) macros, which groff and mandoc both read.
enum Roff {
    /// To be typed as it is.
    static func literal(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// To be replaced by something.
    static func variable(_ text: String) -> String { "\\fI\(escaped(text))\\fR" }

    /// `words` of a grammar such as `ADDRESS:PORT [tls]`: names in capitals are variables, the rest
    /// is literal.
    static func grammar(_ text: String) -> String {
        var (written, rest) = ("", text[...])
        while let first = rest.first {
            let isWord = { (character: Character) in character.isLetter || character.isNumber || character == "-" }
            let kind = isWord(first)
            let piece = String(rest.prefix { isWord($0) == kind })
            rest = rest.dropFirst(piece.count)
            written += !kind ? escaped(piece) : piece.contains { $0.isLowercase } ? literal(piece) : variable(piece)
        }
        return written
    }

    /// Characters that roff would take for a request, or print as typographic ones that a shell
    /// does not know.
    static func escaped(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\"": "\\(dq"
            default: String(character)
            }
        }.joined()
    }
}
