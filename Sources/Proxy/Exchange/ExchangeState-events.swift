import Cache
import EventLoop
import Freshness
import Upstream

// The events and actions of `ExchangeState`.

extension ExchangeState {
    /// The receiver of an answer.
    enum Audience {
        /// A client.
        case client
        /// Another exchange, which completes its answer with this one.
        case part
        /// The cache: a stale answer was served and is replaced.
        case refresh
    }

    /// Facts that do not change during an exchange.
    struct Traits {
        var audience = Audience.client
        /// Whether others may wait for the answer, and this exchange for theirs.
        var isCollapsible = true
        /// Whether a stale answer is stored under the key.
        var hasStored = false
        /// Whether the origin can confirm the stored answer.
        var isRevalidatable = false
        /// Whether a stale answer may replace a missing one. It may be purged before that.
        var hasStandIn = false
        /// Whether another node may have the answer.
        var asksTier = false
        /// Whether one request would complete a composition of the answer.
        var hasSupplement = false
        /// Whether that request asks for more than the client wants.
        var asksForMore = false
        var isBatchable = false
        var acceptsGzip = false
        /// Whether the proxy signs requests with its own token.
        var hasOwnToken = false
        /// Whether the client's precondition is forwarded, which a 304 may answer.
        var isConditional = false
        /// Whether the client's range is forwarded, which a 206 may answer.
        var asksForRange = false
        /// Whether the method is safe (RFC 9110 9.2.1).
        var isSafe = true
        /// Whether personal answers are kept for the user.
        var hasUser = false
        /// Whether the answer is compared with a composed one.
        var isVerified = false
        /// Whether it is only for a verification: in the background, without a flight or repeats.
        var isWitness = false
        /// Whether the origin's errors are the same for everyone: no field or token of the client
        /// is forwarded.
        var hasImpersonalErrors = false
        /// Whether the route needs a user's token.
        var isPersonal = false
        /// Whether a user's token is sent.
        var hasUserToken = false
        /// Whether the client's own fields are forwarded.
        var carriesFields = false
        /// The longest wait for another request.
        var longestWait = Duration.seconds(15)
    }

    /// A request's place in the flight of its key.
    enum FlightPlace {
        /// It asks the origin for all, unless an answer was stored since its look-up.
        case leader(meanwhile: StoredResponse?)
        /// It asks for itself: recent answers to this key could not be shared (hit-for-miss).
        case alone
        /// It waits for the leader.
        case waiter
        /// Too many requests wait.
        case full(Reason)
    }

    /// Result of decoding an answer that may be in gzip.
    enum Decoding {
        case readable
        /// It is not gzip, or incomplete.
        case damaged
        /// It exceeds the bound for collected content.
        case tooLarge
    }

    enum Event {
        /// The cache had no fresh answer; `meanwhile`: one stored since, where a flight exists.
        case began(meanwhile: StoredResponse?)
        case joined(FlightPlace)
        /// The leader's request has ended; `isOurs`: its answer is for this request's fields too
        /// (`Vary`).
        case flightFinished(FlightOutcome, isOurs: Bool)
        /// This exchange leads a flight now; `meanwhile`: an answer stored since.
        case tookOver(meanwhile: StoredResponse?)
        /// The leader has not been out for long enough.
        case mayNotTakeOver
        /// The shared tier's answer, or one composed from its answers, both stored; nil: ask the
        /// origin.
        case looked(StoredResponse?)
        /// It waits for a batch, or goes alone.
        case batched(isAlone: Bool)
        /// The part, or the batch, has ended; `isFirst`: for the first of a batch.
        case partEnded(PartEnd, isFirst: Bool)
        /// The answer that the part completes; nil where it is still not there.
        case completed(StoredResponse?)
        /// The timer's time has come; `standIn`: a stale answer that may be served.
        case patienceEnded(standIn: StoredResponse?)
        /// A response before the final one (RFC 9110 15.2).
        case interim(UpstreamInterim)
        /// The whole answer.
        case answered(UpstreamResponse, Decoding)
        /// Whether there is another token than the refused one.
        case tokenRenewed(Bool)
        /// The answer, or the one it confirms, is stored; `isReusable`: without a revalidation.
        case stored(StoredResponse, originStatus: Int, isReusable: Bool)
        /// The answer must not be stored, or was purged on its way.
        case unstored(UpstreamResponse, Reason)
        /// The answer is an error that could be stored, but a better answer is.
        case outranked(UpstreamResponse)
        /// A 304 does not fit the stored answer, or that was purged.
        case contradicted
        /// The head and first content of a streamed answer: too large to be collected, or not kept.
        case headArrived(UpstreamResponse)
        case received([UInt8])
        case finished
        /// There is no answer, or no more of it.
        case failed(ExchangeFailure)
        /// The client does not keep up with a streamed answer, and does again.
        case clientBlocked, clientDrained
        case clientLeft
        /// A client, or another one, waits for the answer now.
        case promoted
        /// The client has left, no other waits, and the request was not sent.
        case unwanted
    }

