import EventLoop
import HTTP

/// Turns the bytes of one connection into answers, one at a time. Pure: bytes in, events out.
///
/// Must hold:
/// - nothing of a malformed or incomplete answer is reported as complete;
/// - interim responses are reported or, if 100, skipped, a bounded number of them; 101 is a fault
///   (RFC 9110, 15.2);
/// - content is collected up to a bound; a larger answer, and one that is to be streamed, is
///   reported as `began`, `received`..., `finished`;
/// - no byte after the end of an answer is consumed: such bytes are surplus, and the connection not
///   reusable.
struct ResponseReader: Sendable {
    /// How many bytes of the span are done with, and the event they led to.
    struct Step {
        let consumed: Int
        /// Nil: all bytes were looked at and there is nothing to report. Never `failed`, which is
        /// thrown.
        let event: UpstreamEvent?
    }

    private enum Phase {
        case head
        /// Content whose length is known; the number of bytes still to come.
        case counted(Int)
        case decoded
        case ended
    }

    static let maxInterimResponses = 32
    static let maxInterimBytes = 16 << 10
    /// The most of a streamed answer that one read takes. 64 KiB cost a sixth more; 128 KiB get
    /// pages of their own, which the kernel brings anew for each piece.
    private static let pieceBytes = 112 << 10

    private let site: SiteAddress
    private let limits: MessageLimits
    private let maxCollectedBytes: Int
    private var phase = Phase.ended
    private var method = Method.get
    private var isReused = false
    private var requestedAt = Instant(nanoseconds: 0)
    private var hasSeenBytes = false
    private var interimResponses = 0
    private var interimBytes = 0
    private var parser: HeadParser
    private var head = ResponseHead()
    private var decoder: BodyDecoder
    /// The head of an answer that was not reported yet.
    private(set) var response: UpstreamResponse?
    private var collected: [UInt8] = []
    private var isStreaming = false
    /// Whether the origin keeps the connection after this answer. Meaningful once the head is
    /// complete.
    private(set) var keepsAlive = false

    /// - Parameter site: the origin, to which answers may refer.
    init(from site: SiteAddress, limits: MessageLimits, maxCollectedBytes: Int) {
        (self.site, self.limits, self.maxCollectedBytes) = (site, limits, maxCollectedBytes)
        parser = HeadParser(limits: limits)
        decoder = BodyDecoder(.none, limits: limits)
    }

    /// Expects the answer to a request of this method. `isReused` only tells how an early end is
    /// reported.
    mutating func begin(answering method: Method, isReused: Bool, at now: Instant) {
        (self.method, self.isReused, requestedAt) = (method, isReused, now)
        phase = .head
        hasSeenBytes = false
        (interimResponses, interimBytes) = (0, 0)
        parser.reset()
        response = nil
        collected = []
        isStreaming = false
        keepsAlive = false
    }

    /// Has the answer reported as it comes, from `began` on.
    mutating func streamContent() { isStreaming = true }

    /// Reads on. Call it again with the rest, also with none, until it has nothing to
    /// report, or says `answered` or `finished`.
    mutating func read(_ bytes: Span<UInt8>, at now: Instant) throws(UpstreamFailure) -> Step {
        if bytes.count > 0 { hasSeenBytes = true }
        var consumed = 0
        while case .head = phase {
            let rest = bytes.extracting(consumed...)
            guard try parse(rest) else { return Step(consumed: consumed, event: nil) }
            consumed += head.byteCount
            if let interim = try takeHead(rest) { return Step(consumed: consumed, event: .interim(interim)) }
        }
        consumed += try readContent(bytes.extracting(consumed...))
        return Step(consumed: consumed, event: nextEvent(at: now))
    }

    /// The origin closed its side: the end of an answer without a length, a fault anywhere else.
    mutating func end(at now: Instant) throws(UpstreamFailure) -> UpstreamEvent? {
        switch phase {
        case .head, .counted:
            throw brokenOff
        case .decoded:
            do {
                try decoder.finish()
            } catch {
                throw .closedEarly(.content)
            }
            phase = .ended
        case .ended:
            break
        }
        return nextEvent(at: now)
    }

    /// The failure for a connection that broke (was reset, timed out in TCP, had no
    /// `close_notify`).
    var brokenOff: UpstreamFailure {
        guard case .head = phase else { return .closedEarly(.content) }
        return .closedEarly(hasSeenBytes ? .head : .nothing(isReused: isReused))
    }
}

// MARK: Head

extension ResponseReader {
    private mutating func parse(_ bytes: Span<UInt8>) throws(UpstreamFailure) -> Bool {
        do {
            return try parser.parse(bytes, into: &head)
        } catch {
            throw .malformed(error)
        }
    }

