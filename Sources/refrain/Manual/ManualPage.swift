// A man page before it is written down: what stands in it and in which order, not how it looks.
// `Roff` writes it.

struct ManualPage: Equatable, Sendable {
    /// A piece of a line in one typeface.
    enum Span: Equatable, Sendable {
        case plain(String)
        /// To be typed as it is.
        case literal(String)
        /// To be replaced by something.
        case variable(String)
    }

    enum Block: Equatable, Sendable {
        case paragraph(String)
        case line([Span])
        /// A term and what it means.
        case item([Span], String)
        /// Lines to be typed.
        case code([String])
        case subheading(String)
    }

    struct Section: Equatable, Sendable {
        let title: String
        let blocks: [Block]
    }

    let name: String
    /// 1: commands; 5: files.
    let section: Int
    let summary: String
    let sections: [Section]

    /// `refrain-serve.1`.
    var fileName: String { "\(name).\(section)" }
}

extension ManualPage.Span {
    /// `words` of a grammar such as `ADDRESS:PORT [tls]`: names in capitals are variables, the rest
    /// is literal.
    static func grammar(_ text: String) -> [ManualPage.Span] {
        var spans: [ManualPage.Span] = []
        var rest = text[...]
        while let first = rest.first {
            let isWord = { (character: Character) in character.isLetter || character.isNumber || character == "-" }
            let kind = isWord(first)
            let piece = String(rest.prefix { isWord($0) == kind })
            rest = rest.dropFirst(piece.count)
            guard kind else {
                spans.append(.plain(piece))
                continue
            }
            spans.append(piece.contains { $0.isLowercase } ? .literal(piece) : .variable(piece))
        }
        return spans
    }
}
