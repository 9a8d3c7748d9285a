/// Parses the heads of one side of a connection, one after the other. Resumable: while a head
/// trickles in, `parse` is called with the same bytes and more after them, and every byte is
/// looked at once, so the cost is linear. The verdict on a message does not depend on how it
/// arrives.
///
/// After `true` or an error it has to be given the bytes after the head, or `reset`.
public struct HeadParser: Sendable {
    private let limits: MessageLimits
    private var scanner = LineScanner()
    private var emptyLines = 0
    private var isInFields = false

    /// A parser at the start of a message.
    public init(limits: MessageLimits) { self.limits = limits }

    /// Whether no byte of a head was looked at yet.
    public var isAtStart: Bool { !isInFields && emptyLines == 0 && scanner.isAtStart }

    /// Parses a request head at the start of `bytes`. True: `head` is complete and `head.byteCount`
    /// bytes long; false: more is needed, and `head` holds the fields parsed so far.
    public mutating func parse(
        _ bytes: Span<UInt8>, into head: RequestHead
    ) throws(ParseError) -> Bool {
        if !isInFields {
            guard let line = try requestLine(bytes) else { return false }
            head.removeAll()
            try RequestLine.parse(bytes, line, into: head, limits: limits)
            isInFields = true
        }
        guard try fieldSection(bytes, into: &head.fields) else { return false }
        head.byteCount = scanner.start
        reset()
        try head.settle(bytes)
        return true
    }

    /// Parses a response head at the start of `bytes`, in the same way.
    public mutating func parse(
        _ bytes: Span<UInt8>, into head: inout ResponseHead
    ) throws(ParseError) -> Bool {
        if !isInFields {
            try StatusLine.checkBeginning(bytes, from: scanner.start)
            guard let line = try scanner.next(bytes, limit: limits.maxHeadBytes, tooLong: .headTooLarge) else {
                return false
            }
            head.removeAll()
            try StatusLine.parse(bytes, line, into: &head)
            isInFields = true
        }
        guard try fieldSection(bytes, into: &head.fields) else { return false }
        head.byteCount = scanner.start
        reset()
        try head.settle(bytes)
        return true
    }

    /// Forgets a head that was begun.
    public mutating func reset() {
        scanner.rewind()
        emptyLines = 0
        isInFields = false
    }

    /// The request line, when it has arrived; a few empty lines may precede it (RFC 9112 2.2).
    private mutating func requestLine(_ bytes: Span<UInt8>) throws(ParseError) -> Range<Int>? {
        while true {
            try RequestLine.checkBeginning(bytes, from: scanner.start, limits: limits)
            let limit = min(scanner.start + RequestLine.maxBytes(limits), limits.maxHeadBytes)
            guard let line = try scanner.next(bytes, limit: limit, tooLong: .targetTooLong) else { return nil }
            guard line.isEmpty else { return line }
            emptyLines += 1
            guard emptyLines <= limits.maxEmptyLines else { throw .emptyLines }
        }
    }

    /// The field lines up to the empty line that ends a head; false when that has not arrived.
    private mutating func fieldSection(
        _ bytes: Span<UInt8>, into fields: inout Fields
    ) throws(ParseError) -> Bool {
        while let line = try scanner.next(bytes, limit: limits.maxHeadBytes, tooLong: .headTooLarge) {
            if line.isEmpty { return true }
            guard fields.count < limits.maxFields else { throw .tooManyFields }
            fields.append(try FieldLine.parse(bytes, line, maxNameBytes: limits.maxFieldNameBytes))
        }
        return false
    }
}
