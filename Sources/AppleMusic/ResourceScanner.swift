// The pass over a JSON text that finds resources, without making values of it (RFC 8259).
//
// What must hold: open arrays and objects are on a list, not on the call stack, and at most `JSON.maxDepth`; every byte is
// looked at a bounded number of times; the grammar is that of `JSON.parse`, but for what only a reader of a string needs:
// bytes beyond ASCII and halves of surrogate pairs are taken as they are.

struct ResourceScanner {
    /// The text cannot be listed: malformed, too deep, or too many resources.
    struct Stop: Error {}

    /// A string between its quotation marks.
    struct Text {
        let range: Range<Int>
        let isEscaped: Bool
    }

    private enum Member {
        case type, id, other
    }

    /// An open array or object, and what is known of it.
    private struct Frame {
        let isObject: Bool
        /// What the value to come is of.
        var member = Member.other
        var type: Text?
        var id: Text?
    }

    private enum Expectation {
        case value, valueOrEnd, key, keyOrEnd, commaOrEnd
    }

    private(set) var found = FoundNumbers()
    var scratch: [UInt8] = []
    private var outer: [Frame] = []
    private var current = Frame(isObject: false)
    private var depth = 0
    private var expected = Expectation.value

    /// Scans a whole text, once. A text that is no object or array names nothing and is not looked at.
    mutating func scan(_ bytes: Span<UInt8>) throws(Stop) {
        var position = Self.skipWhitespace(bytes, from: 0)
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") || bytes[position] == UInt8(ascii: "[")
        else { return }
        while position < bytes.count {
            position = try step(bytes, at: position)
            position = Self.skipWhitespace(bytes, from: position)
        }
        guard depth == 0 else { throw Stop() }
    }

    /// Takes the token at `position`, which is no white space; the position behind it.
    private mutating func step(_ bytes: Span<UInt8>, at position: Int) throws(Stop) -> Int {
        switch expected {
        case .value: return try takeValue(bytes, at: position)
        case .valueOrEnd:
            guard bytes[position] == UInt8(ascii: "]") else { return try takeValue(bytes, at: position) }
            close()
        case .key: return try takeKey(bytes, at: position)
        case .keyOrEnd:
            guard bytes[position] == UInt8(ascii: "}") else { return try takeKey(bytes, at: position) }
            close()
        case .commaOrEnd: try takeCommaOrEnd(bytes, at: position)
        }
        return position + 1
    }

    private mutating func takeValue(_ bytes: Span<UInt8>, at position: Int) throws(Stop) -> Int {
        expected = .commaOrEnd
        switch bytes[position] {
        case UInt8(ascii: "\""):
            let (text, end) = try Self.string(bytes, at: position)
            note(text)
            return end
        case UInt8(ascii: "{"):
            try open(isObject: true)
            return position + 1
        case UInt8(ascii: "["):
            try open(isObject: false)
            return position + 1
        default:
            note(nil)
            return try Self.scalar(bytes, at: position)
        }
    }

    private mutating func takeKey(_ bytes: Span<UInt8>, at position: Int) throws(Stop) -> Int {
        guard bytes[position] == UInt8(ascii: "\"") else { throw Stop() }
        let (text, end) = try Self.string(bytes, at: position)
        let colon = Self.skipWhitespace(bytes, from: end)
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":") else { throw Stop() }
        current.member = member(named: text, bytes)
        expected = .value
        return colon + 1
    }

    private mutating func takeCommaOrEnd(_ bytes: Span<UInt8>, at position: Int) throws(Stop) {
        guard depth > 0 else { throw Stop() }
        switch bytes[position] {
        case UInt8(ascii: ","): expected = current.isObject ? .key : .value
        case UInt8(ascii: "}") where current.isObject:
            if let type = current.type, let id = current.id { try add(type, id, bytes) }
            close()
        case UInt8(ascii: "]") where !current.isObject: close()
        default: throw Stop()
        }
    }

    private mutating func open(isObject: Bool) throws(Stop) {
        guard depth < JSON.maxDepth else { throw Stop() }
        note(nil)
        outer.append(current)
        current = Frame(isObject: isObject)
        depth += 1
        expected = isObject ? .keyOrEnd : .valueOrEnd
    }

    private mutating func close() {
        if let last = outer.popLast() { current = last }
        depth -= 1
        expected = .commaOrEnd
    }

    /// The value of the current member is `text`, or is no string.
    private mutating func note(_ text: Text?) {
        switch current.member {
        case .type: current.type = text
        case .id: current.id = text
        case .other: break
        }
    }

    private mutating func member(named name: Text, _ bytes: Span<UInt8>) -> Member {
        if name.isEscaped {
            decode(name, bytes)
            return scratch.elementsEqual("type".utf8) ? .type : scratch.elementsEqual("id".utf8) ? .id : .other
        }
        let start = name.range.lowerBound
        switch name.range.count {
        case 2 where bytes[start] == UInt8(ascii: "i") && bytes[start + 1] == UInt8(ascii: "d"): return .id
        case 4
        where bytes[start] == UInt8(ascii: "t") && bytes[start + 1] == UInt8(ascii: "y")
            && bytes[start + 2] == UInt8(ascii: "p") && bytes[start + 3] == UInt8(ascii: "e"):
            return .type
        default: return .other
        }
    }

    private mutating func add(_ type: Text, _ id: Text, _ bytes: Span<UInt8>) throws(Stop) {
        var hash = FNV1a()
        combine(type, bytes, into: &hash)
        hash.combine(ResourceMention.separator)
        combine(id, bytes, into: &hash)
        try found.add(ResourceMention.number(hash))
    }

    private mutating func combine(_ text: Text, _ bytes: Span<UInt8>, into hash: inout FNV1a) {
        if text.isEscaped {
            decode(text, bytes)
            for byte in scratch { hash.combine(byte) }
        } else {
            for index in text.range { hash.combine(bytes[index]) }
        }
    }
}

/// Numbers as they come, distinct and in order in the end, never many more than may be kept.
struct FoundNumbers {
    private var numbers: [UInt64] = []

    mutating func add(_ number: UInt64) throws(ResourceScanner.Stop) {
        numbers.append(number)
        // Twice as many as may be kept: sorting is then paid for by as many that came.
        if numbers.count == ResourceMention.maxCount * 2 { try settle() }
    }

    consuming func sorted() throws(ResourceScanner.Stop) -> [UInt64] {
        try settle()
        return numbers
    }

    private mutating func settle() throws(ResourceScanner.Stop) {
        numbers.sort()
        var kept = 0
        for number in numbers where kept == 0 || numbers[kept - 1] != number {
            numbers[kept] = number
            kept += 1
        }
        numbers.removeLast(numbers.count - kept)
        guard kept <= ResourceMention.maxCount else { throw ResourceScanner.Stop() }
    }
}
