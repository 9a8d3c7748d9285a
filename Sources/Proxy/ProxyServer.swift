import AppleMusic
import Cache
import Dispatch
import EventLoop
import HTTP

/// All that a proxy needs to know before it can start.
public struct ProxySettings: Sendable {
    public var listeners: [ListenerSettings]
    /// Event loops; one a core is what measured best.
    public var workers: Int
    /// `maxConnections` is that of all loops together; each gets a share, at least one.
    public var upstream: UpstreamSettings
    /// nil for a plain-text upstream.
    public var upstreamTLS: ClientTLS?
    public var shared: ProxyShared
    public var accessLog: (sink: AccessLogSink, format: AccessLogFormat)?
    public var timeouts = ClientTimeouts()
    /// What dates, ages and freshness are counted by.
    public var timeOfDay = TimeOfDay.system

    public init(
        listeners: [ListenerSettings], workers: Int, upstream: UpstreamSettings, upstreamTLS: ClientTLS?,
        shared: ProxyShared, accessLog: (sink: AccessLogSink, format: AccessLogFormat)?
    ) {
        self.listeners = listeners
        self.workers = workers
        self.upstream = upstream
        self.upstreamTLS = upstreamTLS
        self.shared = shared
        self.accessLog = accessLog
    }
}

/// Why an address cannot be listened on.
public struct ListenError: Error, CustomStringConvertible {
    public let address: SocketAddress
    public let cause: SystemError

    public var description: String { "\(address): \(cause)" }
}

/// The running proxy: one worker a loop, each with its own listeners (`SO_REUSEPORT`), upstream pool and cache reader.
///
/// Used from the thread that made it; it reaches the loops through their queues.
public final class ProxyServer: Sendable {
    let workers: [Worker]
    private let cache: ResponseCache
    private let budget: UpstreamBudget
    private let library: ResourceLibrary
    private let timeOfDay: TimeOfDay
    private let accessLog: AccessLogSink?
    /// The addresses bound, with port 0 resolved, in the order of the settings.
    public let addresses: [SocketAddress]

    /// - Throws: `ListenError` when an address cannot be had; nothing listens then.
    public init(_ settings: ProxySettings) throws(ListenError) {
        let resolver = Resolver(ttl: .seconds(60))
        var workers: [Worker] = []
        do throws(ListenError) {
            for index in 0..<max(1, settings.workers) {
                workers.append(try Self.makeWorker(index, settings, resolver))
            }
            addresses = try Self.listen(settings.listeners, workers)
        } catch {
            for worker in workers { worker.drain {} }
            throw error
        }
        self.workers = workers
        cache = settings.shared.cache
        budget = settings.shared.budget
        timeOfDay = settings.timeOfDay
        accessLog = settings.accessLog?.sink
        library = settings.shared.library
        library.readStored(at: timeOfDay.unixSeconds())
    }

    /// Whether what the cache file held at the start can be composed from.
    var isIndexComplete: Bool { library.isComplete }

    private static func listen(
        _ listeners: [ListenerSettings], _ workers: [Worker]
    ) throws(ListenError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for listener in listeners {
            var address = listener.address
            do throws(SystemError) {
                // Shared ports can be bound by anyone of the same user, another proxy included: that one must be noticed.
                if workers.count > 1 { try workers.first?.listenAlone(address) }
                for worker in workers {
                    // The first worker resolves port 0; the others share what it got.
                    address = try worker.listen(
                        ListenerSettings(address: address, tls: listener.tls), workers.count > 1)
                }
            } catch {
                throw ListenError(address: listener.address, cause: error)
            }
            addresses.append(address)
        }
        return addresses
    }

    private static func makeWorker(
        _ index: Int, _ settings: ProxySettings, _ resolver: Resolver
    ) throws(ListenError) -> Worker {
        do throws(SystemError) {
            return try Worker(index: index, settings: settings, resolver: resolver)
        } catch {
            throw ListenError(address: settings.listeners[0].address, cause: error)
        }
    }

    /// The sum of all loops' counters, and what the cache holds. From any thread.
    public var snapshot: StatisticsSource {
        StatisticsSource(
            statistics: workers.map(\.statistics), cache: cache, budget: budget,
            restingForms: { [library, timeOfDay] in
                library.forms.resting(at: timeOfDay.unixSeconds())
            })
    }

    /// Finishes the requests in hand, writes what is queued, and calls `completion` on a background queue.
    public func drain(_ completion: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        for worker in workers {
            group.enter()
            worker.drain { group.leave() }
        }
        group.notify(queue: .global()) { @Sendable [cache, accessLog] in
            cache.close()
            accessLog?.flush()
            completion()
        }
    }
}

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

/// One loop with everything that is confined to it.
///
/// `@unchecked Sendable` because all but `statistics` is touched only on the loop's queue.
final class Worker: @unchecked Sendable {
    let statistics = Statistics()
    let loop: EventLoop
    private let server: Server
    private let gate: UpstreamGate
    let service: ProxyService

    init(index: Int, settings: ProxySettings, resolver: Resolver) throws(SystemError) {
        let loop = try EventLoop(label: "refrain.loop.\(index)")
        let context = LoopContext(loop: loop, timeOfDay: settings.timeOfDay)
        let pool = UpstreamPool(
            settings: settings.upstream.share(of: index, among: max(1, settings.workers)),
            tls: settings.upstreamTLS, loop: loop, resolver: resolver)
        gate = UpstreamGate(pool: pool, budget: settings.shared.budget, statistics: statistics)
        service = ProxyService(
            shared: settings.shared, context: context, gate: gate, reader: settings.shared.cache.store?.makeReader(),
            statistics: statistics, log: settings.accessLog)
        server = Server(context: context, service: service, timeouts: settings.timeouts)
        self.loop = loop
    }

    func listen(_ settings: ListenerSettings, _ sharesPort: Bool) throws(SystemError) -> SocketAddress {
        try loop.sync { () throws(SystemError) in try server.listen(settings, sharesPort: sharesPort) }
    }

    /// Whether nobody else has the port: listens on it unshared for a moment.
    func listenAlone(_ address: SocketAddress) throws(SystemError) {
        guard address.port != 0 else { return }
        try loop.sync { () throws(SystemError) in
            try Listener(address: address, loop: loop) { $0.close() }.close()
        }
    }

    func drain(_ completion: @escaping @Sendable () -> Void) {
        loop.execute { [self] in
            server.drain { [self] in
                service.log?.flush()
                gate.drain()
                loop.stop(completion)
            }
        }
    }
}
