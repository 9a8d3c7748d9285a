import Text

// What the user of `refrain top` has chosen, and what the screen shows by it. Pure: keys in, frames
// out.

/// In what order the lists of a screen stand.
enum TopOrder: String, CaseIterable {
    /// By the time that apps waited; where nothing waited, by requests.
    case waited
    case requests
    case name

    var key: Character {
        switch self {
        case .waited: "w"
        case .requests: "r"
        case .name: "n"
        }
    }

    /// The rows of a list of `/stats`, which comes with those first that weigh most.
    func sorted(_ rows: [JSON]) -> [JSON] {
        func before(_ left: JSON, _ right: JSON) -> Bool {
            switch self {
            case .waited: return Self.seconds(left) > Self.seconds(right)
            case .requests: return (left["count"]?.countValue ?? 0) > (right["count"]?.countValue ?? 0)
            case .name: return (left["target"]?.stringValue ?? "") < (right["target"]?.stringValue ?? "")
            }
        }
        // Of equals the one that came first stays first, so that rows do not change places for
        // nothing.
        return rows.enumerated().sorted { left, right in
            before(left.element, right.element) || !before(right.element, left.element) && left.offset < right.offset
        }.map(\.element)
    }

    private static func seconds(_ row: JSON) -> Double {
        guard case .number(let text)? = row["seconds"] else { return 0 }
        return Double(text) ?? 0
    }
}

/// The session of one user.
struct TopSession: Equatable {
    enum Action: Equatable {
        case nothing
        /// The shown content has changed.
        case redraw
        case leave
    }

    private(set) var order = TopOrder.waited
    private(set) var isReversed = false
    private(set) var showsHelp = false

    private static let controlC: UInt8 = 3

    /// - Parameter key: a byte as the terminal sends it.
    mutating func press(_ key: UInt8) -> Action {
        if key == Self.controlC { return .leave }
        let before = self
        let character = Character(Unicode.Scalar(key))
        switch character {
        case "q": return .leave
        case "?", "h": showsHelp.toggle()
        case "i": isReversed.toggle()
        default:
            // Any other key leads back.
            showsHelp = false
            if let chosen = TopOrder.allCases.first(where: { $0.key == character }) {
                (order, isReversed) = (chosen, false)
            }
        }
        return self == before ? .nothing : .redraw
    }

    func sorted(_ rows: [JSON]) -> [JSON] { isReversed ? order.sorted(rows).reversed() : order.sorted(rows) }

    /// The last line of a screen.
    var footer: String {
        "q leave   ? help   lists by \(order.rawValue)\(isReversed ? ", turned round" : "")"
    }

    /// In the place of the figures.
    func help(_ terminal: Terminal) -> String {
        let keys: [(String, String)] = [
            ("w", "lists by how long apps waited"), ("r", "lists by requests"), ("n", "lists by name"),
            ("i", "turns the order of the lists round"), ("?", "this help, and back"), ("q", "leaves"),
        ]
        let words: [(String, String)] = [
            ("hits", "answered from the cache"),
            ("misses", "had to wait for Apple"),
            ("p50, p99", "half, and 99 of 100, of the answers came within this time"),
            ("in flight", "requests that Apple is answering now"),
            ("429s", "Apple asked for fewer requests"),
            ("reason", "why Apple was asked; REFERENCE.md has them all"),
        ]
        func table(_ title: String, _ rows: [(String, String)]) -> String {
            var table = Table([.init(title: title), .init(title: "")])
            for (name, meaning) in rows { table.add([Table.Cell(name, .green), Table.Cell(meaning)]) }
            return table.text(for: terminal)
        }
        return table("key", keys) + "\n" + table("word", words)
    }
}
