// The one spelling of a request target: what the cache is keyed by, and what the upstream path is.
//
// What must hold: two spellings of one request meet, two requests never do, and canonicalising twice changes nothing.
// Storage is reused, so that nothing is allocated once it has grown; a target of 80 bytes costs a few hundred
// nanoseconds at most.

/// A request target in its canonical spelling, with the route it leads to.
///
/// The path is spelt as `PathEncoder` says, the query as `QueryEncoder` says; parameters are sorted by name, and stay
/// in their order where names are equal; the lists that are sets (`include`, `extend`, `types`, `views`, `relate`,
/// `fields`, also scoped as in `include[songs]`) are sorted and lose their duplicates; every other value keeps its
/// order, so also `ids`, `filter[...]` and `term`. `l` is a parameter like any other.
public struct CanonicalTarget: Sendable {
    /// The longest target looked at. The limit on messages is far below; this one keeps 32-bit offsets honest.
    public static let maxBytes = 65_536

    /// The canonical path, then `?` and the canonical query if there is one.
    public private(set) var bytes: [UInt8] = []
    /// How many of `bytes` are the path.
    public private(set) var pathCount = 0
    public private(set) var route = Route.other
    /// Where the query stands in the target that was parsed, without `?`; nil if it says nothing.
    public private(set) var originalQuery: Range<Int>?

    private var scratch: [UInt8] = []
    private var segments: [TextSlice] = []
    private var parameters: [TextSlice] = []
    private var elements: [TextSlice] = []

    public init() {}

    /// Convenience for commands and tests.
    public init(_ target: String) throws(TargetError) {
        try parse(Array(target.utf8).span)
    }

    /// The canonical spelling as text: it is ASCII.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Takes the place of what was parsed before.
    /// - Parameter target: in origin-form, as `RequestHead.target` has it; empty means `/`.
    /// - Throws: ``TargetError`` for what must be answered with 400. The value is then an empty one of class `other`.
    public mutating func parse(_ target: Span<UInt8>) throws(TargetError) {
        reset()
        guard target.count <= CanonicalTarget.maxBytes else { throw .tooLong }
        guard target.count > 0 else {
            bytes.append(UInt8(ascii: "/"))
            pathCount = 1
            return
        }
        // The worst case: every byte becomes an escape.
        if scratch.count < target.count * 3 { scratch = [UInt8](repeating: 0, count: target.count * 3) }

        var path = PathEncoder()
        let query = try CanonicalTarget.encode(target, &path, &scratch, &segments, &parameters)
        finish(path: path, query: query, targetCount: target.count)
    }

    /// The path and behind it the query into `scratch`. Static, because a span of one property keeps all of `self`
    /// from being changed.
    private static func encode(
        _ target: Span<UInt8>, _ path: inout PathEncoder, _ scratch: inout [UInt8], _ segments: inout [TextSlice],
        _ parameters: inout [TextSlice]
    ) throws(TargetError) -> QueryEncoder {
        var output = scratch.mutableSpan
        try path.encode(target, into: &output, segments: &segments)
        var query = QueryEncoder(at: path.written)
        if path.read < target.count {
            try query.encode(target, from: path.read + 1, into: &output, parameters: &parameters)
        }
        return query
    }

    private mutating func finish(path: PathEncoder, query: QueryEncoder, targetCount: Int) {
        pathCount = path.written
        originalQuery = query.isEmpty ? nil : path.read + 1..<targetCount

        let (isOrdered, isPersonal) = examineParameters()
        bytes.append(contentsOf: scratch[..<pathCount])
        if isOrdered, !query.isEmpty {
            bytes.append(UInt8(ascii: "?"))
            bytes.append(contentsOf: scratch[pathCount..<query.written])
        } else if !isOrdered {
            appendSorted()
        }
        route = Route(
            segments, in: bytes.span, hasPersonalMarker: isPersonal, hasPathParameters: path.hasPathParameters)
    }

    private func examineParameters() -> (isOrdered: Bool, isPersonal: Bool) {
        let text = scratch.span
        var isOrdered = true
        var isPersonal = false
        for index in parameters.indices {
            let parameter = parameters[index]
            if index > 0, parameters[index - 1].compareKey(parameter, in: text) > 0 { isOrdered = false }
            let kind = ParameterKind(of: parameter, in: text)
            if kind.isSet, !ParameterKind.isAscending(parameter, in: text) { isOrdered = false }
            if kind.isPersonal(parameter, in: text) { isPersonal = true }
        }
        return (isOrdered, isPersonal)
    }

    private mutating func appendSorted() {
        parameters.sort(in: scratch)
        for index in parameters.indices {
            let parameter = parameters[index]
            bytes.append(index == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            if parameter.keyEnd < parameter.end, ParameterKind(of: parameter, in: scratch.span).isSet {
                bytes.append(contentsOf: scratch[parameter.start...parameter.keyEnd])
                appendSet(of: parameter)
            } else {
                bytes.append(contentsOf: scratch[parameter.start..<parameter.end])
            }
        }
    }

    private mutating func appendSet(of parameter: TextSlice) {
        elements.removeAll(keepingCapacity: true)
        var list = ListElements(of: parameter, in: scratch.span)
        while let element = list.next(scratch.span) { elements.append(element) }
        elements.sort(in: scratch)
        for index in elements.indices {
            let element = elements[index]
            if index > 0 {
                if elements[index - 1].compareKey(element, in: scratch.span) == 0 { continue }
                bytes.append(UInt8(ascii: ","))
            }
            bytes.append(contentsOf: scratch[element.start..<element.end])
        }
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
