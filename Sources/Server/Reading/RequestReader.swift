import HTTP

/// Reads requests off a byte stream, one at a time: head, then body, collected whole.
///
/// Pure: bytes in, steps out. A request without a body stays where it arrived, and `head`'s ranges
/// point into the buffer; one with a body has its head copied aside, so that the buffer can be
/// consumed as the body comes in.
/// The body is read to its last byte before the request is handed on, so nothing of it can be taken
/// for the next request (FRAMING 1.9); but the head is shown before a byte of the body is kept.
struct RequestReader: ~Copyable {
    enum Step: Equatable {
        case needMore
        /// The head is complete, and content follows it.
        case contentAhead
        /// The client waits for `100 Continue` before it sends the body (RFC 9110 10.1.1).
        case continueExpected
        case complete
        case failed(ParseError)
    }

    private enum State {
        case head
        case ahead(BodyDecoder)
        case body(BodyDecoder)
        case complete
    }

    let head = RequestHead()
    private(set) var body: [UInt8] = []
    private var headCopy: [UInt8] = []
    private var state = State.head
    private var parser: HeadParser
    private let limits: MessageLimits

    init(limits: MessageLimits) {
        self.limits = limits
        parser = HeadParser(limits: limits)
    }

    /// Whether bytes of a body are awaited, as opposed to those of a head.
    /// Kept apart from the state, which is large: every request asks for it several times.
    private(set) var isReadingBody = false

    /// Bytes of memory that it takes.
    var size: Int { headCopy.count + body.capacity }

    /// Whether nothing of a request was looked at yet.
    var isAtStart: Bool {
        if case .head = state { parser.isAtStart } else { false }
    }

    /// Whether the head lies in the input still, where it was parsed.
    var hasHeadInPlace: Bool { headCopy.isEmpty }

    mutating func advance(_ input: inout ByteBuffer) -> Step {
        do throws(ParseError) {
            switch state {
            case .head: return try readHead(&input)
            case .ahead(let decoder):
                let step = try readOn(decoder, &input)
                return step == .needMore && body.isEmpty && head.expectsContinue ? .continueExpected : step
            case .body(let decoder): return try readOn(decoder, &input)
            case .complete: return .complete
            }
        } catch {
            return .failed(error)
        }
    }

    /// The bytes that `head`'s ranges count in.
    func withHeadBytes<R, E: Error>(_ input: borrowing ByteBuffer, _ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R
    {
        if headCopy.isEmpty {
            return try input.withReadable(body)
        }
        return try body(headCopy.span)
    }

    /// The request has been answered: forgets it and takes its bytes off the buffer.
    mutating func finish(_ input: inout ByteBuffer) {
        if headCopy.isEmpty { input.consume(head.byteCount) }
        reset()
    }

    /// Forgets the bytes read so far.
    mutating func reset() {
        if !headCopy.isEmpty {
            // Heads hold tokens.
            for index in headCopy.indices { headCopy[index] = 0 }
            headCopy = []
        }
        if !body.isEmpty { body = [] }
        parser.reset()
        state = .head
        isReadingBody = false
    }

    private mutating func readHead(_ input: inout ByteBuffer) throws(ParseError) -> Step {
        let isComplete = try input.withReadable { bytes throws(ParseError) in try parser.parse(bytes, into: head) }
        guard isComplete else { return .needMore }
        let framing = try input.withReadable { bytes throws(ParseError) in try head.framing(bytes, limits: limits) }
        if framing == .none || framing == .length(0) {
            state = .complete
            return .complete
        }
        headCopy = input.withReadable { bytes in bytes.extracting(0..<head.byteCount).copy() }
        input.consume(head.byteCount)
        state = .ahead(BodyDecoder(framing, limits: limits))
        isReadingBody = true
        return .contentAhead
    }

    private mutating func readOn(_ decoder: BodyDecoder, _ input: inout ByteBuffer) throws(ParseError) -> Step {
        var decoder = decoder
        let step = try readBody(&decoder, &input)
        isReadingBody = step != .complete
        state = isReadingBody ? .body(decoder) : .complete
        return step
    }

    private mutating func readBody(_ decoder: inout BodyDecoder, _ input: inout ByteBuffer) throws(ParseError) -> Step {
        while true {
            let piece = try input.withReadable { bytes throws(ParseError) in try decoder.next(bytes) }
            switch piece {
            case .content(let range, let consumed):
                input.withReadable { bytes in body.append(bytes.extracting(range.range)) }
                input.consume(consumed)
                if body.count > limits.maxBodyBytes { throw .contentTooLarge }
            case .needMore(let consumed):
                input.consume(consumed)
                return .needMore
            case .end(let consumed):
                input.consume(consumed)
                return .complete
            }
        }
    }
}
