import Cache
import Compose
import EventLoop
import HTTP
import Server
import Store
import Tier
import Upstream

/// Shared by the services of all loops: the cache, flights, the tokens, the operator's policy.
public struct ProxyShared: Sendable {
    public let cache: ResponseCache
    public var credentials: Credentials
    private(set) var policy: Policy
    /// The upstream, as keys have it.
    public private(set) var origin: Origin
    /// `Host` of the upstream requests.
    private(set) var authority: [UInt8]
    private(set) var crossOrigin: CrossOrigin
    /// nil: anyone who can connect is served.
    public var clientKeys: ClientKeys?
    /// The names of the request fields that pages may send besides those that every page may, as
    /// a list; `*`: any.
    public var pageFields = PageFields(["*"])
    /// Clients' fields that go along to the origin beyond those that the API needs; mostly none.
    public var forwardedFields = NamedFields()
    /// Tells the operator of the origin's failures.
    public var warn: @Sendable (String) -> Void = { _ in }
    /// When the origin's failures were last reported, by any loop.
    let failures = FailureReport()
    /// The requests that are being answered, for those who watch.
    let feed = LiveFeed()
    /// Readers that follow the requests line by line.
    let tails = Tails()
    /// Records answers, where that is wanted.
    public var recorder = TrafficRecorder()
    /// Requests that may be sent to the origin, over all loops.
    public var budget = UpstreamBudget()
    /// Nodes that serve the same clients.
    let nodes = NodeCount()
    /// Memory for requests, over all loops.
    let requestBudget = RequestBudget()
    /// Memory for answers that clients have not taken, over all loops.
    let answerBudget = AnswerBudget()
    /// The connections of all loops' clients.
    let connections = ConnectionCensus()
    /// Knowledge about the resources in stored answers.
    private(set) var library: ResourceLibrary
    /// The tier shared with other nodes; nil where this is the only one. It does not change after
    /// the start.
    package var tier: SharedTier? {
        didSet { users = makeUsers() }
    }
    let flights: Flights
    let batches = Batches()
    /// Large bodies in the form in which they are sent fastest.
    public var sealedBodies = SealedBodies(maxBytes: 8 << 20)
    /// Asks for answers in gzip, and gives them so; absent where there is no zlib.
    var gzip = Gzip.system
    let compressions = Compressions()
    let verifications = VerificationRoom()
    /// How many of a million composed answers are also asked for and compared, in the background.
    public var verifySample = 0
    /// Whether `compose verify` compares. A recording does not answer what its clients did not ask
    /// for.
    public var verifies = true
    /// The origin's last answers of which nothing is stored, for `explain`.
    let lastAnswers = KeyCells<LastAnswer>()
    /// Targets that the origin does not want to be asked for now.
    let heldTargets = HeldTargets()
    /// The name by which it finds its own requests when they come back.
    let name = ViaChain.Name()
    /// The path at which clients' listeners say whether clients may be sent here; nil: none.
    public var healthPath: [UInt8]?
    public let health = HealthAnswer()
    /// Whether paths outside of the API are forwarded.
    public var servesOther = true
    /// Clients' tokens that the origin has accepted.
    let tokens = WorkingTokens()
    /// Whether only clients whose token works get stored answers, where they bring their own. Not
    /// in a replay, whose clients' tokens are not recorded.
    public var provesTokens = true
    /// Holds while another process takes the place of this one, or this one that of another.
    let personalPause = PersonalPause()
    /// nil where the system has no randomness: nothing personal is kept then.
    private(set) var users = UserScopes()

    public init(
        cache: ResponseCache, credentials: Credentials, policy: Policy, origin: Origin, authority: String,
        crossOrigin: CrossOrigin = .any, composition: CompositionSettings = CompositionSettings()
    ) {
        self.cache = cache
        self.origin = origin
        library = ResourceLibrary(cache, of: origin.tag, policy.composableClasses, composition)
        flights = Flights(cache)
        (self.credentials, self.policy) = (credentials, policy)
        self.authority = Array(authority.utf8)
        self.crossOrigin = crossOrigin
    }

    /// The same cache, flights, budget and users under other settings. The library is kept
    /// unless it learnt from another origin, under another policy, or for another way to compose.
    public func adopting(
        credentials: Credentials, policy: Policy, origin: Origin, authority: String, crossOrigin: CrossOrigin,
        composition: CompositionSettings
    ) -> ProxyShared {
        var shared = self
        if origin != self.origin || policy != self.policy || composition != library.settings {
            shared.library = ResourceLibrary(cache, of: origin.tag, policy.composableClasses, composition)
        }
        shared.origin = origin
        shared.credentials = credentials
        shared.policy = policy
        if keepsPersonal, !shared.keepsPersonal {
            // The proxy would not see the writes that end kept answers. When this is switched on
            // again, those must not be found.
            shared.users = makeUsers()
            cache.freePersonal()
        }
        shared.authority = Array(authority.utf8)
        shared.crossOrigin = crossOrigin
        return shared
    }

    /// Waits until the background work of the answers is done: compressing and writing them. For
    /// runs in virtual time, whose figures must not depend on how fast that goes.
    public func settle() {
        compressions.flush()
        cache.flush()
    }

    /// Nodes that share a tier call users by the same names.
    private func makeUsers() -> UserScopes? {
        tier.map { UserScopes(.common(prefix: $0.keys.generation([]))) } ?? UserScopes()
    }

    /// Whether anything personal is stored at all.
    var keepsPersonal: Bool { policy[.personal] != .off && users != nil }

    /// Forgets what one origin alone has said, where another one is asked from now on, and no key
    /// has: the tokens that it takes or refuses; and what was reported of it.
    func forgetOrigin() {
        failures.forget()
        tokens.forget()
        budget.forgetOrigin()
    }

    /// Forgets what was reported of an origin that is not asked any more.
    func forgetFailures() { failures.forget() }

    /// Another process answers for this proxy, too: see `PersonalPause`.
    public func noteOtherProcess() { personalPause.begin() }

    /// One such process has ended. It may have served writes of users of whom this one kept answers
    /// before, or asked for some.
    public func noteOtherEnded(at now: Instant) {
        flights.invalidatePersonal()
        users?.noteWriteByAnyone(at: now)
        // However long it takes to go through the memory, nothing is found before that is done.
        cache.freePersonal { @Sendable [personalPause] in personalPause.finish(at: now) }
    }
}
