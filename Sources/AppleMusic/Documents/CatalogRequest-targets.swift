// The targets of requests that go with a request: for the resources it lacks, or for another window
// of its list.
//
// What must hold: they are canonical, and taking one apart gives the parts it was made of.

extension CatalogRequest {
    /// The canonical path, without a query.
    public var path: [UInt8] {
        var path = Self.collectionPath(storefront, shape.type)
        switch shape.subject {
        case .batch, .results:
            break
        case .item:
            path.append(segment: resources[0].id)
        case .list(let name, let isView):
            path.append(segment: resources[0].id)
            if isView { path.append(segment: Array("view".utf8)) }
            path.append(segment: name)
        }
        return path
    }

    /// A batch of some resources, with this request's include, decoration and language. Of an item
    /// or a batch.
    /// - Parameter resources: at least one, those of a type together; for all but a batch of
    ///   several types all of this request's type.
    public func target(resources: [ResourceName]) -> [UInt8] {
        var query = CatalogQueryWriter(after: Self.collectionPath(storefront, shape.type), decoration: shape.decoration)
        for part in resources.runsOfType {
            query.append("ids", of: shape.type == .catalog ? part.first?.type : nil, part.map(\.id))
        }
        if !shape.include.isEmpty { query.append("include", shape.include) }
        if !language.isEmpty { query.append("l", [language]) }
        return query.finish()
    }

    /// A batch of another type, with this request's decoration and language, without include. Not
    /// of results.
    /// - Parameter relatedType: one of the twelve types.
    /// - Parameter ids: at least one, each as ``ids`` has them.
    public func target(relatedType: ResourceClass, ids: [[UInt8]]) -> [UInt8] {
        var query = CatalogQueryWriter(
            after: Self.collectionPath(storefront, relatedType), decoration: shape.decoration)
        query.append("ids", ids)
        if !language.isEmpty { query.append("l", [language]) }
        return query.finish()
    }

    /// Another window of the same list, with its include, decoration and language.
    /// - Parameter limit: 1 to 999,999,999, or nil to leave it to the origin.
    /// - Parameter offset: 0 to 999,999,999, or nil for the list's beginning.
    public func target(limit: Int?, offset: Int?) -> [UInt8] {
        var query = CatalogQueryWriter(after: path, decoration: shape.decoration)
        if !shape.include.isEmpty { query.append("include", shape.include) }
        if !language.isEmpty { query.append("l", [language]) }
        if let limit { query.append("limit", limit) }
        if let offset { query.append("offset", offset) }
        return query.finish()
    }

    private static func collectionPath(_ storefront: Storefront, _ type: ResourceClass) -> [UInt8] {
        var path: [UInt8] = []
        path.reserveCapacity(128)
        path.append(contentsOf: "/v1/catalog/".utf8)
        path.append(storefront.first)
        path.append(storefront.second)
        // A batch of several types is asked of the catalog itself.
        guard type != .catalog else { return path }
        path.append(UInt8(ascii: "/"))
        path.append(contentsOf: type.name.utf8)
        return path
    }
}

extension [UInt8] {
    fileprivate mutating func append(segment: [UInt8]) {
        append(UInt8(ascii: "/"))
        append(contentsOf: segment)
    }
}

/// Writes parameters in between those of a decoration, which are in order and have other names.
private struct CatalogQueryWriter {
    private var bytes: [UInt8]
    private var decoration: ArraySlice<UInt8>
    private var separator = UInt8(ascii: "?")

    init(after path: [UInt8], decoration: [UInt8]) {
        bytes = path
        self.decoration = decoration[...]
    }

    /// Names come in ascending order; `type` is what the name is scoped to, as in `ids[albums]`.
    mutating func append(_ name: StaticString, of type: ResourceClass? = nil, _ elements: [[UInt8]]) {
        begin(Array(name.description.utf8) + (type.map { Array("[\($0.name)]".utf8) } ?? []))
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: element)
        }
    }

    mutating func append(_ name: StaticString, _ number: Int) {
        begin(Array(name.description.utf8))
        bytes.append(decimal: number)
    }

    mutating func finish() -> [UInt8] {
        while !decoration.isEmpty { appendDecoration() }
        return bytes
    }

    private mutating func begin(_ text: [UInt8]) {
        while !decoration.isEmpty {
            let other = decoration.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "&") }
            guard other.lexicographicallyPrecedes(text) else { break }
            appendDecoration()
        }
        bytes.append(separator)
        separator = UInt8(ascii: "&")
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "="))
    }

    /// Moves one parameter over.
    private mutating func appendDecoration() {
        bytes.append(separator)
        separator = UInt8(ascii: "&")
        let parameter = decoration.prefix { $0 != UInt8(ascii: "&") }
        bytes.append(contentsOf: parameter)
        decoration = decoration.dropFirst(parameter.count + 1)
    }
}

extension [ResourceName] {
    /// Runs of neighbours of one type.
    fileprivate var runsOfType: [ArraySlice<ResourceName>] {
        var chunks: [ArraySlice<ResourceName>] = []
        var start = startIndex
        for index in indices.dropFirst() where self[index].type != self[start].type {
            chunks.append(self[start..<index])
            start = index
        }
        return isEmpty ? [] : chunks + [self[start...]]
    }
}
