import EventLoop
import HTTP

/// Why there is no (complete) answer from the origin: the upstream side is to blame in each case.
public enum UpstreamFailure: Error, Sendable, Equatable {
    /// The step that was waited for when the time was up.
    public enum Phase: Sendable, Equatable {
        /// The end of the final response's head.
        case firstByte
        /// The end of the content of an answer that is collected before it is passed on.
        case content
        /// The end of the answer.
        case whole
    }

    /// How far the answer had come when the connection ended.
    public enum Progress: Sendable, Equatable {
        /// No byte of the answer; on a reused connection the origin has most likely closed it
        /// before it saw the request.
        case nothing(isReused: Bool)
        /// Some of the head, perhaps interim responses.
        case head
        /// The head and perhaps some content.
        case content
    }

    /// There is no connection.
    case dial(DialFailure)
    /// The time for one phase was up.
    case timeout(Phase)
    /// The origin closed or reset the connection before the answer was complete.
    case closedEarly(Progress)
    /// The answer is no HTTP/1.1 as RFC 9112 has it, or over a limit.
    case malformed(ParseError)
    /// The origin sent more TLS records without content than are put up with.
    case recordFlood
    /// 101 although no upgrade was ever asked for: there is no tunnel mode.
    case switchedProtocols
    /// The origin sent more interim responses than are put up with.
    case tooManyInterimResponses
    /// The queue is full. It will have emptied in `retryAfter` seconds, at least 1.
    case tooManyWaiting(retryAfter: Int)
    /// The request's turn did not come before the deadline. There will be room in `retryAfter`
    /// seconds, at least 1.
    case waitedTooLong(retryAfter: Int)
    /// The party held its share of the connections until the deadline. There will be room in
    /// `retryAfter` seconds, at least 1.
    case shareUsed(retryAfter: Int)
    /// The origin refuses all such requests for now (429). It is asked again in `retryAfter`
    /// seconds, at least 1.
    case heldBack(retryAfter: Int)
    /// The pool takes no new requests because the program ends.
    case draining
    /// The reader of a streamed answer did not keep up with it, and held its connection for too
    /// long.
    case readerTooSlow

    /// The status of the answer that the proxy generates (RFC 9110, 15.6.3 to 15.6.5; RFC 6585, 4).
    public var status: Int {
        switch self {
        case .timeout, .dial(.timedOut): 504
        case .heldBack: 429
        case .tooManyWaiting, .waitedTooLong, .shareUsed, .draining, .readerTooSlow: 503
        case .dial, .closedEarly, .malformed, .recordFlood, .switchedProtocols, .tooManyInterimResponses: 502
        }
    }

    /// Seconds after which another try is worth it, for `Retry-After` (RFC 9110, 10.2.3); nil where
    /// nothing is known.
    public var retryAfter: Int? {
        switch self {
        case .tooManyWaiting(let seconds), .waitedTooLong(let seconds), .shareUsed(let seconds),
            .heldBack(let seconds):
            seconds
        default: nil
        }
    }

    /// Whether the origin has most likely not seen the request: it broke on a reused connection
    /// before the first byte of an answer (RFC 9112, 9.3.1).
    var isWorthRetrying: Bool {
        self == .closedEarly(.nothing(isReused: true))
    }
}

extension UpstreamFailure {
    /// The kind of failure in a word, the same as the log, the counters and `Cache-Status` have.
    package var word: String {
        switch self {
        case .dial(let failure): "upstream-\(failure.word)"
        case .timeout(.firstByte): "upstream-first-byte-timeout"
        case .timeout(.content): "upstream-content-timeout"
        case .timeout(.whole): "upstream-timeout"
        case .closedEarly: "upstream-closed"
        case .malformed, .recordFlood, .switchedProtocols, .tooManyInterimResponses: "upstream-malformed"
        case .tooManyWaiting: "queue-full"
        case .waitedTooLong: "waited-too-long"
        case .shareUsed: "share-used"
        case .heldBack: "held-back"
        case .draining: "draining"
        case .readerTooSlow: "slow-reader"
        }
    }
}

extension UpstreamFailure: CustomStringConvertible {
    /// For the log: the kind and the cause, where it is known; nothing of the request.
    public var description: String {
        switch self {
        case .dial(let failure): failure.cause.map { "\(word): \($0)" } ?? word
        case .closedEarly(.nothing): "\(word): before the answer"
        case .closedEarly(.head): "\(word): in the head"
        case .closedEarly(.content): "\(word): in the content"
        case .malformed(let error): "\(word): \(error.reason)"
        case .recordFlood: "\(word): too many TLS records without content"
        case .switchedProtocols: "\(word): 101"
        case .tooManyInterimResponses: "\(word): too many interim responses"
        case .timeout, .tooManyWaiting, .waitedTooLong, .shareUsed, .heldBack, .draining, .readerTooSlow: word
        }
    }
}
