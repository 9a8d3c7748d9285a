/// All cases, and those that do not hold yet.
enum Conformance {
    static let groups = [
        freshness, cacheControlSyntax, ageSyntax, expires, expiresSyntax, responseDirectives, stale, heuristic, status,
        vary, varySyntax, modifiedSince, noneMatch, storedFields, freshening, head, invalidation, ranges,
        authorization, reuse, requestDirectives, pragma, cdnCacheControl, interim,
    ]

    /// `group: case`. One that holds must leave this list; it is to be empty.
    static let pending: Set<String> = []
}
