import Cache
import EventLoop
import Freshness
import Upstream

// The words of `ExchangeState`: what it is told, and what it says is to be done.

extension ExchangeState {
    /// For whom a request is made.
    enum Audience {
        /// A client, whose answer it is.
        case client
        /// Another exchange, which completes its answer with this one.
        case part
        /// No client waits: a stale answer was served and is replaced behind it.
        case refresh
    }

    /// Facts that do not change while the exchange goes on.
    struct Traits {
        var audience = Audience.client
        /// Whether others may wait for the answer, and this exchange for theirs.
        var isCollapsible = true
        /// Whether something is stored under the key that is no longer fresh.
        var hasStored = false
        /// Whether the origin can confirm what is stored.
        var isRevalidatable = false
        /// Whether something is stored that the client accepts in place of an answer that does not
        /// come. It may be purged before it is needed.
        var hasStandIn = false
        /// Whether another node may have the answer.
        var asksTier = false
        /// Whether one request would complete a composition of the answer.
        var hasSupplement = false
        /// Whether that asks for more than the client wants.
        var asksForMore = false
        /// Whether the request can be joined with others.
        var isBatchable = false
        var acceptsGzip = false
        /// Whether the proxy signs requests with a token of its own.
        var hasOwnToken = false
        /// Whether the client's own precondition goes along, which 304 may answer.
        var isConditional = false
        /// Whether the client's range goes along, which 206 may answer.
        var asksForRange = false
        /// Whether the method changes nothing (RFC 9110 9.2.1).
        var isSafe = true
        /// Whether personal answers are kept for the user whose token goes along.
        var hasUser = false
        /// Whether the answer is compared with what was composed.
        var isVerified = false
        /// Whether only a verification wants it. It goes in the background, joins no flight and is
        /// not repeated.
        var isWitness = false
        /// Whether the origin's errors are the same for everyone: neither a field nor a token of
        /// the client's goes along.
        var hasImpersonalErrors = false
        /// Whether the route wants a user's token.
        var isPersonal = false
        /// Whether a user's token goes along.
        var hasUserToken = false
        /// Whether the client's own fields go along.
        var carriesFields = false
        /// The longest that a client waits for another's request.
        var longestWait = Duration.seconds(15)
    }

    /// How a request joined the flight of its key.
    enum FlightPlace {
        /// It asks the origin, and others wait for it. Unless the answer has come since the
        /// look-up: what a leader brings is stored before its flight is finished.
        case leader(meanwhile: StoredResponse?)
        /// It asks for itself, because answers to this key were of no use to others a moment ago
        /// (hit-for-miss).
        case alone
        /// It waits for another's request.
        case waiter
        /// Too many wait for this key.
        case full
    }

    /// Result of decoding an answer that may be in gzip.
    enum Decoding {
        case readable
        /// It is no gzip, or not as much as it says.
        case damaged
        /// It is more than is collected.
        case tooLarge
    }

