import HTTP

// One answer of the admin listener, collected until it is complete. The grammar is the proxy's own
// (`HTTP`).

struct AdminAnswer: Equatable, Sendable {
    let status: Int
    let body: [UInt8]
}

struct AdminAnswerReader {
    /// Generous for statistics and listings; a bound, because the other side need not be the proxy.
    static let limits: MessageLimits = {
        var limits = MessageLimits.response
        limits.maxBodyBytes = 64 << 20
        return limits
    }()

    private var bytes: [UInt8] = []
    private var parser = HeadParser(limits: AdminAnswerReader.limits)
    private var head = ResponseHead()
    private var decoder: BodyDecoder?
    private var body: [UInt8] = []
    private var isComplete = false

    /// Takes what was received, nothing at the end of the connection; true once the answer is
    /// complete.
    mutating func take(_ received: [UInt8]) throws(FileProblem) -> Bool {
        bytes += received
        do throws(ParseError) {
            try advance()
            if received.isEmpty, !isComplete {
                guard decoder != nil else { throw .truncated }
                try decoder?.finish()
                isComplete = true
            }
        } catch {
            throw FileProblem("the answer is not HTTP (\(error.reason))")
        }
        return isComplete
    }

    /// The answer, after `take` said that it is complete.
    consuming func answer() -> AdminAnswer { AdminAnswer(status: head.status, body: body) }

    private mutating func advance() throws(ParseError) {
        let readable = bytes
        var start = 0
        defer { bytes = Array(readable[start...]) }
        while decoder == nil {
            let span = readable.span.extracting(start..<readable.count)
            guard try parser.parse(span, into: &head) else { return }
            let framing = try head.framing(span, answering: .get)
            start += head.byteCount
            parser.reset()
            // An interim answer (1xx) comes before the one that counts.
            if head.status >= 200 { decoder = BodyDecoder(framing, limits: Self.limits) }
        }
        while !isComplete {
            switch try decoder?.next(readable.span.extracting(start..<readable.count)) {
            case .content(let range, let consumed):
                body += readable[(start + range.range.lowerBound)..<(start + range.range.upperBound)]
                start += consumed
            case .end(let consumed):
                start += consumed
                isComplete = true
            case .needMore(let consumed):
                start += consumed
                return
            case nil: return
            }
        }
    }
}
