import Cache
import Compose
import EventLoop
import Server
import Tier
import Upstream

/// Objects that the services of all loops share: the cache, flights, budgets, knowledge of tokens
/// and users.
public struct SharedStores: Sendable {
    public let cache: ResponseCache
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
    let compressions = Compressions()
    let verifications = VerificationRoom()
    /// The origin's last answers of which nothing is stored, for `explain`.
    let lastAnswers = KeyCells<LastAnswer>()
    /// Targets that the origin does not want to be asked for now.
    let heldTargets = HeldTargets()
    /// The name by which it finds its own requests when they come back.
    let name = ViaChain.Name()
    public let health = HealthAnswer()
    /// Clients' tokens that the origin has accepted.
    let tokens = WorkingTokens()
    /// Holds while another process takes the place of this one, or this one that of another.
    let personalPause = PersonalPause()
    /// nil where the system has no randomness: nothing personal is kept then.
    private(set) var users = UserScopes()

    /// Empty stores beside a cache, for services with these settings.
    public init(_ cache: ResponseCache, for settings: ServiceSettings) {
        self.cache = cache
        library = Self.library(of: cache, under: settings)
        flights = Flights(cache)
    }

    private static func library(of cache: ResponseCache, under settings: ServiceSettings) -> ResourceLibrary {
        ResourceLibrary(cache, of: settings.origin.tag, settings.policy.composableClasses, settings.composition)
    }

    /// The same stores under other settings, with an empty library where that has to learn anew.
    public func adopting(_ settings: ServiceSettings, after former: ServiceSettings) -> SharedStores {
        var stores = self
        if settings.learnsOtherwise(than: former) { stores.library = Self.library(of: cache, under: settings) }
        if keepsPersonal(under: former.policy), !stores.keepsPersonal(under: settings.policy) {
            // The proxy would not see the writes that end kept answers. When this is switched on
            // again, those must not be found.
            stores.users = makeUsers()
            cache.freePersonal()
        }
        return stores
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
    func keepsPersonal(under policy: Policy) -> Bool { policy[.personal] != .off && users != nil }

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
