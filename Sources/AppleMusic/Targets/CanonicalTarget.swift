// The one spelling of a request target: the key of the cache, and the upstream path.
//
// Must hold: two spellings of one request meet, two requests never do, and canonicalising
// twice changes nothing. Storage is reused, so that nothing is allocated once it has grown; a
// target of 80 bytes costs a few hundred nanoseconds at most.

/// A request target in its canonical spelling, with the route it leads to.
///
/// The path is spelt as `PathEncoder` says, the query as `QueryEncoder` says; parameters are sorted
/// by name, and stay in their order where names are equal; the lists that are sets (`include`,
/// `extend`, `types`, `views`, `relate`, `fields`, also scoped as in `include[songs]`) are sorted
/// and lose their duplicates; every other value keeps its order, so also `ids`, `filter[...]`,
/// `term` and the `types` of a library search, and so do all `ids[...]` among each other. `l` is a
/// parameter like any other.
public struct CanonicalTarget: Sendable {
    /// The longest target looked at. The limit on messages is far below; this one keeps 32-bit
    /// offsets honest.
    static let maxBytes = 65_536

    /// The canonical path, then `?` and the canonical query if there is one.
    public private(set) var bytes: [UInt8] = []
    /// How many of `bytes` are the path.
    private(set) var pathCount = 0
    /// The part of the API that the target leads to.
    public private(set) var route = Route.other
    /// Range of the query in the target that was parsed, without `?`; nil if it says nothing.
    private(set) var originalQuery: Range<Int>?

    /// Segments of the path, as slices of `bytes`.
    private(set) var segments: [TextSlice] = []
    private var parameters: [TextSlice] = []
    /// A query that did not come in order, while it is put in order.
    private var sorted: [UInt8] = []
    private var order = SortedQuery()

    /// Nothing parsed yet: no bytes, class `other`.
    public init() {}

    /// Convenience for commands and tests.
    public init(_ target: String) throws(TargetError) { try parse(Array(target.utf8).span) }

    /// The canonical spelling as text: it is ASCII.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The canonical path with the query as it was written in the target that was parsed.
    public func bytes(keepingQueryOf original: Span<UInt8>) -> [UInt8] {
        guard let originalQuery else { return bytes }
        var result = Array(bytes[..<pathCount])
        result.reserveCapacity(pathCount + 1 + originalQuery.count)
        result.append(UInt8(ascii: "?"))
        original.extracting(originalQuery).withUnsafeBufferPointer { result.append(contentsOf: $0) }
        return result
    }

    /// Replaces the target that was parsed before.
    /// - Parameter target: in origin-form, as `RequestHead.target` has it; an empty path means `/`.
    /// - Throws: ``TargetError`` for a target that must be answered with 400. The value is then an
    ///   empty one of class `other`.
    public mutating func parse(_ target: Span<UInt8>) throws(TargetError) {
        reset()
        guard target.count <= CanonicalTarget.maxBytes else { throw .tooLong }
        guard target.count > 0 else {
            bytes.append(UInt8(ascii: "/"))
            pathCount = 1
            return
        }
        var spelling = TargetSpelling()
        try spelling.write(target, to: &bytes, segments: &segments, parameters: &parameters)
        pathCount = spelling.pathCount
        if !spelling.isOrdered { sortQuery(keepingTypes: spelling.keepsTypes) }
        originalQuery = spelling.originalQuery
        route = Route(
            segments, in: bytes.span, hasPersonalMarker: spelling.isPersonal,
            hasPathParameters: spelling.hasPathParameters)
    }

    private mutating func sortQuery(keepingTypes keepsTypes: Bool) {
        sorted.removeAll(keepingCapacity: true)
        order.append(&parameters, of: bytes, keepingTypes: keepsTypes, to: &sorted)
        bytes.removeLast(bytes.count - pathCount - 1)
        bytes.append(contentsOf: sorted)
    }

    private mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        segments.removeAll(keepingCapacity: true)
        parameters.removeAll(keepingCapacity: true)
        pathCount = 0
        route = .other
        originalQuery = nil
    }
}
