/// All cases.
enum Conformance {
    static let groups = [
        freshness, responseDirectives, stale, status, vary, modifiedSince, noneMatch, storedFields, freshening, head,
        invalidation, ranges, authorization, reuse, requestDirectives, cdnCacheControl, interim,
    ]
}
