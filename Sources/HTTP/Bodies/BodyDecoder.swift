/// Finds the content of one message in the bytes after its head. It never copies: it hands out
/// where content lies, and chunk headers and trailers are checked, bounded and dropped (RFC 9112
/// 7.1, RFC 9110 6.5.1).
///
/// Pull style: call `next` with the readable bytes, use the piece, consume as many bytes as it
/// says, and call again. After `needMore` call with more bytes; after `end` the bytes belong to the
/// next message.
public struct BodyDecoder: Sendable {
    /// The next piece. `consumed` counts from the start of the span; offsets too.
    public enum Piece: Equatable, Sendable {
        /// Content, which ends where `consumed` does.
        case content(ByteRange, consumed: Int)
        /// Nothing further can be decided by the bytes so far.
        case needMore(consumed: Int)
        /// The message is complete.
        case end(consumed: Int)
    }

    private enum State: Equatable {
        case content(remaining: Int, isChunk: Bool)
        case untilClose
        case chunkLine
        case chunkEnd
        case trailers
        case done
        case failed(ParseError)
    }

    private let limits: MessageLimits
    private var state: State
    private var scanner = LineScanner()
    private var extensionBytes = 0
    private var contentBytes = 0
    private var trailerBytes = 0
    private var trailerCount = 0

    /// A decoder at the first byte after a head. Only the bounds on content, extensions and
    /// trailers are used.
    public init(_ framing: BodyFraming, limits: MessageLimits) {
        self.limits = limits
        state =
            switch framing {
            case .none: .done
            case .length(let count): count == 0 ? .done : .content(remaining: count, isChunk: false)
            case .chunked: .chunkLine
            case .untilClose: .untilClose
            }
    }

    /// The next piece at the start of `bytes`. An error is final: every later call throws it again.
    public mutating func next(_ bytes: Span<UInt8>) throws(ParseError) -> Piece {
        do throws(ParseError) {
            return try step(bytes)
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// The peer closed: the proper end of `untilClose`, and `ParseError.truncated` in the middle of
    /// anything else.
    public mutating func finish() throws(ParseError) {
        switch state {
        case .untilClose: state = .done
        case .done: break
        case .failed(let error): throw error
        default:
            state = .failed(.truncated)
            throw .truncated
        }
    }

    private mutating func step(_ bytes: Span<UInt8>) throws(ParseError) -> Piece {
        var offset = 0
        while true {
            switch state {
            case .done: return .end(consumed: offset)
            case .failed(let error): throw error
            case .content(let remaining, let isChunk):
                let count = min(remaining, bytes.count - offset)
                guard count > 0 else { return .needMore(consumed: offset) }
                let end: State = isChunk ? .chunkEnd : .done
                state = count == remaining ? end : .content(remaining: remaining - count, isChunk: isChunk)
                return .content(ByteRange(offset, offset + count), consumed: offset + count)
            case .untilClose:
                guard !bytes.isEmpty else { return .needMore(consumed: 0) }
                try count(content: bytes.count)
                return .content(ByteRange(0, bytes.count), consumed: bytes.count)
            case .chunkLine: guard try chunkLine(bytes, &offset) else { return .needMore(consumed: offset) }
            case .chunkEnd: guard try chunkEnd(bytes, &offset) else { return .needMore(consumed: offset) }
            case .trailers: guard try trailerLine(bytes, &offset) else { return .needMore(consumed: offset) }
            }
        }
    }

    /// Moves over one line of the chunked coding, as do the next two; false when it has not wholly
    /// arrived.
    private mutating func chunkLine(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ParseError) -> Bool {
        let (size, digitsEnd) = try ChunkLine.size(bytes, from: offset)
        let room = digitsEnd - offset + limits.maxChunkExtensionBytes - extensionBytes + 2
        guard let line = try nextLine(bytes, offset, room: room, tooLong: .chunkExtension) else { return false }
        try ChunkLine.checkExtensions(bytes, digitsEnd..<line.upperBound)
        extensionBytes += line.upperBound - digitsEnd
        try count(content: size)
        state = size == 0 ? .trailers : .content(remaining: size, isChunk: true)
        offset = line.upperBound + 2
        return true
    }

    /// Checks both bytes after the data, the first as soon as it is there.
    private mutating func chunkEnd(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ParseError) -> Bool {
        guard offset < bytes.count else { return false }
        guard bytes[offset] == ASCII.carriageReturn else { throw .chunkEnd }
        guard offset + 1 < bytes.count else { return false }
        guard bytes[offset + 1] == ASCII.lineFeed else { throw .chunkEnd }
        offset += 2
        state = .chunkLine
        return true
    }

    private mutating func trailerLine(_ bytes: Span<UInt8>, _ offset: inout Int) throws(ParseError) -> Bool {
        let room = limits.maxTrailerBytes - trailerBytes
        guard let line = try nextLine(bytes, offset, room: room, tooLong: .trailersTooLarge) else { return false }
        trailerBytes += line.count + 2
        offset = line.upperBound + 2
        if line.isEmpty {
            state = .done
            return true
        }
        trailerCount += 1
        guard trailerCount <= limits.maxFields else { throw .tooManyFields }
        _ = try FieldLine.parse(bytes, line, maxNameBytes: limits.maxFieldNameBytes)
        return true
    }

    /// The line at `offset`, which with its end may take `room` bytes. The scanner's offsets count
    /// from the start of the span; an unfinished line is at the start of the next one, because
    /// everything before it is consumed.
    private mutating func nextLine(
        _ bytes: Span<UInt8>, _ offset: Int, room: Int, tooLong: ParseError
    ) throws(ParseError) -> Range<Int>? {
        if scanner.start != offset { scanner.rewind(to: offset) }
        guard let line = try scanner.next(bytes, limit: offset + room, tooLong: tooLong) else {
            scanner.rebase()
            return nil
        }
        scanner.rewind()
        return line
    }

    private mutating func count(content count: Int) throws(ParseError) {
        guard count <= limits.maxBodyBytes - contentBytes else { throw .contentTooLarge }
        contentBytes += count
    }
}
