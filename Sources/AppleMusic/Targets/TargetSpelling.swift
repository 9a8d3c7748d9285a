// Writing a whole target in its canonical spelling, but for the order of its query.

/// Findings of the canonicalisation.
struct TargetSpelling {
    private(set) var pathCount = 0
    private(set) var originalQuery: Range<Int>?
    /// Whether parameters and sets are in their canonical order already, which is how clients
    /// mostly send them.
    private(set) var isOrdered = true
    private(set) var isPersonal = false
    private(set) var hasPathParameters = false
    /// Whether the order of `types` counts (APPLE-MUSIC-API 5.1.9).
    private(set) var keepsTypes = false

    /// Writes the path, and `?` and the query in the order in which it came, if there is one.
    /// - Parameter target: not empty.
    /// - Parameter bytes: empty, also after an error.
    mutating func write(
        _ target: Span<UInt8>, to bytes: inout [UInt8], segments: inout [TextSlice], parameters: inout [TextSlice]
    ) throws(TargetError) {
        // The worst case: every byte becomes an escape, and a `/` comes before the query.
        try bytes.append(addingCapacity: target.count * 3 + 1) { (room) throws(TargetError) in
            try room.withUnsafeMutableBufferPointer { (buffer, count) throws(TargetError) in
                var output = buffer.mutableSpan
                count = try write(target, into: &output, &segments, &parameters)
            }
        }
    }

    /// Says how many bytes were written.
    private mutating func write(
        _ target: Span<UInt8>, into output: inout MutableSpan<UInt8>, _ segments: inout [TextSlice],
        _ parameters: inout [TextSlice]
    ) throws(TargetError) -> Int {
        var path = PathEncoder()
        try path.encode(target, into: &output, segments: &segments)
        hasPathParameters = path.hasPathParameters
        pathCount = path.written
        keepsTypes = RouteTemplate.isLibrarySearch(segments, in: output.span)
        guard path.read < target.count else { return pathCount }

        output[pathCount] = UInt8(ascii: "?")
        var query = QueryEncoder(at: pathCount + 1)
        try query.encode(target, from: path.read + 1, into: &output, parameters: &parameters)
        guard !query.isEmpty else { return pathCount }
        originalQuery = path.read + 1..<target.count
        examine(parameters, in: output.span)
        return query.written
    }

    /// Looks whether parameters and sets are in order already; notes personal markers.
    private mutating func examine(_ parameters: [TextSlice], in text: Span<UInt8>) {
        for index in parameters.indices {
            let parameter = parameters[index]
            if index > 0, parameters[index - 1].compareName(parameter, in: text) > 0 { isOrdered = false }
            let kind = ParameterKind(of: parameter, in: text, keepsTypes: keepsTypes)
            if kind.isSet, isOrdered, !ParameterKind.isAscending(parameter, in: text) { isOrdered = false }
            if kind.isPersonal(parameter, in: text) { isPersonal = true }
        }
    }
}
