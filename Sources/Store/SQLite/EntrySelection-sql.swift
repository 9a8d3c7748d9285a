import Purging

// A selection in SQL: fixed words and bound values.

extension EntrySelection {
    /// A condition on a row of `entry`, and the values of its parameters, which are numbered from
    /// `first` on.
    func condition(from first: Int) -> (sql: String, values: [SQLValue]) {
        let terms = conditions.enumerated().map { index, condition in condition.term("?\(first + index)") }
        return (terms.isEmpty ? "1" : terms.map(\.sql).joined(separator: " AND "), terms.map(\.value))
    }
}

extension EntrySelection.Condition {
    /// The condition on a row of `entry`, and the value of the parameter in it.
    fileprivate func term(_ parameter: String) -> (sql: String, value: SQLValue) {
        switch self {
        case .target(let target): ("target = \(parameter)", .text(target[...]))
        // Bytes, not characters: a prefix may end anywhere.
        case .prefix(let prefix):
            ("substr(CAST(target AS BLOB), 1, length(\(parameter))) = \(parameter)", .blob(prefix[...]))
        case .pattern(let pattern):
            ("substr(target, 1, instr(target || '?', '?') - 1) GLOB \(parameter)", .text(pattern.glob[...]))
        case .storefront(let storefront): ("storefront = \(parameter)", .text(storefront[...]))
        case .classTag(let classTag): ("class = \(parameter)", .integer(Int64(classTag)))
        // The bytes of a number are found across two others about as often as two resources share
        // one.
        case .resource(let resource):
            (
                "(instr(resources, \(parameter)) > 0 OR resources = x'FFFFFFFFFFFFFFFF')",
                .blob(withUnsafeBytes(of: resource) { Array($0) }[...])
            )
        }
    }
}
