import AppleMusic
import Cache
import Compose
import Freshness
import HTTP

/// A request that is explained and not sent.
public struct HypotheticalRequest: Sendable {
    /// In origin-form.
    public let target: [UInt8]
    let method: Method
    /// Whether it brings a token of one user.
    let carriesUserToken: Bool

    public init(target: [UInt8], method: Method = .get, carriesUserToken: Bool = false) {
        (self.target, self.method, self.carriesUserToken) = (target, method, carriesUserToken)
    }

    /// The names of the methods that it can have.
    public static let methodNames = methods.map(\.text.description)

    /// The method of that name; nil where there is none to ask about.
    public static func method(named name: String) -> Method? { methods.first { $0.text.description == name } }

    /// CONNECT has no target like these, and others have no names here.
    private static let methods = Method.allCases.filter { $0 != .connect && $0 != .other }
}

/// Result of an attempt to compose an answer in place of asking the origin for it.
struct ComposingAttempt {
    /// The target's catalog request; nil where it is not understood.
    let request: CatalogRequest?
    /// Nil where it was composed, or one request brings all its missing parts.
    let refusal: Refusal?
    /// Whether it may succeed in another turn of the loop.
    var wasKeptBack = false
    /// The stored answer in whose place it would be shown.
    var replaced: StoredResponse?
}

/// The origin's last answer that is not stored, or its failure to answer.
public struct LastAnswer: Sendable, Equatable {
    /// The origin's; nil where it gave none.
    public let status: Int?
    /// Why nothing is stored of it.
    public let reason: Reason
    /// When it came.
    public let unixSeconds: Int64
}

/// Plan for a request, and the reasons.
public struct Explanation: Sendable {
    /// The action: the cases of `Plan`, and two without a plan that can be told.
    public enum Action: String, Sendable {
        case hit, stale, compose, complete, verify, fetch, pass, refuse
        /// Answers kept for one user cannot be inspected.
        case personal
    }

    /// When the origin would be asked.
    public enum Asking: String, Sendable {
        case never = "no"
        /// After an answer that is given at once.
        case behind
        case first = "yes"
    }

    /// Sources that composing would use.
    public struct Composing: Sendable {
        /// The kind of composition; nil where something would have to be fetched first.
        public let kind: Reason?
        /// The targets of the stored answers.
        public let parts: [String]
        /// The target of the request for the missing parts.
        public let supplement: String?
        /// Whether that asks for more than this request does.
        public private(set) var fetchesMore = false
    }

    /// Canonical path and query.
    public let target: String
    public let route: Route
    /// Nil: the answer belongs to one user, or to this one request.
    public let scope: CacheKey.Scope?
    public let rule: TTLRule
    /// The stored answer for a request without selecting fields.
    public let stored: StoredResponse?
    public let isInMemory: Bool
    /// The request fields by which the answers to this target are told apart.
    public let selectingFields: [String]
    public let action: Action
    /// Nil for a plain hit.
    public let reason: Reason?
    public let composing: Composing?
    /// Why it cannot be composed; nil where composing was not tried, or something came of it.
    package let refusal: Refusal?
    public let asksOrigin: Asking
    /// Whether the shared tier would be asked first: for what other nodes have, or whether the user
    /// has written through one of them.
    public let asksTier: Bool
    /// Whether it would wait for another request that is under way.
    public let waitsForAnother: Bool
    /// The origin's last status, where nothing newer is stored.
    public let lastAnswer: LastAnswer?
    /// Whether clients need a key here.
    public let needsClientKey: Bool
    /// Unix seconds: what ages are counted by.
    public let now: Int64
}

extension Explanation {
    /// Whether a soft purge, or an answer to HEAD about another state, has ended the freshness of
    /// the stored answer: only these leave none to an answer under a fixed TTL. A hard purge
    /// removes the answer, which is absent then.
    public var isMadeStale: Bool {
        guard let stored, stored.status < 400, case .fixed(1..., _) = rule else { return false }
        return stored.lifetime.freshFor == stored.lifetime.initialAge
    }
}

extension Explanation.Composing {
    init?(_ plan: Plan) {
        switch plan {
        case .compose(let body), .verify(let body, _, _):
            kind = body.detail
            parts = body.parts.map { String(decoding: $0.response.key.target, as: UTF8.self) }
            supplement = nil
        case .complete(let lacking):
            kind = nil
            parts = []
            supplement = String(decoding: lacking.target, as: UTF8.self)
            fetchesMore = lacking.growth != nil
        case .hit, .stale, .fetch, .pass, .refuse: return nil
        }
    }
}

extension Plan {
    /// The action, when the origin would be asked, and the word that the counters and
    /// `Cache-Status` would have for it.
    var told: (action: Explanation.Action, asksOrigin: Explanation.Asking, reason: Reason?) {
        switch self {
        case .hit(let stored, _): (.hit, .never, stored.composition?.detail)
        case .compose(let body): (.compose, .never, body.detail)
        case .complete(let supplement): (.complete, .first, supplement.reason)
        case .verify(_, let reason, _): (.verify, .first, reason)
        case .stale(_, _, let reason, let refreshes): (.stale, refreshes ? .behind : .never, reason)
        case .fetch(let reason, _): (.fetch, .first, reason)
        case .pass(let reason): (.pass, .first, reason)
        case .refuse(let reason): (.refuse, .never, reason)
        }
    }
}
