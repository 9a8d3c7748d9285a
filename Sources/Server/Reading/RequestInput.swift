import HTTP

/// The bytes of a request and their reader. A loop lends it to connections that have something to
/// read, and it moves between them without being copied.
final class RequestInput {
    var bytes: ByteBuffer
    private var reader: RequestReader
    /// Bytes of it that the budget of requests counts.
    var heldBytes = 0
    /// The party for which it counts them.
    var holder: UInt64 = 0
    /// The request, if it came before; the reader has not seen it then.
    private(set) var repeated: RepeatedRequest?

    init(capacity: Int, limits: MessageLimits) {
        bytes = ByteBuffer(capacity: capacity)
        reader = RequestReader(limits: limits)
    }

    deinit {
        bytes.wipe()
    }

    /// The head that was read last.
    @inline(__always)
    var head: RequestHead { repeated?.head ?? reader.head }

    var body: [UInt8] { repeated == nil ? reader.body : [] }

    /// Bytes of memory that it takes.
    var size: Int { bytes.capacity + reader.size }

    /// Whether bytes of a body are awaited, as opposed to those of a head.
    var isReadingBody: Bool { reader.isReadingBody }

    /// Reads on in the bytes that have come.
    func advance(_ memory: inout RequestMemo) -> RequestReader.Step {
        guard !bytes.isEmpty || reader.isReadingBody else { return .needMore }
        if reader.isAtStart {
            repeated = bytes.withReadable { memory.find($0) }
            guard repeated == nil else { return .complete }
        }
        let step = reader.advance(&bytes)
        if step == .complete, reader.hasHeadInPlace { bytes.withReadable { memory.note($0, reader.head) } }
        return step
    }

    /// The bytes that the ranges of `head` count in.
    func withHeadBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        if repeated != nil { return try bytes.withReadable(body) }
        return try reader.withHeadBytes(bytes, body)
    }

    /// The request has been answered: forgets it and takes its bytes off the buffer.
    func finish() {
        guard let request = repeated else { return reader.finish(&bytes) }
        bytes.consume(request.head.byteCount)
        repeated = nil
    }

    /// Forgets everything.
    func clear() {
        repeated = nil
        reader.reset()
        bytes.wipe()
    }
}
