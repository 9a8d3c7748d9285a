import Testing

@testable import HTTP

/// What a connection does with what it reads, without the connection: heads, framing and content,
/// one message after the other, fed in pieces. Everything a test wants to compare is in the value.
struct Verdict: Equatable, CustomStringConvertible {
    enum End: Equatable {
        /// Every byte belonged to a message.
        case clean
        /// A message has begun and not ended.
        case incomplete
        /// The last message closes the connection; what follows it was not looked at.
        case closed
        case error(ParseError)
    }

    var targets: [String] = []
    var contents: [[UInt8]] = []
    var end = End.clean

    var messages: Int { contents.count }

    var error: ParseError? {
        if case .error(let error) = end { error } else { nil }
    }

    var description: String {
        "\(messages) messages, \(end), targets \(targets.map { $0.prefix(40) })"
    }
}

/// The pieces of `bytes` between the offsets in `cuts`.
func pieces(_ bytes: [UInt8], cuts: [Int]) -> [ArraySlice<UInt8>] {
    var result: [ArraySlice<UInt8>] = []
    var from = 0
    for cut in cuts + [bytes.count] where cut > from {
        result.append(bytes[from..<cut])
        from = cut
    }
    return result
}

/// The server's side of a connection, which reads requests.
struct MessageLoop: ~Copyable {
    private let limits: MessageLimits
    private var buffer = ByteBuffer(capacity: 64)
    private var parser: HeadParser
    private let request = RequestHead()
    private var decoder: BodyDecoder?
    private var content: [UInt8] = []
    private var closes = false
    private var verdict = Verdict()

    private init(limits: MessageLimits) {
        self.limits = limits
        parser = HeadParser(limits: limits)
    }

    static func requests(_ bytes: [UInt8], cuts: [Int] = [], limits: MessageLimits = .request) -> Verdict {
        var loop = MessageLoop(limits: limits)
        loop.feed(bytes, cuts)
        if !loop.isOver { loop.verdict.end = loop.decoder != nil || !loop.buffer.isEmpty ? .incomplete : .clean }
        return loop.verdict
    }

    private var isOver: Bool { verdict.error != nil || verdict.end == .closed }

    private mutating func feed(_ bytes: [UInt8], _ cuts: [Int]) {
        for piece in pieces(bytes, cuts: cuts) where !isOver {
            buffer.append(piece)
            advance()
        }
    }

    private mutating func advance() {
        do throws(ParseError) {
            while !isOver, !buffer.isEmpty || decoder != nil {
                guard try decoder == nil ? readHead() : readContent() else { return }
            }
        } catch {
            verdict.end = .error(error)
        }
    }

    private mutating func readHead() throws(ParseError) -> Bool {
        let framing = try buffer.withReadable { (bytes) throws(ParseError) -> BodyFraming? in
            guard try parser.parse(bytes, into: request) else { return nil }
            verdict.targets.append(bytes.text(request.target))
            return try request.framing(bytes, limits: limits)
        }
        guard let framing else { return false }
        buffer.consume(request.byteCount)
        closes = !request.keepsAlive
        decoder = BodyDecoder(framing, limits: limits)
        return true
    }

    private mutating func readContent() throws(ParseError) -> Bool {
        guard var decoder else { return true }
        let piece = try buffer.withReadable { (bytes) throws(ParseError) in try decoder.next(bytes) }
        self.decoder = decoder
        switch piece {
        case .content(let range, let consumed):
            content += buffer.copyReadable()[range.range]
            buffer.consume(consumed)
            return true
        case .needMore(let consumed):
            buffer.consume(consumed)
            return false
        case .end(let consumed):
            buffer.consume(consumed)
            self.decoder = nil
            verdict.contents.append(content)
            content = []
            if closes { verdict.end = .closed }
            return true
        }
    }
}

/// Ways to cut a message of this length: once, at every offset of a short one and at a sample of a
/// long one; and, unless it is very long, into single bytes.
func cutLists(_ length: Int) -> [[Int]] {
    guard length > 1 else { return [] }
    let step = length <= 150 ? 1 : length <= 2000 ? 3 : max(1, length / 60)
    let once = stride(from: 1, to: length, by: step).map { [$0] }
    return length <= 4096 ? once + [Array(1..<length)] : once
}

/// Records where a message that comes in pieces is judged otherwise than the whole.
func expectCutsToChangeNothing(_ id: String, _ length: Int, _ judge: (_ cuts: [Int]) -> Verdict) {
    let whole = judge([])
    for cuts in cutLists(length) {
        let split = judge(cuts)
        guard split != whole else { continue }
        Issue.record("\(id) cut at \(cuts.prefix(3)): \(split) instead of \(whole)")
        return
    }
}