    enum Event {
        /// The cache had no fresh answer. `meanwhile`: what has come since, where the exchange has
        /// its flight already.
        case began(meanwhile: StoredResponse?)
        case joined(FlightPlace)
        /// The request that this one waited for has ended; `isOurs`: its answer is for requests
        /// with these fields too (`Vary`).
        case flightFinished(FlightOutcome, isOurs: Bool)
        /// This exchange leads a flight from now on, unless the answer has come meanwhile.
        case tookOver(meanwhile: StoredResponse?)
        /// The leader has not been out for long enough.
        case mayNotTakeOver
        /// The shared tier's answer, or one composed from its answers, which is in the cache by
        /// now; nil where the origin is to be asked.
        case looked(StoredResponse?)
        /// It waits for others to join it, or goes by itself: at once, or because none have come.
        case batched(isAlone: Bool)
        /// The missing part of a composition has come, or not; `isFirst`: for one of a batch.
        case partEnded(PartEnd, isFirst: Bool)
        /// The answer that was to be had by the part, if it is there.
        case completed(StoredResponse?)
        /// The time that was set has come. `standIn`: what is stale and may still be served.
        case patienceEnded(standIn: StoredResponse?)
        /// Something to pass on before the answer (RFC 9110 15.2).
        case interim(UpstreamInterim)
        /// The whole answer.
        case answered(UpstreamResponse, Decoding)
        /// Whether there is another token than the refused one.
        case tokenRenewed(Bool)
        /// The answer is in the cache, or what it confirms is; `isReusable`: others may be given it
        /// without asking.
        case stored(StoredResponse, originStatus: Int, isReusable: Bool)
        /// The answer must not be kept, or was purged while it was on its way.
        case unstored(UpstreamResponse, Reason)
        /// The answer could be kept, but what is stored is better: the origin is in trouble.
        case outranked(UpstreamResponse)
        /// A 304 does not fit what is stored, or that was purged meanwhile.
        case contradicted
        /// The head of an answer that goes on as it comes, and its content so far: it is too large
        /// to be collected, or nobody keeps it.
        case headArrived(UpstreamResponse)
        case received([UInt8])
        case finished
        /// There is no answer, or no more of it.
        case failed(ExchangeFailure)
        /// The client does not keep up with a large answer, and does again.
        case clientBlocked, clientDrained
        case clientLeft
        /// A client waits by now for what no client had asked for, or another client had.
        case promoted
        /// The client has left, no other waits, and nothing was sent yet.
        case unwanted
    }

    /// How the request is to be sent.
    struct Sending: Equatable {
        /// With the validators of what is stored.
        let validates: Bool
        let acceptsGzip: Bool
        /// Whether gzip is inflated when it comes, asked for or not.
        let inflates: Bool
        /// Whether a 429 is worth waiting for another try: not where there is something to answer
        /// with at once.
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

    /// Answers found without asking the origin, looked up when they are needed.
    enum Substitute {
        /// The answer that another request brought.
        case arrived
        /// An answer that can be composed by now; the reason becomes its detail, where there is
        /// one.
        case composition(Reason?)
        /// A stale answer that may still be served.
        case standIn
    }

    enum ClientAction {
        case hint(UpstreamInterim)
        /// With everyone's answer.
        case stored(StoredResponse, originStatus: Int?)
        /// With what is stored, although it is stale.
        case stale(StoredResponse, Reason, originStatus: Int?)
        /// With what was composed because the origin gave no answer.
        case composed(StoredResponse, Reason, originStatus: Int?)
        /// With what is there in place of the origin's answer: see `settled`.
        indirect case substitute([Substitute], Reason, originStatus: Int?, otherwise: ClientAction)
        /// With the origin's own answer, which is not stored.
        case pass(UpstreamResponse, Reason)
        /// With an error of the proxy's own.
        case refuse(ExchangeFailure)
        /// The client left before the head of a large answer came: it is counted.
        case discard(UpstreamResponse)
        /// The content that has come so far follows the head; more by `stream`.
        case beginStreaming(UpstreamResponse)
        case stream([UInt8])
        case endStreaming
        /// The client must see that the answer is incomplete; why it is, is logged.
        case breakOff(Reason)
        /// The client has left: what it was sent is counted.
        case abandon
        /// To the exchange whose part this is.
        case report(PartEnd)
    }

