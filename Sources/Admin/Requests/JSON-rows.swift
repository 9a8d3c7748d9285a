import Text

extension JSON {
    /// An answer as people read it, a row for each value that it has: the names that lead to the
    /// value, with blanks between, and the value. Texts of a list share a row; other lists have
    /// none. The dashboard's script has the same rule.
    public func rows(_ name: String = "") -> [(name: String, value: String)] {
        switch self {
        case .null: return []
        case .bool(let flag): return [(name, flag ? "yes" : "no")]
        case .number(let text), .string(let text): return [(name, text)]
        case .array(let elements):
            let texts = elements.compactMap(\.stringValue)
            return texts.isEmpty ? [] : [(name, texts.joined(separator: ", "))]
        case .object(let object):
            return object.members.flatMap { $0.value.rows(name.isEmpty ? $0.key : name + " " + $0.key) }
        }
    }
}
