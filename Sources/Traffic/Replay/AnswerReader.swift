import HTTP
import Proxy

/// Reads the answers of one connection, one at a time. Pure: bytes in, what they say out.
///
/// What must hold: nothing malformed or incomplete counts as an answer; no byte behind an answer is
/// consumed. Content is kept only where somebody wants it.
struct AnswerReader: Sendable {
    private enum Phase {
        case head
        /// So many bytes of content are still to come.
        case counted(Int)
        case decoded
        case whole
    }

    /// What came of some bytes.
    struct Step: Equatable {
        let consumed: Int
        let isWhole: Bool
    }

    /// More before one answer is no dialogue (RFC 9110 15.2).
    static let mostInterim = 8

    private var phase = Phase.whole
    private var parser = HeadParser(limits: .response)
    private var head = ResponseHead()
    private var decoder = BodyDecoder(.none, limits: .response)
    private var isHead = false
    private var keepsContent = false
    private var interimResponses = 0

    private(set) var status = 0
    /// nil where the answer does not say.
    private(set) var outcome: Outcome?
    /// Bytes of content.
    private(set) var length = 0
    private(set) var content: [UInt8] = []
    private(set) var isGzip = false
    /// Whether the connection can be used again.
    private(set) var keepsAlive = false

    /// Expects an answer, to a HEAD or to a request whose answer has content.
    mutating func begin(isHead: Bool, keepsContent: Bool) {
        self.isHead = isHead
        self.keepsContent = keepsContent
        phase = .head
        parser.reset()
        interimResponses = 0
        (length, keepsAlive) = (0, false)
        content.removeAll(keepingCapacity: true)
    }

    /// Reads on. What is not consumed has to be there again at the next call, with more behind it.
    mutating func read(_ bytes: Span<UInt8>) throws(ParseError) -> Step {
        var consumed = 0
        while case .head = phase {
            let rest = bytes.extracting(consumed...)
            guard try parser.parse(rest, into: &head) else { return Step(consumed: consumed, isWhole: false) }
            try take(rest)
            consumed += head.byteCount
        }
        consumed += try readContent(bytes.extracting(consumed...))
        return Step(consumed: consumed, isWhole: isWhole)
    }

    /// The target has ended its side: true where that is how the answer ends.
    mutating func end() -> Bool {
        guard case .decoded = phase, (try? decoder.finish()) != nil else { return false }
        phase = .whole
        return true
    }

    /// Whether nothing of the answer has come yet.
    var isUntouched: Bool {
        if case .head = phase { parser.isAtStart && interimResponses == 0 } else { false }
    }

    /// Whether its head has come.
    var hasHead: Bool {
        if case .head = phase { false } else { true }
    }

    private var isWhole: Bool {
        if case .whole = phase { true } else { false }
    }

    private mutating func take(_ bytes: Span<UInt8>) throws(ParseError) {
        if head.isInterim {
            interimResponses += 1
            // Nobody asked to switch protocols.
            guard head.status != 101, interimResponses <= Self.mostInterim else { throw .statusLine }
            return
        }
        status = head.status
        outcome = Outcome(head.fields, bytes)
        isGzip = head.fields.first(.contentEncoding).map { bytes.equalsIgnoringCase($0.value.range, "gzip") } ?? false
        let framing = try head.framing(bytes, answering: isHead ? .head : .get)
        keepsAlive = head.keepsAlive && framing != .untilClose
        switch framing {
        case .none, .length(0): phase = .whole
        case .length(let count): phase = .counted(count)
        case .chunked, .untilClose:
            decoder = BodyDecoder(framing, limits: .response)
            phase = .decoded
        }
    }

    private mutating func readContent(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
        switch phase {
        case .head, .whole: return 0
        case .counted(let remaining):
            let count = min(remaining, bytes.count)
            keep(bytes.extracting(first: count))
            phase = count == remaining ? .whole : .counted(remaining - count)
            return count
        case .decoded: return try decode(bytes)
        }
    }

    private mutating func decode(_ bytes: Span<UInt8>) throws(ParseError) -> Int {
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

    /// A body that could not have been recorded is not collected further: it differs by its length
    /// already.
    private mutating func keep(_ bytes: Span<UInt8>) {
        length += bytes.count
        guard keepsContent, length <= AnswerReader.mostKept else { return }
        bytes.withUnsafeBytes { content.append(contentsOf: $0) }
    }

    /// Of an answer's content, in bytes: as much as a recorded one has at most.
    static let mostKept = 8 << 20
}