    enum OriginAction {
        /// Whatever is under way is cancelled.
        case send(Sending)
        /// Comes back as `looked`.
        case look
        /// Comes back as `partEnded`.
        case fetchPart
        /// Comes back as `batched`, and where it does not go by itself as `partEnded`.
        case joinBatch
        /// The first of these that is there comes back as `completed`.
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
        /// The targets that an unsafe request changed are invalidated, if it was one.
        var invalidates: UpstreamResponse?
        /// Ends what is kept of the user's answers.
        var endsUserGeneration = false
        /// The origin's answer, where it is compared with a composed one.
        var comparison: ComparedAnswer?
        var flight: FlightAction?
        /// The origin was asked, and nothing is stored of what came.
        var lastAnswer: (status: Int?, reason: Reason)?
        /// One request to the origin less than clients asked for.
        var savesRequest = false
        var client: ClientAction?
        var origin: OriginAction?
    }
}

extension [ExchangeState.Substitute] {
    /// The first that is there; what comes after it is not looked for.
    func first(_ find: (Element) -> StoredResponse?) -> (kind: Element, stored: StoredResponse)? {
        for kind in self {
            if let stored = find(kind) { return (kind, stored) }
        }
        return nil
    }
}

extension ExchangeState.ClientAction {
    /// The answer itself, where it depends on what is there by now.
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

/// How the fetching of a part ended, for the exchange that is to be completed with it.
enum PartEnd: Sendable {
    case stored(status: Int)
    /// The origin's answer could not be stored; its status, if it is known.
    case unusable(status: Int?)
    /// The origin asks for patience or is in trouble: another request would fare no better.
    case refused(UpstreamResponse, Reason)
    /// There was none: another request would fare no better.
    case failed(ExchangeFailure)

    /// Whether the origin does not know what was asked for together. Other errors may be about one
    /// of the ids, the length of them all, or the token.
    var isRefusedList: Bool {
        switch self {
        case .stored(let status), .unusable(let status?): [404, 405, 410].contains(status)
        case .unusable(nil), .refused, .failed: false
        }
    }
}

/// Why there is no usable answer, and what to tell a client that has no stale one.
struct ExchangeFailure: Sendable, Equatable {
    /// Status of the answer that the proxy generates.
    let status: Int
    let reason: Reason
    /// The origin's status; nil when it gave none.
    var originStatus: Int?
    /// Seconds after which another try is worth while; nil where nothing is known.
    var retryAfter: Int?

    /// Whether what was asked for, or a field, may be why: an origin ends a connection for it too,
    /// or says what is no answer.
    var mayBeOfTheTarget: Bool { reason == .upstreamClosed || reason == .upstreamMalformed }

    /// The origin answers something that was not asked.
    static func unasked(_ response: UpstreamResponse) -> ExchangeFailure {
        ExchangeFailure(status: 502, reason: .upstreamMalformed, originStatus: response.status)
    }
}

/// How a flight ended, for those who waited for it.
enum FlightOutcome: Sendable {
    /// Stored, or confirmed by the origin.
    case stored(StoredResponse, originStatus: Int)
    /// Not stored, and the same for everyone: an error of the moment, or what became out of date on
    /// its way.
    case unstored(UpstreamResponse, Reason)
    /// The answer was the leader's alone: ask for yourself.
    case released
    /// The failure may be the leader's own: its party had no turn, or one of its client's
    /// fields is why. All who waited try once more together; where that fails too, this is the
    /// failure, and without one each asks for itself.
    case leadersOwn(ExchangeFailure?)
    /// There was no answer for anyone.
    case failed(ExchangeFailure)
}

extension FlightOutcome {
    /// An answer that other nodes may be given too.
    var reusable: StoredResponse? { if case .stored(let stored, _) = self { stored } else { nil } }
}

extension ExchangeState.Traits {
    /// From now on it is asked for to be compared alone.
    mutating func makeWitness() {
        audience = .part
        (isWitness, isVerified, isCollapsible) = (true, true, false)
    }

    /// Whether an answer of this status refuses the proxy's own developer token.
    func refusesOwnToken(_ status: Int) -> Bool {
        hasOwnToken
            && TokenEvidence(status: status, isSafe: isSafe, isPersonal: isPersonal, hasUserToken: hasUserToken)
                == .refused
    }

    /// Traits of a request.
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
    /// Why there is no answer: the reason that is spelt as the failure's word.
    var reason: Reason { Reason(text: word) ?? .upstreamClosed }
}

extension ExchangeFailure {
    init(_ failure: UpstreamFailure) {
        self.init(status: failure.status, reason: failure.reason, retryAfter: failure.retryAfter)
    }
}
