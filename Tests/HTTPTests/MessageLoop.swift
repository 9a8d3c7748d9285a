import HTTP

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
    var statuses: [Int] = []
    var contents: [[UInt8]] = []
    var end = End.clean

    var messages: Int { contents.count }

    var error: ParseError? {
        if case .error(let error) = end { error } else { nil }
    }

    var description: String {
        "\(messages) messages, \(end), targets \(targets.map { $0.prefix(40) }), statuses \(statuses)"
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

/// The text at `range` of what is readable.
func text(_ bytes: Span<UInt8>, _ range: ByteRange) -> String {
    var copy: [UInt8] = []
    for index in range.range { copy.append(bytes[index]) }
    return String(decoding: copy, as: UTF8.self)
}

/// The server's side of a connection.
struct RequestLoop: ~Copyable {
    var limits = MessageLimits.request
    private var buffer = ByteBuffer(capacity: 64)
    private var parser: HeadParser
    private let head = RequestHead()
    private var decoder: BodyDecoder?
    private var content: [UInt8] = []
    private var closes = false
    private var verdict = Verdict()

    init(limits: MessageLimits = .request) {
        self.limits = limits
        parser = HeadParser(limits: limits)
    }

    static func run(_ bytes: [UInt8], cuts: [Int] = [], limits: MessageLimits = .request) -> Verdict {
        var loop = RequestLoop(limits: limits)
        for piece in pieces(bytes, cuts: cuts) where !loop.isOver {
            loop.buffer.append(piece)
            loop.advance()
        }
        return loop.finished()
    }

    private var isOver: Bool { verdict.error != nil || verdict.end == .closed }

    private consuming func finished() -> Verdict {
        if !isOver { verdict.end = decoder != nil || !buffer.isEmpty ? .incomplete : .clean }
        return verdict
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
        guard try buffer.withReadable({ (bytes) throws(ParseError) -> Bool in try parser.parse(bytes, into: head) })
        else { return false }
        let framing = try buffer.withReadable { (bytes) throws(ParseError) -> BodyFraming in
            verdict.targets.append(text(bytes, head.target))
            return try head.framing(bytes, limits: limits)
        }
        buffer.consume(head.byteCount)
        closes = !head.keepsAlive
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

/// The client's side of a connection, up to the end of one final response.
struct ResponseLoop: ~Copyable {
    private let method: Method
    private let limits = MessageLimits.response
    private var buffer = ByteBuffer(capacity: 64)
    private var parser = HeadParser(limits: .response)
    private var head = ResponseHead()
    private var decoder: BodyDecoder?
    private var content: [UInt8] = []
    private var verdict = Verdict()

    init(method: Method) {
        self.method = method
    }

    /// `closes`: the peer closes after the last byte.
    static func run(_ bytes: [UInt8], cuts: [Int] = [], method: Method = .get, closes: Bool = true) -> Verdict {
        var loop = ResponseLoop(method: method)
        for piece in pieces(bytes, cuts: cuts) where !loop.isOver {
            loop.buffer.append(piece)
            loop.advance()
        }
        if closes, !loop.isOver { loop.close() }
        return loop.finished()
    }

    private var isOver: Bool { verdict.error != nil || verdict.messages > 0 }

    private consuming func finished() -> Verdict {
        if !isOver { verdict.end = .incomplete }
        return verdict
    }

    private mutating func close() {
        do throws(ParseError) {
            guard var decoder else { throw .truncated }
            try decoder.finish()
            verdict.contents.append(content)
        } catch {
            verdict.end = .error(error)
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
        guard try buffer.withReadable({ (bytes) throws(ParseError) -> Bool in try parser.parse(bytes, into: &head) })
        else { return false }
        let framing = try buffer.withReadable { (bytes) throws(ParseError) in
            try head.framing(bytes, answering: method)
        }
        buffer.consume(head.byteCount)
        verdict.statuses.append(head.status)
        if !head.isInterim { decoder = BodyDecoder(framing, limits: limits) }
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
            verdict.contents.append(content)
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