    /// How the request is sent.
    struct Sending: Equatable {
        /// Whether the stored answer's validators are sent.
        let validates: Bool
        let acceptsGzip: Bool
        /// Whether gzip is inflated, asked for or not.
        let inflates: Bool
        /// Whether a 429 is repeated: not where another answer can be served at once.
        let repeats: Bool
        let priority: UpstreamPriority
    }

    enum TimerAction: Equatable {
        case keep
        case set(Instant)
        case cancel
    }

    enum FlightAction {
        /// Comes back as `joined`.
        case join
        /// A flight that others cannot join.
        case begin
        /// Comes back as `tookOver` or `mayNotTakeOver`.
        case takeOver
        case finish(FlightOutcome)
    }

    /// Answers found without the origin, looked up when they are needed.
    enum Substitute {
        /// The answer that another request brought.
        case arrived
        /// An answer composed now; the reason, if any, becomes its detail.
        case composition(Reason?)
        /// A stale answer that may be served.
        case standIn
    }

    enum ClientAction {
        case hint(UpstreamInterim)
        /// A stored answer.
        case stored(StoredResponse, originStatus: Int?)
        /// A stale answer.
        case stale(StoredResponse, Reason, originStatus: Int?)
        /// An answer composed because the origin gave none.
        case composed(StoredResponse, Reason, originStatus: Int?)
        /// The first substitute that exists, or `otherwise`: see `settled`.
        indirect case substitute([Substitute], Reason, originStatus: Int?, otherwise: ClientAction)
        /// The origin's answer, which is not stored.
        case pass(UpstreamResponse, Reason)
        /// An error generated by the proxy.
        case refuse(ExchangeFailure)
        /// Counts a large answer whose client left before its head.
        case discard(UpstreamResponse)
        /// Sends the head; the content so far follows, and more by `stream`.
        case beginStreaming(UpstreamResponse)
        case stream([UInt8])
        case endStreaming
        /// Shows the client that the answer is incomplete, and logs the reason.
        case breakOff(Reason)
        /// Counts the bytes sent to a client that has left.
        case abandon
        /// Tells the exchange whose part this is.
        case report(PartEnd)
    }

    enum OriginAction {
        /// Cancels the request under way, and sends one.
        case send(Sending)
        /// Comes back as `looked`.
        case look
        /// Comes back as `partEnded`.
        case fetchPart
        /// Comes back as `batched`, and unless it goes alone as `partEnded`.
        case joinBatch
        /// The first that exists comes back as `completed`.
        case complete([Substitute])
        /// Comes back as `tokenRenewed`.
        case renewToken
        /// Comes back as `stored`, `unstored` or `outranked`.
        case store(UpstreamResponse)
        /// Comes back as `stored` or `contradicted`.
        case freshen(UpstreamResponse)
        case promote(UpstreamPriority)
        case pause
        case resume
        case cancel
    }

    /// Actions, in this order.
    struct Step {
        var timer = TimerAction.keep
        /// The answer to a request whose targets are invalidated, if it was unsafe.
        var invalidates: UpstreamResponse?
        /// Drops the user's stored answers.
        var endsUserGeneration = false
        /// The origin's answer, to be compared with a composed one.
        var comparison: ComparedAnswer?
        var flight: FlightAction?
        /// The result of asking the origin, where nothing was stored.
        var lastAnswer: (status: Int?, reason: Reason)?
        var client: ClientAction?
        var origin: OriginAction?
    }
}

extension [ExchangeState.Substitute] {
    /// The first that `find` finds.
    func first(_ find: (Element) -> StoredResponse?) -> (kind: Element, stored: StoredResponse)? {
        for kind in self {
            if let stored = find(kind) { return (kind, stored) }
        }
        return nil
    }
}

extension ExchangeState.ClientAction {
    /// The action itself, or the one in place of a `substitute`.
    func settled(by find: (ExchangeState.Substitute) -> StoredResponse?) -> Self {
        guard case .substitute(let substitutes, let cause, let status, let otherwise) = self else { return self }
        guard let (kind, stored) = substitutes.first(find) else { return otherwise }
        return switch kind {
        case .arrived: .stored(stored, originStatus: status)
        case .composition: .composed(stored, cause, originStatus: status)
        case .standIn: .stale(stored, cause, originStatus: status)
        }
    }
}

