/// All cases.
enum Conformance {
    static let groups = [
        freshness, responseDirectives, stale, vary, conditions, storedFields, freshening, head, invalidation, reuse,
        requestDirectives, interim,
    ]
}
