import HTTP

/// Turns the bytes of one connection into replies, one at a time. Pure: bytes in, replies out.
///
/// Must hold:
/// - every byte is looked at once: the part of a reply that has come is kept as its values, so the
///   work is linear in the bytes however they are cut;
/// - no byte after the end of a reply is consumed with it;
/// - no room is reserved for bytes that have not come, but for the one bulk under way, whose length
///   is bounded;
/// - a fault is final: it is thrown again by every call that follows.
struct RESPReader: Sendable {
    /// How many bytes of the span are done with, and the reply that they end.
    struct Step: Sendable, Equatable {
        let consumed: Int
        /// Nil: all bytes were looked at, and the reply goes on.
        let reply: RESPReply?
    }

    /// Role of the next byte.
    private enum Phase {
        /// The first of a reply or of an element.
        case kind
        case line(UInt8)
        /// The byte that must follow the CR of a line.
        case lineFeed(UInt8)
        /// Content of a bulk, of which this many bytes are to come.
        case bulk(Int)
        /// After a bulk: the CR, then the LF.
        case bulkEnd(UInt8)
    }

    /// An array of which elements are to come: at least one.
    private struct OpenArray {
        var missing: Int
        var elements: [RESPReply] = []
    }

    private let limits: RESPLimits
    private var phase = Phase.kind
    private var line: [UInt8] = []
    private var content: [UInt8] = []
    private var open: [OpenArray] = []
    private var announcedElements = 0
    private var replyBytes = 0
    private var fault: RESPFault?

    init(limits: RESPLimits = RESPLimits()) { self.limits = limits }

    /// Whether nothing of a next reply has come.
    var isBetweenReplies: Bool {
        if case .kind = phase { open.isEmpty } else { false }
    }

    /// Reads on, up to the end of a reply at most. Call it again with the rest until it has no
    /// reply to give.
    mutating func read(_ bytes: Span<UInt8>) throws(RESPFault) -> Step {
        if let fault { throw fault }
        do throws(RESPFault) {
            return try step(bytes)
        } catch {
            fault = error
            (line, content, open) = ([], [], [])
            throw error
        }
    }

    private mutating func step(_ bytes: Span<UInt8>) throws(RESPFault) -> Step {
        var index = 0
        while index < bytes.count {
            let value: RESPReply?
            switch phase {
            case .bulk:
                index += takeContent(bytes.extracting(index...))
                continue
            case .line(let kind):
                index += try takeLine(kind, bytes.extracting(index...))
                continue
            case .kind: value = try begin(bytes[index])
            case .lineFeed(let kind): value = try endLine(kind, bytes[index])
            case .bulkEnd(let expected): value = try endBulk(expected, bytes[index])
            }
            index += 1
            if let value, let reply = close(value) { return Step(consumed: index, reply: reply) }
        }
        return Step(consumed: index, reply: nil)
    }

    // MARK: Lines

    private static let (carriageReturn, lineFeed): (UInt8, UInt8) = (0x0D, 0x0A)

    private mutating func begin(_ kind: UInt8) throws(RESPFault) -> RESPReply? {
        switch kind {
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "$"), UInt8(ascii: "*"):
            phase = .line(kind)
            line.removeAll(keepingCapacity: true)
            return nil
        default:
            throw .kind
        }
    }

    /// Takes the bytes of the line, its CR included; returns their number.
    private mutating func takeLine(_ kind: UInt8, _ bytes: Span<UInt8>) throws(RESPFault) -> Int {
        let room = limits.maxLineBytes - line.count
        var count = 0
        while count < bytes.count, bytes[count] != Self.carriageReturn {
            guard bytes[count] != Self.lineFeed else { throw .lineEnd }
            guard count < room else { throw .lineTooLong }
            count += 1
        }
        line.append(bytes.extracting(first: count))
        guard count < bytes.count else { return count }
        phase = .lineFeed(kind)
        return count + 1
    }

    /// Value of the line; nil where content follows that belongs to it.
    private mutating func endLine(_ kind: UInt8, _ byte: UInt8) throws(RESPFault) -> RESPReply? {
        guard byte == Self.lineFeed else { throw .lineEnd }
        phase = .kind
        try account(for: line.count)
        switch kind {
        case UInt8(ascii: "+"): return .simple(String(decoding: line, as: UTF8.self))
        case UInt8(ascii: "-"): return error()
        case UInt8(ascii: ":"): return .integer(try number())
        case UInt8(ascii: "$"): return try beginBulk(try number())
        default: return try beginArray(try number())
        }
    }

    private func error() -> RESPReply {
        let end = line.firstIndex(of: UInt8(ascii: " ")) ?? line.endIndex
        return .error(
            code: String(decoding: line[..<end], as: UTF8.self),
            text: String(decoding: line[end...].dropFirst(), as: UTF8.self))
    }

    /// A whole number in its shortest spelling, as the engine writes it: no plus, no leading zeros.
    private func number() throws(RESPFault) -> Int64 {
        let text = String(decoding: line, as: UTF8.self)
        guard let number = Int64(text), String(number) == text else { throw .number }
        return number
    }

    // MARK: Bulks and arrays

    private mutating func beginBulk(_ length: Int64) throws(RESPFault) -> RESPReply? {
        guard length != -1 else { return .bulk(nil) }
        guard length >= 0 else { throw .length }
        guard let length = Int(exactly: length), length <= limits.maxBulkBytes else { throw .bulkTooLarge }
        try account(for: length)
        content.reserveCapacity(length)
        phase = length > 0 ? .bulk(length) : .bulkEnd(Self.carriageReturn)
        return nil
    }

    private mutating func takeContent(_ bytes: Span<UInt8>) -> Int {
        guard case .bulk(let missing) = phase else { return 0 }
        let count = min(missing, bytes.count)
        content.append(bytes.extracting(first: count))
        phase = count < missing ? .bulk(missing - count) : .bulkEnd(Self.carriageReturn)
        return count
    }

    private mutating func endBulk(_ expected: UInt8, _ byte: UInt8) throws(RESPFault) -> RESPReply? {
        guard byte == expected else { throw .lineEnd }
        guard expected == Self.lineFeed else {
            phase = .bulkEnd(Self.lineFeed)
            return nil
        }
        phase = .kind
        defer { content = [] }
        return .bulk(content)
    }

    private mutating func beginArray(_ length: Int64) throws(RESPFault) -> RESPReply? {
        guard length != -1 else { return .array(nil) }
        guard length >= 0 else { throw .length }
        guard open.count < limits.maxNesting else { throw .nestedTooDeep }
        guard length <= limits.maxElements - announcedElements else { throw .tooManyElements }
        guard length > 0 else { return .array([]) }
        announcedElements += Int(length)
        open.append(OpenArray(missing: Int(length)))
        return nil
    }

    private mutating func account(for bytes: Int) throws(RESPFault) {
        guard bytes <= limits.maxReplyBytes - replyBytes else { throw .replyTooLarge }
        replyBytes += bytes
    }

    /// Adds a value to the innermost open array; returns the reply where that ends it.
    private mutating func close(_ value: RESPReply) -> RESPReply? {
        var value = value
        while let last = open.indices.last {
            open[last].elements.append(value)
            open[last].missing -= 1
            guard open[last].missing == 0 else { return nil }
            value = .array(open.removeLast().elements)
        }
        (announcedElements, replyBytes) = (0, 0)
        return value
    }
}
