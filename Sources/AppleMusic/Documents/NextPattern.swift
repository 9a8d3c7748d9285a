// How an origin writes the `next` of a list, learnt from one it wrote.
//
// Must hold: a written link equals the origin's, as long as the origin goes on as it was seen to.
// So everything in a link must come from the request or be the offset; a link that says more (a
// cursor, say) teaches nothing.

/// A `next` with places for the parts that differ from request to request (APPLE-MUSIC-API 7.3).
public struct NextPattern: Hashable, Sendable {
    /// The requests that share a pattern: they differ only in parent and window, and in the
    /// storefront where they name no language. A language that a storefront does not speak is
    /// ignored (APPLE-MUSIC-API 4.3.9), in links too.
    public struct Key: Hashable, Sendable {
        let shape: RequestShape
        let hasLimit: Bool
        let hasOffset: Bool
        /// Empty, and nil, for requests that name none.
        let language: [UInt8]
        let speaker: Storefront?

        public init(_ request: CatalogRequest) {
            shape = request.shape
            hasLimit = request.limit != nil
            hasOffset = request.offset != nil
            language = request.language
            speaker = request.language.isEmpty ? nil : request.storefront
        }
    }

    private enum Part: Hashable, Sendable {
        case text([UInt8])
        case path, offset, limit, language
    }

    private(set) var key: Key
    private var parts: [Part] = [.path]

    /// Nil unless the link leads to another window of the request's list and has nothing that the
    /// request did not say, in whatever order and selection.
    /// - Parameter next: the string between its quotation marks. One with escapes teaches nothing.
    public init?(learntFrom next: Span<UInt8>, _ request: CatalogRequest) {
        guard let linked = request.list(linkedBy: next), let offset = linked.offset,
            request.said(linked)
        else { return nil }
        key = Key(request)
        let link = next.withUnsafeBufferPointer { Array($0) }
        // A path that is spelt otherwise is noticed below.
        var rest = link.dropFirst(request.path.count)
        while !rest.isEmpty {
            let parameter = rest.dropFirst().prefix { $0 != UInt8(ascii: "&") }
            append(rest[rest.startIndex], parameter)
            rest = rest.dropFirst(parameter.count + 1)
        }
        // A parameter whose name the link spells in another way has no place, and would be copied
        // to others unchanged.
        guard parts.contains(.offset), parts.contains(.limit) == (linked.limit != nil),
            parts.contains(.language) == !linked.language.isEmpty, write(offset: offset, request) == link
        else { return nil }
    }

    /// The pattern for requests without a limit, of one that was learnt from requests with one and
    /// says nothing of it; nil for others.
    public func adapted(to other: Key) -> NextPattern? {
        guard other.shape == key.shape, key.hasOffset == other.hasOffset, key.language == other.language,
            key.speaker == other.speaker, key.hasLimit, !parts.contains(.limit)
        else { return nil }
        var copy = self
        copy.key = other
        return copy
    }

    /// The `next` of a page.
    /// - Parameter offset: where the next page begins.
    /// - Returns: Nil where the request is not of the kind that the pattern was learnt from.
    public func write(offset: Int, _ request: CatalogRequest) -> [UInt8]? {
        write(offset: offset, request, at: request.path)
    }

    private func write(offset: Int, _ request: CatalogRequest, at path: [UInt8]) -> [UInt8]? {
        guard Key(request) == key else { return nil }
        var link: [UInt8] = []
        link.reserveCapacity(128)
        for part in parts {
            switch part {
            case .text(let text): link.append(contentsOf: text)
            case .path: link.append(contentsOf: path)
            case .offset: link.append(decimal: offset)
            case .limit: link.append(decimal: request.limit ?? 0)
            case .language: link.append(contentsOf: request.language)
            }
        }
        return link
    }

    /// Whether the pattern writes exactly this link for a page of this request, whichever id of the
    /// owner is in it: the request may have an alias. False says that the origin writes otherwise
    /// than it did, and the pattern is worth nothing.
    public func matches(_ next: Span<UInt8>, _ request: CatalogRequest) -> Bool {
        guard let linked = request.namedList(linkedBy: next), let offset = linked.offset,
            let link = write(offset: offset, request, at: linked.path), link.count == next.count
        else { return false }
        return next.withUnsafeBufferPointer { link.elementsEqual($0) }
    }

    /// A parameter with the `?` or `&` before it.
    private mutating func append(_ separator: UInt8, _ parameter: ArraySlice<UInt8>) {
        let places: [(name: StaticString, part: Part)] = [("offset=", .offset), ("limit=", .limit), ("l=", .language)]
        for (name, part) in places {
            let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
            guard parameter.starts(with: name) else { continue }
            parts.append(.text([separator] + name))
            parts.append(part)
            return
        }
        parts.append(.text([separator] + parameter))
    }
}

extension CatalogRequest {
    /// The request for the same list, in whatever window and with whatever parameters, that a link
    /// leads to.
    public func list(linkedBy link: Span<UInt8>) -> CatalogRequest? {
        namedList(linkedBy: link).flatMap { $0.resources == resources ? $0 : nil }
    }

    /// Whether a link leads to such a list of another id, as it does where the request has an alias
    /// of the owner.
    public func isRenamed(by link: Span<UInt8>) -> Bool {
        namedList(linkedBy: link).map { $0.resources != resources } ?? false
    }

    /// The request for such a list of any owner that a link leads to.
    fileprivate func namedList(linkedBy link: Span<UInt8>) -> CatalogRequest? {
        guard case .list = shape.subject else { return nil }
        var target = CanonicalTarget()
        guard (try? target.parse(link)) != nil, let linked = CatalogRequest(target),
            linked.shape.subject == shape.subject, linked.shape.type == shape.type, linked.storefront == storefront
        else { return nil }
        return linked
    }

    /// Whether another request for the same list has no parameter, the offset apart, that this one
    /// does not have as well.
    fileprivate func said(_ other: CatalogRequest) -> Bool {
        let own = shape.decoration.split(separator: UInt8(ascii: "&"))
        return (other.limit == nil || other.limit == limit)
            && (other.language.isEmpty || other.language == language)
            && (other.shape.include.isEmpty || other.shape.include == shape.include)
            && other.shape.decoration.split(separator: UInt8(ascii: "&")).allSatisfy(own.contains)
    }
}
