// Writing a whole target in its canonical spelling into a scratch buffer.

/// Where the parts of the canonical target stand once `write` is done.
struct TargetSpelling {
    private(set) var pathCount = 0
    /// What stands at the start of the buffer: the path, and the query too if it came in order; otherwise up to `?`.
    private(set) var headCount = 0
    /// The query if it did not come in order; empty otherwise.
    private(set) var sortedQuery = 0..<0
    private(set) var originalQuery: Range<Int>?
    private(set) var isPersonal = false
    private(set) var hasPathParameters = false

    /// - Parameter target: not empty.
    /// - Parameter scratch: six times as long as the target: every byte can become an escape, twice.
    mutating func write(
        _ target: Span<UInt8>, to scratch: inout [UInt8], segments: inout [TextSlice], parameters: inout [TextSlice],
        elements: inout [TextSlice]
    ) throws(TargetError) {
        var output = scratch.mutableSpan
        var path = PathEncoder()
        try path.encode(target, into: &output, segments: &segments)
        hasPathParameters = path.hasPathParameters
        pathCount = path.written
        headCount = path.written
        guard path.read < target.count else { return }

        output[pathCount] = UInt8(ascii: "?")
        var query = QueryEncoder(at: pathCount + 1)
        try query.encode(target, from: path.read + 1, into: &output, parameters: &parameters)
        guard !query.isEmpty else { return }
        originalQuery = path.read + 1..<target.count
        if examine(parameters, in: output.span) {
            headCount = query.written
        } else {
            headCount = pathCount + 1
            parameters.sort(in: output.span)
            sortedQuery = query.written..<query.written
            writeSorted(parameters, &output, &elements)
        }
    }

    /// Whether parameters and sets are in order already; notes personal markers.
    private mutating func examine(_ parameters: [TextSlice], in text: Span<UInt8>) -> Bool {
        var isOrdered = true
        for index in parameters.indices {
            let parameter = parameters[index]
            if index > 0, parameters[index - 1].compareKey(parameter, in: text) > 0 { isOrdered = false }
            let kind = ParameterKind(of: parameter, in: text)
            if kind.isSet, isOrdered, !ParameterKind.isAscending(parameter, in: text) { isOrdered = false }
            if kind.isPersonal(parameter, in: text) { isPersonal = true }
        }
        return isOrdered
    }

    private mutating func writeSorted(
        _ parameters: [TextSlice], _ output: inout MutableSpan<UInt8>, _ elements: inout [TextSlice]
    ) {
        var end = sortedQuery.lowerBound
        for index in parameters.indices {
            let parameter = parameters[index]
            if index > 0 { output.write(UInt8(ascii: "&"), at: &end) }
            if ParameterKind(of: parameter, in: output.span).isSet, parameter.keyEnd < parameter.end {
                output.copy(parameter.start..<parameter.keyEnd + 1, to: &end)
                writeSet(parameter, &output, &end, &elements)
            } else {
                output.copy(parameter.start..<parameter.end, to: &end)
            }
        }
        sortedQuery = sortedQuery.lowerBound..<end
    }

    private func writeSet(
        _ parameter: TextSlice, _ output: inout MutableSpan<UInt8>, _ end: inout Int, _ elements: inout [TextSlice]
    ) {
        elements.removeAll(keepingCapacity: true)
        var list = CommaList(of: parameter)
        while let element = list.next(output.span) { elements.append(element) }
        elements.sort(in: output.span)
        for index in elements.indices {
            let element = elements[index]
            if index > 0 {
                if elements[index - 1].compareKey(element, in: output.span) == 0 { continue }
                output.write(UInt8(ascii: ","), at: &end)
            }
            output.copy(element.start..<element.end, to: &end)
        }
    }
}

extension MutableSpan<UInt8> {
    /// Copies bytes to `position`, which is behind them, and moves it on.
    @inline(__always)
    fileprivate mutating func copy(_ source: Range<Int>, to position: inout Int) {
        for index in source { write(self[index], at: &position) }
    }
}
