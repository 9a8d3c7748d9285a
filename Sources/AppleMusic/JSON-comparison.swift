// Whether two JSON values mean the same: the order of members does not count (RFC 8259 4).

extension JSON {
    /// Whether both texts hold the same value. Members may stand in any order; numbers and strings
    /// are compared as they are spelt, escapes decoded. False where either is no JSON.
    public static func areEqual(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        guard let left = try? parse(one), let right = try? parse(other) else { return false }
        return left.equals(right)
    }

    /// As deep as values are, which is at most ``maxDepth``.
    private func equals(_ other: JSON) -> Bool {
        switch (self, other) {
        case (.array(let left), .array(let right)):
            return left.count == right.count && zip(left, right).allSatisfy { $0.equals($1) }
        case (.object(let left), .object(let right)):
            let (mine, theirs) = (left.lastByKey, right.lastByKey)
            return mine.count == theirs.count && mine.allSatisfy { theirs[$0.key]?.equals($0.value) ?? false }
        case (.string(let left), .string(let right)):
            return JSONObject.isSame(left, right)
        default: return self == other
        }
    }
}