    /// Acts on a complete head: prepares for the content after a final one, returns an interim one
    /// that is to be reported.
    private mutating func takeHead(_ bytes: Span<UInt8>) throws(UpstreamFailure) -> UpstreamInterim? {
        parser.reset()
        guard !head.isInterim else { return try takeInterim(bytes) }
        let framing: BodyFraming
        do {
            framing = try head.framing(bytes, answering: method)
        } catch {
            throw .malformed(error)
        }
        keepsAlive = head.keepsAlive && framing != .untilClose
        response = UpstreamResponse(head, bytes, from: site)
        prepare(for: framing)
        return nil
    }

    private mutating func takeInterim(_ bytes: Span<UInt8>) throws(UpstreamFailure) -> UpstreamInterim? {
        guard head.status != 101 else { throw .switchedProtocols }
        interimResponses += 1
        interimBytes += head.byteCount
        guard interimResponses <= Self.maxInterimResponses, interimBytes <= Self.maxInterimBytes else {
            throw .tooManyInterimResponses
        }
        guard head.status != 100 else { return nil }
        return UpstreamInterim(status: head.status, fields: UpstreamFields(of: head, bytes, from: site))
    }

    private mutating func prepare(for framing: BodyFraming) {
        switch framing {
        case .none, .length(0):
            phase = .ended
        case .length(let count):
            phase = .counted(count)
            isStreaming = count > maxCollectedBytes
            // Room for more is taken once it is known that it is collected.
            if count <= Self.pieceBytes { collected.reserveCapacity(count) }
        case .chunked, .untilClose:
            phase = .decoded
            decoder = BodyDecoder(framing, limits: limits)
        }
    }
}

// MARK: Content

extension ResponseReader {
    /// How many bytes of content can be read straight into their place; 0 where they need decoding.
    var directRoom: Int {
        guard case .counted(let remaining) = phase else { return 0 }
        return isStreaming ? min(remaining, Self.pieceBytes) : remaining
    }

    /// Lets `read` write at most `count` bytes of content into their place; it returns how many it
    /// wrote. Then call `read` with an empty span. `count` is at most `directRoom`.
    mutating func readDirectly(_ count: Int, _ read: (UnsafeMutableRawBufferPointer) -> Int) {
        guard case .counted(let remaining) = phase else { return }
        let before = collected.count
        if !isStreaming { collected.reserveCapacity(before + remaining) }
        collected.append(addingCapacity: count) { output in
            output.withUnsafeMutableBufferPointer { buffer, initialised in
                initialised += read(
                    UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer).prefix(count)))
            }
        }
        advance(by: collected.count - before, of: remaining)
    }

    private mutating func advance(by received: Int, of remaining: Int) {
        precondition(received <= remaining)
        phase = received == remaining ? .ended : .counted(remaining - received)
    }

    /// Collects the content in the bytes; returns how many of them belong to this answer.
    private mutating func readContent(_ bytes: Span<UInt8>) throws(UpstreamFailure) -> Int {
        switch phase {
        case .head, .ended:
            return 0
        case .counted(let remaining):
            let count = min(remaining, bytes.count)
            collected.append(bytes.extracting(first: count))
            advance(by: count, of: remaining)
            return count
        case .decoded:
            return try decode(bytes)
        }
    }

    private mutating func decode(_ bytes: Span<UInt8>) throws(UpstreamFailure) -> Int {
        var consumed = 0
        while true {
            let rest = bytes.extracting(consumed...)
            let piece: BodyDecoder.Piece
            do {
                piece = try decoder.next(rest)
            } catch {
                throw .malformed(error)
            }
            switch piece {
            case .content(let range, let count):
                collected.append(rest.extracting(range.range))
                consumed += count
            case .needMore(let count):
                return consumed + count
            case .end(let count):
                phase = .ended
                return consumed + count
            }
        }
    }

    /// The event to report now: the answer is whole, or too large to wait for, or goes on.
    private mutating func nextEvent(at now: Instant) -> UpstreamEvent? {
        if var begun = response.take() {
            if case .ended = phase, collected.count <= maxCollectedBytes {
                stamp(&begun, at: now)
                return .answered(begun)
            }
            guard isStreaming || collected.count > maxCollectedBytes else {
                response = begun
                return nil
            }
            isStreaming = true
            stamp(&begun, at: now)
            return .began(begun)
        }
        guard isStreaming else { return nil }
        if !collected.isEmpty { return .received(take()) }
        if case .ended = phase {
            isStreaming = false
            return .finished
        }
        return nil
    }

    /// Completes an answer that is reported.
    private mutating func stamp(_ response: inout UpstreamResponse, at now: Instant) {
        response.body = take()
        (response.requestedAt, response.receivedAt) = (requestedAt, now)
    }

    /// Takes the collected bytes. A piece that is mostly empty would hold its room for as long as
    /// it waits for its client.
    private mutating func take() -> [UInt8] {
        let isMostlyRoom = isStreaming && collected.capacity > 2 * collected.count
        defer { collected = [] }
        return isMostlyRoom ? collected.withUnsafeBufferPointer { Array($0) } : collected
    }
}
