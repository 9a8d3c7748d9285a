import HTTP

// The values of the request fields that an answer was chosen by, in a form that is equal where RFC
// 9111 4.1 lets two requests match: white space around commas goes, lines of one name are combined,
// and where the field's own grammar says that neither order nor case matters, they do not.
// Must hold: two values become equal only if they mean the same; a value that does not fit the
// grammar stays as it was written.

/// Gathers one field after another into bytes that can be compared or hashed.
struct SelectingValues {
    /// For each field whether it is there, and if so how its value is spelt, how long it is and the
    /// value.
    private(set) var bytes: [UInt8] = []
    /// The lines of the present field, combined; nil before the first.
    private var value: [UInt8]?

    /// The most elements of a weighted list that are sorted.
    static let maxElements = 64

    /// Adds a further line of the present field.
    mutating func add(_ line: Span<UInt8>) {
        let isFirst = value == nil
        var combined = value.take() ?? []
        if !isFirst { combined.append(UInt8(ascii: ",")) }
        Self.appendWithoutWhitespace(line, to: &combined)
        value = combined
    }

    /// Ends the present field, which has this name (in lower case).
    mutating func end(_ name: ArraySlice<UInt8>) {
        guard let combined = value.take() else { return bytes.append(Self.absent) }
        let isWeighted = Self.weighted.contains { text in
            name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        let normal = isWeighted ? WeightedList.normalised(combined.span) : nil
        // A value that is no list by the grammar can be spelt like the normal form of one that is.
        bytes.append(normal == nil ? Self.asWritten : Self.normalised)
        let value = normal ?? combined
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: value)
    }

    private static let (absent, asWritten, normalised): (UInt8, UInt8, UInt8) = (0, 1, 2)

    /// Lists of things in no order and no case, each with a weight (RFC 9110 12.4.2, 12.5).
    private static let weighted: [StaticString] = ["accept", "accept-language", "accept-charset"]

    /// Leaves out white space at the ends and around commas, but not within quotes.
    private static func appendWithoutWhitespace(_ line: Span<UInt8>, to value: inout [UInt8]) {
        let trimmed = line.trimmingWhitespace(0..<line.count)
        var (isQuoted, isEscaped, start) = (false, false, value.count)
        for index in trimmed {
            let byte = line[index]
            let isSeparator = byte == UInt8(ascii: ",") && !isQuoted
            if isSeparator {
                while value.count > start, value.last.map(Self.isWhitespace) == true { value.removeLast() }
            }
            if !isQuoted, Self.isWhitespace(byte), value.count == start { continue }
            value.append(byte)
            if isSeparator { start = value.count }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
        }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// A list of ranges with weights, such as Accept-Language.
enum WeightedList {
    /// In lower case (but for the values of parameters), with weights in one spelling, and sorted;
    /// nil where `list` does not follow the grammar or is too long.
    static func normalised(_ list: Span<UInt8>) -> [UInt8]? {
        guard let all = elements(list) else { return nil }
        let spelt = all.map { $0.weight < 1000 ? $0.range + Array(";q=\($0.weight)".utf8) : $0.range }
        let sorted = spelt.sorted { $0.lexicographicallyPrecedes($1) }
        return Array(sorted.joined(separator: [UInt8(ascii: ",")]))
    }

    /// The one range that is wanted more than any other, in lower case; nil where there is none, or
    /// `list` does not follow the grammar.
    static func mostWanted(_ list: Span<UInt8>) -> [UInt8]? {
        guard let all = elements(list), let most = all.max(by: { $0.weight < $1.weight }), most.weight > 0,
            all.count(where: { $0.weight == most.weight }) == 1
        else { return nil }
        return most.range
    }

    private static func elements(_ list: Span<UInt8>) -> [(range: [UInt8], weight: Int)]? {
        var all: [(range: [UInt8], weight: Int)] = []
        var elements = ListElements(of: list)
        while let element = elements.next(in: list)?.range {
            guard all.count < SelectingValues.maxElements, let normal = normalised(list, element) else { return nil }
            all.append(normal)
        }
        return all
    }

    /// `range *( ";" name "=" value ) [ ";" "q=" weight ]`
    private static func normalised(_ list: Span<UInt8>, _ element: Range<Int>) -> (range: [UInt8], weight: Int)? {
        func partEnd(_ start: Int) -> Int {
            list.firstUnquoted(UInt8(ascii: ";"), in: start..<element.upperBound, escaping: true) ?? element.upperBound
        }
        var end = partEnd(element.lowerBound)
        let range = list.trimmingWhitespace(element.lowerBound..<end)
        guard !range.isEmpty else { return nil }
        var normal = list.lowercased(range)
        var weight: Int?
        while end < element.upperBound {
            let start = end + 1
            end = partEnd(start)
            let part = list.trimmingWhitespace(start..<end)
            // A weight is the last parameter.
            guard weight == nil, !part.isEmpty else { return nil }
            if part.count > 2, list.equalsIgnoringCase(part.lowerBound..<(part.lowerBound + 2), "q=") {
                weight = QualityValue.thousandths(list, (part.lowerBound + 2)..<part.upperBound)
                guard weight != nil else { return nil }
            } else {
                let equals = part.first { list[$0] == UInt8(ascii: "=") } ?? part.upperBound
                normal.append(UInt8(ascii: ";"))
                normal.append(contentsOf: list.lowercased(part.lowerBound..<equals))
                normal.append(list.extracting(equals..<part.upperBound))
            }
        }
        return (normal, weight ?? 1000)
    }
}
