import Cache

/// Where the admin surface reads counters from.
public struct StatisticsSource: Sendable {
    private let statistics: [Statistics]
    private let cache: ResponseCache
    private let budget: UpstreamBudget
    private let countRestingForms: @Sendable () -> Int

    /// - Parameters:
    ///   - statistics: one for each loop.
    ///   - restingForms: counts them when it is called.
    public init(
        statistics: [Statistics], cache: ResponseCache, budget: UpstreamBudget,
        restingForms: @escaping @Sendable () -> Int = { 0 }
    ) {
        self.statistics = statistics
        self.cache = cache
        self.budget = budget
        countRestingForms = restingForms
    }

    /// Forms in which nothing is composed for the time being, the origin having contradicted what was learnt of them.
    public var restingForms: Int { countRestingForms() }

    public subscript(_ counter: Counter) -> Int {
        statistics.reduce(0) { $0 + $1[counter] }
    }

    /// What goes to the origin now.
    public var upstream: UpstreamBudget.Snapshot { budget.snapshot }

    /// How often this was the reason.
    public subscript(because reason: Reason) -> Int {
        statistics.reduce(0) { $0 + $1[because: reason] }
    }

    /// Stored answers, on disk when there is a cache file, else in memory.
    public var entries: Int { cache.store?.entries ?? cache.memory.count }
    /// Bytes of stored answers on disk.
    public var cacheBytes: Int { cache.store?.byteCount ?? 0 }
    /// Bytes of stored answers in memory, bookkeeping included.
    public var memoryBytes: Int { cache.memory.byteCount }
    /// How the cache file fares; all zero without one.
    public var store: StoreStatus { cache.store?.status ?? StoreStatus() }
}
