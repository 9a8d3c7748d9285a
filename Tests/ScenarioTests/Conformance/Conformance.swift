/// All cases, and those that do not hold yet.
enum Conformance {
    static let groups = [
        freshness, cacheControlSyntax, ageSyntax, expires, expiresSyntax, responseDirectives, stale, heuristic, status,
        vary, varySyntax, modifiedSince, noneMatch, storedFields, freshening, head, invalidation, ranges,
        authorization, reuse, requestDirectives, pragma, cdnCacheControl, interim,
    ]

    /// `group: case`. One that holds must leave this list; it is to be empty.
    static let pending: Set<String> = [
        "response-directives: no-cache with the name of a field withholds that field",
        "response-directives: no-cache with the names of fields withholds those fields",
        "vary: the language that is liked best",
        "invalidation: an answer to POST that describes its own URL answers GET",
        "interim: 102",
        "interim: 103",
        "interim: two of them",
        "interim: fields of an interim response are not those of the final one",
    ]
}
