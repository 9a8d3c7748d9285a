/// Reads the answers of one connection, one at a time. Pure: bytes in, answers out.
///
/// Must hold: nothing malformed or incomplete counts as an answer; no byte after an answer is
/// consumed. Content is kept only where it is wanted.
public struct AnswerReader: Sendable {
    private enum Phase {
        case head
        case content
        case whole
    }

    /// The most interim answers before one final answer (RFC 9110 15.2): more is no dialogue.
    private static let mostInterim = 8

    private let limits: MessageLimits
    private let mostKept: Int
    private var phase = Phase.whole
    private var parser: HeadParser
    private var decoder: BodyDecoder
    private var isHead = false
    private var keepsContent = false
    private var interimResponses = 0
    /// The bytes of an answer that `take` was given and has not read yet.
    private var rest: [UInt8] = []

    /// The head of the answer, once it is there, with the bytes that it was read from.
    public private(set) var head = ResponseHead()
    public private(set) var headBytes: [UInt8] = []
    /// Bytes of content.
    public private(set) var length = 0
    public private(set) var content: [UInt8] = []
    /// Whether the connection can be used again.
    public private(set) var keepsAlive = false

    /// - Parameter mostKept: bytes of content to keep; more are counted alone.
    public init(limits: MessageLimits = .response, mostKept: Int = .max) {
        (self.limits, self.mostKept) = (limits, mostKept)
        parser = HeadParser(limits: limits)
        decoder = BodyDecoder(.none, limits: limits)
    }

    public var status: Int { head.status }

    /// Expects an answer, to a HEAD or to a request whose answer has content.
    public mutating func begin(isHead: Bool = false, keepsContent: Bool) {
        (self.isHead, self.keepsContent) = (isHead, keepsContent)
        phase = .head
        parser.reset()
        interimResponses = 0
        (length, keepsAlive) = (0, false)
        content.removeAll(keepingCapacity: true)
        rest.removeAll(keepingCapacity: true)
    }

    /// Takes bytes that have arrived, and keeps those that cannot be read yet. Returns how many are
    /// left over after the answer; nil where it goes on.
    public mutating func take(_ bytes: Span<UInt8>) throws(ParseError) -> Int? {
        guard !rest.isEmpty else {
            let consumed = try read(bytes)
            if phase == .whole { return bytes.count - consumed }
            bytes.extracting(consumed...).withUnsafeBytes { rest.append(contentsOf: $0) }
            return nil
        }
        var joined = rest
        bytes.withUnsafeBytes { joined.append(contentsOf: $0) }
        let consumed = try read(joined.span)
        rest = Array(joined[consumed...])
        return phase == .whole ? rest.count : nil
    }

    /// Takes bytes for a caller that waits for one answer: nothing is received where the other side
    /// has ended. Returns whether the answer is whole.
    public mutating func take(_ received: [UInt8]) throws(ParseError) -> Bool {
        let surplus: Int? = try take(received.span)
        if surplus != nil { return true }
        if received.isEmpty, !end() { throw .truncated }
        return received.isEmpty
    }

    /// Reads on; returns how many bytes were consumed. The others have to be there again at the
    /// next call, with more after them.
    private mutating func read(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
        var consumed = 0
        while phase == .head {
            let rest = bytes.extracting(consumed...)
            guard try parser.parse(rest, into: &head) else { return consumed }
            try takeHead(rest)
            consumed += head.byteCount
        }
        if phase == .content { consumed += try readContent(bytes.extracting(consumed...)) }
        return consumed
    }

    /// The other side has ended: true where that is how the answer ends.
    public mutating func end() -> Bool {
        guard phase == .content, (try? decoder.finish()) != nil else { return false }
        phase = .whole
        return true
    }

    /// Removes the content that has come since the last call; what follows is kept as before.
    public mutating func removeContent() -> [UInt8] {
        defer { content.removeAll(keepingCapacity: true) }
        return content
    }

    /// Whether nothing of the answer has come yet.
    public var isUntouched: Bool { phase == .head && parser.isAtStart && interimResponses == 0 && rest.isEmpty }

    /// Whether its head has come.
    public var hasHead: Bool { phase != .head }

    private mutating func takeHead(_ bytes: Span<UInt8>) throws(ParseError) {
        if head.isInterim {
            interimResponses += 1
            // No request asks to switch protocols.
            guard head.status != 101, interimResponses <= Self.mostInterim else { throw .statusLine }
            return
        }
        headBytes.removeAll(keepingCapacity: true)
        bytes.extracting(first: head.byteCount).withUnsafeBytes { headBytes.append(contentsOf: $0) }
        let framing = try head.framing(bytes, answering: isHead ? .head : .get)
        keepsAlive = head.keepsAlive && framing != .untilClose
        decoder = BodyDecoder(framing, limits: limits)
        phase = .content
    }

    private mutating func readContent(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
        var consumed = 0
        while true {
            let rest = bytes.extracting(consumed...)
            switch try decoder.next(rest) {
            case .content(let range, let count):
                keep(rest.extracting(range.range))
                consumed += count
            case .needMore(let count): return consumed + count
            case .end(let count):
                phase = .whole
                return consumed + count
            }
        }
    }

    private mutating func keep(_ bytes: Span<UInt8>) {
        length += bytes.count
        guard keepsContent, length <= mostKept else { return }
        bytes.withUnsafeBytes { content.append(contentsOf: $0) }
    }
}
