/// All cases.
enum Conformance {
    static let groups = [
        freshness, responseDirectives, stale, status, vary, modifiedSince, noneMatch, storedFields, freshening, head,
        invalidation, ranges, reuse, requestDirectives, cdnCacheControl, interim,
    ]
}
