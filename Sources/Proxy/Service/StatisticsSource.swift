import AppleMusic
import Cache
import Compose
import EventLoop
import Freshness
import Purging
import Server
import Store
import Upstream

/// The counters that the admin surface reads.
public struct StatisticsSource: Sendable {
    private let statistics: [Statistics]
    /// How often each loop was found to take no turns.
    public let stalls: LoopStalls
    private let settings: @Sendable () -> ServiceSettings
    private let shared: @Sendable () -> SharedStores
    private let timeOfDay: TimeOfDay
    private let accessLog: @Sendable () -> AccessLogSink?
    private let savingsFloor: SavingsFloor
    /// The server side of the TLS listeners; nil where there is none.
    public let tls: @Sendable () -> ServerTLS?

    /// Closures tell the values in force when they are called.
    /// - Parameters:
    ///   - statistics: one for each loop.
    ///   - savingsFloor: the one of the process.
    public init(
        statistics: [Statistics], savingsFloor: SavingsFloor = SavingsFloor(),
        stalls: LoopStalls = LoopStalls(loops: 0), timeOfDay: TimeOfDay = .system,
        accessLog: @escaping @Sendable () -> AccessLogSink? = { nil },
        tls: @escaping @Sendable () -> ServerTLS? = { nil },
        settings: @escaping @Sendable () -> ServiceSettings, shared: @escaping @Sendable () -> SharedStores
    ) {
        (self.statistics, self.stalls, self.timeOfDay) = (statistics, stalls, timeOfDay)
        (self.settings, self.shared) = (settings, shared)
        (self.savingsFloor, self.accessLog, self.tls) = (savingsFloor, accessLog, tls)
    }

    private var cache: ResponseCache { shared().cache }
    /// The requests that are being answered.
    public var feed: LiveFeed { shared().feed }
    public var tails: Tails { shared().tails }
    /// Bytes of requests that are read or wait.
    public var requestBudget: RequestBudget { shared().requestBudget }
    /// Bytes of answers that clients have not taken.
    public var answerBudget: AnswerBudget { shared().answerBudget }
    /// The connections of clients.
    public var connections: ConnectionCensus { shared().connections }
    /// Clients that have keys, in the order of their file.
    public func clients() -> [Client] { settings().clientKeys?.clients ?? [] }
    /// How many times as fast stored answers age.
    public func ttlSpeed() -> Int { settings().policy.speed }

    /// The upstream.
    public var origin: Origin { settings().origin }

    /// Forms in which nothing is composed for the time being, the origin having contradicted what
    /// was learnt of them.
    public func restingForms() -> Int { shared().library.forms.resting(at: timeOfDay.unixSeconds()) }

    public subscript(_ counter: Counter) -> Int {
        statistics.reduce(0) { $0 + $1[counter] }
    }

    /// How many requests went to the origin because nothing could be composed, by the rule that was
    /// tried and its miss reason; without those that did not occur.
    package var notComposed: [(rule: Refusal.Rule, reason: MissReason, count: Int)] {
        Refusal.Rule.allCases.flatMap { rule in
            MissReason.allCases.map { reason in
                (rule, reason, statistics.reduce(0) { $0 + $1[notComposed: rule, reason] })
            }
        }.filter { $0.count > 0 }
    }

    /// Results of verifications, with the word for each.
    public var verifications: [(result: StaticString, count: Int)] {
        [
            ("equal", self[.verifiedEqual]), ("older", self[.verifiedOlder]), ("wrong", self[.verifyMismatches]),
            ("undecided", self[.verifyUndecided]), ("skipped", self[.verifySkipped]),
        ]
    }

    /// Answers to clients.
    public var answers: AnswerCounts { statistics.reduce(into: AnswerCounts()) { $0 += $1.answers.snapshot } }

    /// Requests that the origin was spared since the start.
    public var savings: OriginSavings {
        // Requests sent are read last: requests under way count against the savings.
        let outcomes = Outcome.allCases.map { latency($0).count }
        let avoidedFetches = AvoidedFetch.allCases.map { fetch in statistics.reduce(0) { $0 + $1[avoided: fetch] } }
        return savingsFloor.raised(
            to: OriginSavings(outcomes: outcomes, avoidedFetches: avoidedFetches, sent: self[.upstreamRequests]))
    }

    /// The latencies of requests with this outcome: from the complete request to the first byte of
    /// the answer, the end of a streamed one.
    public func latency(_ outcome: Outcome) -> LatencyCounts {
        statistics.reduce(into: LatencyCounts()) { $0 += $1.latencies[outcome.rawValue].snapshot }
    }

