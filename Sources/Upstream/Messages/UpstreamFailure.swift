import EventLoop
import HTTP

/// Why there is no (complete) answer from the origin: the upstream side is to blame in each case.
public enum UpstreamFailure: Error, Sendable, Equatable {
    /// What had been waited for when the time was up.
    public enum Phase: Sendable, Equatable {
        /// A usable connection.
        case connect
        /// The end of the final response's head.
        case firstByte
        /// The end of the content of an answer that is collected before it is passed on.
        case content
        /// The end of the answer.
        case whole
    }

    /// How far the answer had come when the connection ended.
    public enum Progress: Sendable, Equatable {
        /// Not one byte; on a reused connection the origin has most likely closed it before it saw
        /// the request.
        case nothing(isReused: Bool)
        /// Some of the head, perhaps interim responses.
        case head
        /// The head and perhaps some content.
        case content
    }

    /// The name has no address. The text is the resolver's.
    case resolve(String)
    /// No address accepted a connection. The text names the last system error.
    case connect(String)
    /// The handshake or the verification of the certificate failed.
    case tls(String)
    /// The time for one phase was up.
    case timeout(Phase)
    /// The origin closed or reset the connection before the answer was complete.
    case closedEarly(Progress)
    /// Not HTTP/1.1 as RFC 9112 has it, or over a limit.
    case malformed(ParseError)
    /// 101 although no upgrade was ever asked for: there is no tunnel mode.
    case switchedProtocols
    /// More interim responses than are put up with.
    case tooManyInterimResponses
    /// The queue is full. In so many seconds, at least 1, it will have emptied.
    case tooManyWaiting(retryAfter: Int)
    /// Its turn did not come before the deadline. In so many seconds, at least 1, there will be
    /// room.
    case waitedTooLong(retryAfter: Int)
    /// The origin refuses all such requests for now (429). In so many seconds, at least 1, it is
    /// asked again.
    case heldBack(retryAfter: Int)
    /// The pool takes no new requests because the program ends.
    case draining
    /// What a streamed answer is for did not keep up with it, and held its connection for too long.
    case readerTooSlow

    /// The status of the answer that the proxy generates (RFC 9110, 15.6.3 to 15.6.5; RFC 6585, 4).
    public var status: Int {
        switch self {
        case .timeout: 504
        case .heldBack: 429
        case .tooManyWaiting, .waitedTooLong, .draining, .readerTooSlow: 503
        case .resolve, .connect, .tls, .closedEarly, .malformed, .switchedProtocols, .tooManyInterimResponses: 502
        }
    }

    /// Seconds after which another try is worth it, for `Retry-After` (RFC 9110, 10.2.3); nil where
    /// nothing is known.
    public var retryAfter: Int? {
        switch self {
        case .tooManyWaiting(let seconds), .waitedTooLong(let seconds), .heldBack(let seconds): seconds
        default: nil
        }
    }

    /// Whether the origin has most likely not seen the request: it broke on a reused connection
    /// before the first byte of an answer (RFC 9112, 9.3.1).
    var isWorthRetrying: Bool {
        self == .closedEarly(.nothing(isReused: true))
    }

    init(_ failure: DialFailure) {
        self =
            switch failure {
            case .resolve(let text): .resolve(text)
            case .connect(let text): .connect(text)
            case .tls(let text): .tls(text)
            case .timedOut: .timeout(.connect)
            }
    }
}

extension UpstreamFailure {
    /// The kind of failure in a word, the same as the log, the counters and `Cache-Status` have.
    var word: String {
        switch self {
        case .resolve: "upstream-resolve"
        case .connect: "upstream-connect"
        case .tls: "upstream-tls"
        case .timeout(.connect): "upstream-connect-timeout"
        case .timeout(.firstByte): "upstream-first-byte-timeout"
        case .timeout(.content): "upstream-content-timeout"
        case .timeout(.whole): "upstream-timeout"
        case .closedEarly: "upstream-closed"
        case .malformed, .switchedProtocols, .tooManyInterimResponses: "upstream-malformed"
        case .tooManyWaiting: "queue-full"
        case .waitedTooLong: "waited-too-long"
        case .heldBack: "held-back"
        case .draining: "draining"
        case .readerTooSlow: "slow-reader"
        }
    }
}

extension UpstreamFailure: CustomStringConvertible {
    /// For the log: the kind and what is known of the cause; nothing of the request.
    public var description: String {
        switch self {
        case .resolve(let text), .connect(let text), .tls(let text): "\(word): \(text)"
        case .closedEarly(.nothing): "\(word): before the answer"
        case .closedEarly(.head): "\(word): in the head"
        case .closedEarly(.content): "\(word): in the content"
        case .malformed(let error): "\(word): \(error.reason)"
        case .switchedProtocols: "\(word): 101"
        case .tooManyInterimResponses: "\(word): too many interim responses"
        case .timeout, .tooManyWaiting, .waitedTooLong, .heldBack, .draining, .readerTooSlow: word
        }
    }
}