/// How the request for a part ended.
enum PartEnd: Sendable {
    case stored(status: Int)
    /// The origin's answer could not be stored; nil where its status is unknown.
    case unusable(status: Int?)
    /// The origin's answer has errors beside its content: it lacks what they are about.
    case incomplete
    /// The origin's answer was too large to be collected, and so could not be kept.
    case tooLarge
    /// The origin answered 429 or 5xx: another request would fail too.
    case refused(UpstreamResponse, Reason)
    /// There was no answer: another request would fail too.
    case failed(ExchangeFailure)

    /// The origin's status, where one is known.
    var status: Int? {
        switch self {
        case .stored(let status): status
        case .unusable(let status): status
        case .refused(let response, _): response.status
        case .incomplete, .tooLarge, .failed: nil
        }
    }

    /// Whether the origin does not know such batches. Other errors may be about one of the ids,
    /// their number, or the token.
    var isRefusedList: Bool {
        switch self {
        case .stored(let status), .unusable(let status?): status == 405 || ErrorMeaning(status: status) == .absence
        case .unusable(nil), .incomplete, .tooLarge, .refused, .failed: false
        }
    }
}

/// The reason for no usable answer, and the error for a client without a stand-in.
struct ExchangeFailure: Sendable, Equatable {
    /// Status of the generated error.
    let status: Int
    let reason: Reason
    /// The origin's status; nil where it gave none.
    var originStatus: Int?
    /// Seconds for `Retry-After`; nil where nothing is known.
    var retryAfter: Int?

    /// Whether the target or a field may be the cause: origins also close the connection, or send
    /// malformed answers, for those.
    var mayBeOfTheTarget: Bool { reason == .upstreamClosed || reason == .upstreamMalformed }

    /// The origin answered with a status that was not asked for.
    static func unasked(_ response: UpstreamResponse) -> ExchangeFailure {
        ExchangeFailure(status: 502, reason: .upstreamMalformed, originStatus: response.status)
    }
}

/// How a flight ended, for its waiters.
enum FlightOutcome: Sendable {
    /// Stored, or confirmed by the origin.
    case stored(StoredResponse, originStatus: Int)
    /// Not stored, but the same for everyone: a transient error, or an answer purged on its way.
    case unstored(UpstreamResponse, Reason)
    /// The answer is the leader's alone: each waiter asks for itself.
    case released
    /// The answer or failure may be the leader's alone: its party had no turn, or the origin's own
    /// rules hold, under which errors are not shared, or a purge had chosen the answer before the
    /// waiters came. The waiters, whose heads are the leader's
    /// (`ForwardedRequest`), try once more together; then they get this failure, or without one
    /// ask each for itself.
    case leadersOwn(ExchangeFailure?)
    /// There is no answer for anyone.
    case failed(ExchangeFailure)

    /// The answer to share with other nodes.
    var reusable: StoredResponse? { if case .stored(let stored, _) = self { stored } else { nil } }
}

extension ExchangeState.Traits {
    /// Whether an answer of this status refuses the proxy's own developer token.
    func refusesOwnToken(_ status: Int) -> Bool {
        hasOwnToken
            && TokenEvidence(status: status, isSafe: isSafe, isPersonal: isPersonal, hasUserToken: hasUserToken)
                == .refused
    }

    init(_ request: OriginRequest, hasOwnToken: Bool) {
        self.hasOwnToken = hasOwnToken
        isCollapsible = request.isCollapsible
        hasStored = request.stored != nil
        isRevalidatable = request.key != nil && (request.stored?.isRevalidatable ?? false)
        isConditional = request.forwarded.isConditional
        asksForRange = request.forwarded.asksForRange
        isSafe = request.forwarded.method.isSafe
        hasUser = request.user != nil
        isVerified = request.expected != nil && request.forwarded.method == .get
        hasImpersonalErrors = request.hasImpersonalErrors(hasOwnToken: hasOwnToken)
        isPersonal = request.facts.route.isPersonal
        hasUserToken = request.hasUserToken
        carriesFields = request.carriesFields
    }
}

extension UpstreamFailure {
    /// The reason spelt like the failure's word.
    var reason: Reason { Reason(text: word) ?? .upstreamClosed }
}

extension ExchangeFailure {
    init(_ failure: UpstreamFailure) {
        self.init(status: failure.status, reason: failure.reason, retryAfter: failure.retryAfter)
    }
}
