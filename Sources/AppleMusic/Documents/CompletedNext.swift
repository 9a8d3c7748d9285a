// `next complete`: a client that follows `next` gets its own parameters back
// (APPLE-MUSIC-API 14.5).
//
// Must hold: the link leads where it led, its offset and whatever else the origin wrote stay as
// they are, and inserted parameters cannot end the JSON string they are in.

/// The `next` of a page with those of the client's parameters that the origin left out of it
/// (APPLE-MUSIC-API 7.4: `limit`, `include`, `extend` and other decoration).
///
/// Only the link of the document's own list is completed. Those inside `results` (search, charts)
/// are narrowed to one type by the origin, and those of relationships lead to other lists: the
/// client's parameters are not meant for them.
public struct CompletedNext: Sendable {
    /// The new string between its quotation marks. Parameters are in alphabetical order, as in
    /// Apple's own links; those of the origin are spelt as it wrote them.
    public let link: [UInt8]

    /// Nil where nothing is to be put in, and where the link leads elsewhere than the request or
    /// cannot be read.
    /// - Parameter next: the string between its quotation marks. One with escapes is left alone.
    /// - Parameter target: of the request that was answered.
    public init?(_ next: Span<UInt8>, of target: CanonicalTarget) {
        var linked = CanonicalTarget()
        guard (try? linked.parse(next)) != nil, linked.pathCount == target.pathCount,
            linked.bytes[..<linked.pathCount] == target.bytes[..<target.pathCount]
        else { return nil }
        let link = next.withUnsafeBufferPointer { Array($0) }
        let path = link.prefix { $0 != UInt8(ascii: "?") }
        var parameters = LinkParameter.all(in: link[path.endIndex...]).map {
            LinkParameter(text: $0.text, name: $0.canonicalName)
        }
        let names = Set(parameters.map(\.name))
        let missing = LinkParameter.all(in: target.bytes[target.pathCount...]).filter {
            !names.contains($0.name) && !$0.isOfOnePage
        }
        guard !missing.isEmpty else { return nil }
        parameters.append(contentsOf: missing)
        self.link = LinkParameter.joined(parameters, after: path)
    }

    /// A document with its `next` completed; nil where it stays as it is.
    /// - Parameter document: the scan of `body`.
    public static func completing(
        _ body: Span<UInt8>, document: ResourceDocument, target: CanonicalTarget
    ) -> [UInt8]? {
        let next = document.envelope.next
        guard !document.envelope.data.isEmpty, next.count > 2, next.range.upperBound <= body.count else { return nil }
        let content = next.range.lowerBound + 1..<next.range.upperBound - 1
        guard let completed = CompletedNext(body.extracting(content), of: target) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(body.count + completed.link.count - content.count)
        body.extracting(..<content.lowerBound).withUnsafeBufferPointer { result.append(contentsOf: $0) }
        result.append(contentsOf: completed.link)
        body.extracting(content.upperBound...).withUnsafeBufferPointer { result.append(contentsOf: $0) }
        return result
    }
}

/// A parameter of a query.
private struct LinkParameter {
    let text: ArraySlice<UInt8>
    /// Up to the first `=`.
    let name: ArraySlice<UInt8>

    /// The parameters of a query, which may be empty, with the `?` before it.
    static func all(in query: ArraySlice<UInt8>) -> [LinkParameter] {
        query.dropFirst().split(separator: UInt8(ascii: "&")).map { text in
            LinkParameter(text: text, name: text.prefix { $0 != UInt8(ascii: "=") })
        }
    }

    /// The name in the spelling of canonical targets; the text comes from a target that could be
    /// parsed.
    var canonicalName: ArraySlice<UInt8> {
        var target = CanonicalTarget()
        let query = [UInt8(ascii: "?")] + text
        guard (try? target.parse(query.span)) != nil else { return name }
        return LinkParameter.all(in: target.bytes[target.pathCount...]).first?.name ?? []
    }

    /// Whether it says which resources or which window, and not how they are to look: such a one
    /// is in the link already, or has nothing to do with the next page. Scoped `ids[songs]`
    /// included.
    var isOfOnePage: Bool {
        let base = name.prefix { $0 != UInt8(ascii: "[") }
        return ["offset", "ids", "term", "types"].contains { base.elementsEqual($0.utf8) }
    }

    /// In the order of their names; parameters of one name keep theirs.
    static func joined(_ parameters: [LinkParameter], after path: ArraySlice<UInt8>) -> [UInt8] {
        let order = parameters.indices.sorted { first, second in
            if parameters[first].name == parameters[second].name { return first < second }
            return parameters[first].name.lexicographicallyPrecedes(parameters[second].name)
        }
        var link = Array(path)
        for (position, index) in order.enumerated() {
            link.append(position == 0 ? UInt8(ascii: "?") : UInt8(ascii: "&"))
            link.append(contentsOf: parameters[index].text)
        }
        return link
    }
}