    /// Requests to the origin, by priority and status.
    public var upstreamRequests: [UpstreamStatistics.Kind: Int] {
        statistics.reduce(into: [:]) { $0.merge($1.upstream.snapshot, uniquingKeysWith: +) }
    }

    /// Requests that were sent to the origin, each of them.
    public var spending: SpendingCounts {
        statistics.reduce(into: SpendingCounts()) { $0.add($1.spending.snapshot) }
    }

    /// The origin's last failure; nil where it had none since the start.
    public var lastTrouble: UpstreamStatistics.Trouble? {
        statistics.compactMap(\.upstream.lastTrouble).max { $0.unixSeconds < $1.unixSeconds }
    }

    /// How long the origin took to answer requests of that priority.
    public func upstreamLatency(_ priority: UpstreamPriority) -> LatencyCounts {
        statistics.reduce(into: LatencyCounts()) { $0 += $1.upstream.times(priority) }
    }

    /// The targets that are asked for most, the heaviest first.
    public func mostAsked(limit: Int) -> [HotTargets.Target] {
        HotTargets.mostAsked(statistics.map(\.hotTargets), limit: limit).filter(\.isCurrent)
    }

    /// The targets whose misses cost clients most time, the most costly first.
    public func mostCostly(limit: Int) -> [HotTargets.Target] {
        HotTargets.mostCostly(statistics.map(\.hotTargets), limit: limit).filter(\.isCurrent)
    }

    /// When the developer token in use ends, in unix seconds; nil where there is none, or it does
    /// not say.
    public func developerTokenEnd(at unixSeconds: Int64) -> Int64? {
        guard let token = settings().credentials.developer?.current(at: unixSeconds) else { return nil }
        return (try? TokenClaims(token: token))?.expires
    }

    /// The claims of the developer token in use where that came ready; nil where tokens are signed
    /// here.
    public func readyToken(at unixSeconds: Int64) -> TokenClaims? {
        guard let tokens = settings().credentials.developer, tokens.areReady else { return nil }
        return try? TokenClaims(token: tokens.current(at: unixSeconds))
    }

    /// When the origin last refused the proxy's own developer token, in Unix seconds; nil where it
    /// never has.
    public var developerTokenRefusal: Int64? { settings().credentials.developer?.lastRefusal }

    /// Whether that is so recent that it goes on.
    public func refusesDeveloperToken(at unixSeconds: Int64) -> Bool {
        developerTokenRefusal.map { unixSeconds - $0 < 60 } ?? false
    }

    /// Stored answers, by class and storefront.
    public func breakdown(_ completion: @escaping @Sendable (StorageBreakdown) -> Void) {
        cache.breakdown(completion)
    }

    /// Requests under way to the origin.
    public var upstream: UpstreamBudget.Snapshot { shared().budget.snapshot }

    /// How often this was the reason.
    public subscript(because reason: Reason) -> Int {
        statistics.reduce(0) { $0 + $1[because: reason] }
    }

    /// Stored answers, on disk when there is a cache file, else in memory.
    public var entries: Int { cache.file?.records.entries ?? cache.memory.count }
    /// Bytes of stored answers on disk.
    public var cacheBytes: Int { cache.file?.records.byteCount ?? 0 }
    /// Bytes of stored answers in memory, bookkeeping included.
    public var memoryBytes: Int { cache.memory.byteCount }
    /// The limit on everything on disk, log and indexes included; nil without a cache file.
    public var cacheLimit: Int? { cache.file?.records.maxBytes }
    /// The limit on answers in memory, bookkeeping included.
    public var memoryLimit: Int { cache.memory.maxBytes }
    /// Answers in memory that had to make room for others.
    public var memoryEvicted: Int { cache.memory.evicted }
    /// Bytes of lines that the access log took too slowly or not at all; of the log in use now.
    public var accessLogDropped: Int { accessLog()?.dropped ?? 0 }
    /// The status of the recording of traffic.
    public var recording: RecordingStatus { shared().recorder.status }
    /// The purges that the cache remembers.
    public var purges: Purges { cache.purges }
    /// Whether the cache file can be read and written, or none is wanted.
    public var isStoreAvailable: Bool { cache.file.map { $0.records.health == .available } ?? true }
    /// The disk that the cache file is on; nil without one, or where it does not tell.
    public var cacheDisk: DiskSpace? { cache.file?.records.disk }
    /// The status of the cache file; all zero without one.
    public var store: StoreStatus { cache.file?.records.status ?? StoreStatus() }
}
