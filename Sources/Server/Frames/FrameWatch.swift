import EventLoop

/// Looks at the heads of a client's HTTP/2 frames before anything acts on them, and says when there
/// are more of a kind than a client means (RFC 9113 10.5). Each bound answers an attack that was
/// made on servers; each costs the client next to nothing, and the server memory or time.
///
/// Pure, and by itself: it does not rest on the bounds of any version of the library.
struct FrameWatch {
    /// The kind of frame of which there were too many.
    enum Offence: Int, Error, CaseIterable {
        /// Requests that are withdrawn as soon as they are made (CVE-2023-44487).
        case resets
        /// Streams that the server has to end because of the client's frames (CVE-2025-8671).
        case provokedResets
        /// Requests beyond the streams that there may be, each of which is refused.
        case refusedStreams
        /// CVE-2019-9515.
        case settings
        /// CVE-2019-9512.
        case pings
        /// CVE-2019-9513.
        case priorities
        /// CVE-2019-9517, CVE-2019-9511.
        case windowUpdates
        /// Frames without content that do not end a request either (CVE-2019-9518).
        case emptyContent
        /// A head in very many pieces (CVE-2024-27316), or in empty ones (CVE-2019-9516).
        case continuations
        /// A head that is larger, as it comes, than one may be when it is decoded.
        case headBytes
        /// Frames of types that have no meaning here (RFC 9113 5.5), and those that only a server
        /// sends.
        case otherFrames

        /// The frames, for a log line.
        var words: String {
            switch self {
            case .resets: "RST_STREAM frames"
            case .provokedResets: "streams that had to be reset"
            case .refusedStreams: "requests beyond SETTINGS_MAX_CONCURRENT_STREAMS"
            case .settings: "SETTINGS frames"
            case .pings: "PING frames"
            case .priorities: "PRIORITY frames"
            case .windowUpdates: "WINDOW_UPDATE frames"
            case .emptyContent: "empty DATA frames"
            case .continuations: "CONTINUATION frames"
            case .headBytes: "bytes of header fields"
            case .otherFrames: "frames without a meaning"
            }
        }
    }

    private var bounds = FrameBounds()
    /// Counts the units that have to come at once: the preface, frames, heads with all their
    /// frames.
    private(set) var unit = 0
    /// Bytes of the connection's preface that are still to come.
    private var prefaceLeft = Self.prefaceBytes
    /// Payload of the frame at hand that is still to come.
    private var payloadLeft = 0
    /// The bytes of a frame's head that came, the last one lowest.
    private var head: (high: UInt8, low: UInt64) = (0, 0)
    private var headCount = 0
    private var isContent = false
    /// Between HEADERS and the frame that ends its head.
    private var isInFieldBlock = false
    private var blockBytes = 0
    private var fragments = 0

    private static let prefaceBytes = 24
    private static let headBytes = 9
    /// Bound of a head's field block as it comes: Huffman coding makes it smaller than it is.
    static let mostBlockBytes = 64 << 10
    /// Frames after HEADERS that may belong to one head; with frames of 16 KiB two are enough.
    static let mostContinuations = 8

    private enum Kind {
        static let (data, headers, priority, reset, settings): (UInt8, UInt8, UInt8, UInt8, UInt8) = (0, 1, 2, 3, 4)
        static let (ping, windowUpdate, continuation): (UInt8, UInt8, UInt8) = (6, 8, 9)
        static let priorityUpdate: UInt8 = 16
    }

    private enum Flag {
        static let (endStream, endHeaders, padded): (UInt8, UInt8, UInt8) = (1, 4, 8)
    }

    /// Whether a client that stops here has said only half of something that has to come at once:
    /// anything but content.
    var isWaitingForMore: Bool {
        prefaceLeft > 0 || headCount > 0 || isInFieldBlock || payloadLeft > 0 && !isContent
    }

    /// Content was sent, for which a client has to open its windows again.
    mutating func noteSent(_ byteCount: Int, at now: Instant) { bounds.noteSent(byteCount, at: now) }

    /// A stream was ended because of the client's frames on it.
    mutating func noteProvokedReset(at now: Instant) throws(Offence) { try bounds.take(.provokedResets, at: now) }

    /// A stream was refused, since there are as many as there may be.
    mutating func noteRefusedStream(at now: Instant) throws(Offence) { try bounds.take(.refusedStreams, at: now) }

    /// Looks at the bytes that have come.
    mutating func read(_ bytes: Span<UInt8>, at now: Instant) throws(Offence) {
        var index = min(prefaceLeft, bytes.count)
        prefaceLeft -= index
        while index < bytes.count {
            if payloadLeft > 0 {
                let count = min(payloadLeft, bytes.count - index)
                payloadLeft -= count
                index += count
                continue
            }
            head = (UInt8(truncatingIfNeeded: head.low >> 56), head.low << 8 | UInt64(bytes[index]))
            if headCount == 0, !isInFieldBlock { unit += 1 }
            headCount += 1
            index += 1
            guard headCount == Self.headBytes else { continue }
            headCount = 0
            try judge(now)
        }
    }

    /// A frame's head has come: 24 bits of length, type, flags, stream.
    private mutating func judge(_ now: Instant) throws(Offence) {
        let length = Int(head.high) << 16 | Int(head.low >> 48)
        let kind = UInt8(truncatingIfNeeded: head.low >> 40)
        let flags = UInt8(truncatingIfNeeded: head.low >> 32)
        payloadLeft = length
        isContent = kind == Kind.data
        switch kind {
        case Kind.data:
            // Up to 256 bytes may be padding.
            let content = flags & Flag.padded == 0 ? length : max(0, length - 256)
            if content == 0, flags & Flag.endStream == 0 { try bounds.take(.emptyContent, at: now) }
        case Kind.headers, Kind.continuation: try judgeFieldBlock(kind, length, flags)
        case Kind.reset: try bounds.take(.resets, at: now)
        case Kind.settings: try bounds.take(.settings, at: now)
        case Kind.ping: try bounds.take(.pings, at: now)
        case Kind.priority, Kind.priorityUpdate: try bounds.take(.priorities, at: now)
        case Kind.windowUpdate: try bounds.take(.windowUpdates, at: now)
        default: try bounds.take(.otherFrames, at: now)
        }
    }

    private mutating func judgeFieldBlock(_ kind: UInt8, _ length: Int, _ flags: UInt8) throws(Offence) {
        if kind == Kind.headers { (blockBytes, fragments) = (0, 0) } else { fragments += 1 }
        blockBytes += length
        isInFieldBlock = flags & Flag.endHeaders == 0
        guard fragments <= Self.mostContinuations else { throw .continuations }
        guard blockBytes <= Self.mostBlockBytes else { throw .headBytes }
    }
}
