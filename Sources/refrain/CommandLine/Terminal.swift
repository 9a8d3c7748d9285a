import CLinux
import Glibc

/// What the reader of a command's answer can show. In a pipe nothing is coloured or cut, so that
/// programs read the same at any time.
struct Terminal: Equatable, Sendable {
    /// In columns; nil in a pipe.
    let width: Int?
    let hasColour: Bool

    /// A pipe or a file.
    static let none = Terminal(width: nil, hasColour: false)

    private static let usualWidth = 80

    /// How a text looks, by the numbers of ECMA-48 (SGR).
    enum Style: Int, Sendable {
        case plain = 0
        case bold = 1
        case red = 31
        case green = 32
        case yellow = 33
    }

    /// The text in that style, where there are any.
    func styled(_ text: String, _ style: Style) -> String {
        hasColour && style != .plain ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
    }
}

extension Terminal {
    /// - Parameters:
    ///   - columns: 0 where the terminal does not say.
    ///   - environment: `NO_COLOR` with any text means no colours (no-color.org), and so does
    ///     `TERM=dumb`.
    init(columns: Int, environment: (String) -> String?) {
        let term = environment("TERM") ?? "dumb"
        self.init(
            width: columns > 0 ? columns : Self.usualWidth,
            hasColour: term != "dumb" && (environment("NO_COLOR") ?? "").isEmpty)
    }

    static func of(_ descriptor: Int32) -> Terminal {
        guard isatty(descriptor) == 1 else { return .none }
        return Terminal(columns: Int(clinux_terminal_columns(descriptor))) { getenv($0).map { String(cString: $0) } }
    }
}
