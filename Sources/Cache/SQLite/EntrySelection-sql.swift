// What a selection is in SQL: fixed words and bound values.

extension EntrySelection {
    /// A condition on a row of `entry`, and the values of its parameters, which are numbered from
    /// `first` on.
    func condition(from first: Int) -> (sql: String, values: [SQLValue]) {
        var terms: [String] = []
        var values: [SQLValue] = []
        func add(_ value: SQLValue, _ term: (_ parameter: String) -> String) {
            terms.append(term("?\(first + values.count)"))
            values.append(value)
        }
        if let target { add(.text(target[...])) { "target = \($0)" } }
        // Bytes, not characters: a prefix may end anywhere.
        if let prefix { add(.blob(prefix[...])) { "substr(CAST(target AS BLOB), 1, length(\($0))) = \($0)" } }
        if let storefront { add(.text(storefront[...])) { "storefront = \($0)" } }
        if let classTag { add(.integer(Int64(classTag))) { "class = \($0)" } }
        if let resource {
            add(Self.value(of: resource)) {
                "EXISTS (SELECT 1 FROM mention WHERE mention.id = entry.id AND \(Self.mayName($0)))"
            }
        }
        return (terms.isEmpty ? "1" : terms.joined(separator: " AND "), values)
    }

    /// The condition on a row of `mention` that the entry may name the resource in `parameter`. The
    /// bytes of a number are found across two others about as often as two resources share one.
    static func mayName(_ parameter: String) -> String {
        "(instr(resources, \(parameter)) > 0 OR resources = x'FFFFFFFFFFFFFFFF')"
    }

    /// A number as `mention` has it.
    static func value(of resource: UInt64) -> SQLValue {
        .blob(withUnsafeBytes(of: resource) { Array($0) }[...])
    }
}
