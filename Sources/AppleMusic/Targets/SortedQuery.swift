// Writing a query in its canonical order.

/// The parameters of a query, sorted by name; those that are sets are sorted and lose their
/// duplicates.
struct SortedQuery {
    /// Storage for the elements of one set, used again.
    private var elements: [TextSlice] = []

    /// Sorts `parameters`, which are slices of `bytes`, and appends them with `&` between them. The
    /// result is never longer than they were.
    mutating func append(
        _ parameters: inout [TextSlice], of bytes: [UInt8], keepingTypes keepsTypes: Bool, to output: inout [UInt8]
    ) {
        let text = bytes.span
        // Few are put in order in place, without an allocation, and many in n log n.
        parameters.sort { $0.precedes($1, in: text) }
        for index in parameters.indices {
            let parameter = parameters[index]
            if index > 0 { output.append(UInt8(ascii: "&")) }
            let kind = ParameterKind(of: parameter, in: text, keepsTypes: keepsTypes)
            if kind.isSet, parameter.keyEnd < parameter.end {
                output.append(parameter.start..<parameter.keyEnd + 1, of: text)
                appendSet(parameter, of: text, to: &output)
            } else {
                output.append(parameter.start..<parameter.end, of: text)
            }
        }
    }

    private mutating func appendSet(_ parameter: TextSlice, of text: Span<UInt8>, to output: inout [UInt8]) {
        elements.removeAll(keepingCapacity: true)
        var list = CommaList(of: parameter)
        while let element = list.next(text) { elements.append(element) }
        elements.sort { $0.precedes($1, in: text) }
        for index in elements.indices {
            let element = elements[index]
            if index > 0 {
                if elements[index - 1].compareKey(element, in: text) == 0 { continue }
                output.append(UInt8(ascii: ","))
            }
            output.append(element.start..<element.end, of: text)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ range: Range<Int>, of text: Span<UInt8>) {
        text.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
    }
}
