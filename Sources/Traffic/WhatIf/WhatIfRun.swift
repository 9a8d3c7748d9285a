// Runs a recording through the real proxy: clients, proxy and origin are on one loop with virtual
// time.
//
// Must hold: the same recording and settings give the same figures on every machine, under any
// load. The proxy's own code makes every decision; nothing of it is imitated here.

import AppleMusic
import Cache
import Dispatch
import EventLoop
import Glibc
import Proxy
import Server
import Text
import Upstream

public enum WhatIf {
    /// Number of intervals: at most 200, with some 20 requests each, so that shares mean something.
    static func intervals(of traffic: RecordedTraffic) -> Int { min(200, max(10, traffic.count / 20)) }

    /// Runs the recording under these settings, from an empty cache to the last answer.
    /// - Parameter watch: called ten times a second with how many requests have been sent.
    /// - Throws: `SystemError` where the sockets cannot be had.
    public static func run(
        _ traffic: RecordedTraffic, _ settings: WhatIfSettings, until stop: WhatIfStop = WhatIfStop(),
        watch: (_ sent: Int) -> Void = { _ in }
    ) throws(SystemError) -> WhatIfFigures {
        try run(traffic, settings, until: stop, in: TemporaryDirectory(), watch: watch)
    }

    /// Removes the directory afterwards: it holds recorded content.
    static func run(
        _ traffic: RecordedTraffic, _ settings: WhatIfSettings, until stop: WhatIfStop,
        in directory: TemporaryDirectory, watch: (_ sent: Int) -> Void = { _ in }
    ) throws(SystemError) -> WhatIfFigures {
        defer { directory.remove() }
        let stage = try Stage(traffic, settings, directory)
        return stage.run(until: stop, watch: watch)
    }
}

private final class Stage {
    private let traffic: RecordedTraffic
    private let service: ServiceSettings
    private let shared: SharedStores
    private let loop: EventLoop
    private let statistics = Statistics()
    private let timeOfDay: TimeOfDay
    private let done = DispatchSemaphore(value: 0)
    private var servers: [Server] = []
    private var origin: RecordedOriginService?
    private var clients: TraceClients?
    private var intervals: [WhatIfFigures.Interval] = []
    private var figures: WhatIfFigures
    private var isFinished = false

    init(
        _ traffic: RecordedTraffic, _ settings: WhatIfSettings, _ directory: TemporaryDirectory
    ) throws(SystemError) {
        figures = WhatIfFigures(name: settings.name)
        self.traffic = traffic
        service = Self.service(settings)
        let shared = Self.shared(settings, service, directory)
        self.shared = shared
        let time = VirtualTime { @Sendable in shared.settle() }
        let started = traffic.started.microseconds
        timeOfDay = TimeOfDay { @Sendable in (started + time.elapsed.wholeNanoseconds / 1000) / 1_000_000 }
        loop = try EventLoop(label: "refrain.what-if", virtualTime: time)
        do throws(SystemError) {
            try loop.sync { () throws(SystemError) in try build(settings, directory) }
        } catch {
            loop.stop()
            throw error
        }
    }

    private static func service(_ settings: WhatIfSettings) -> ServiceSettings {
        var service = ServiceSettings(
            credentials: Credentials(developer: nil, musicUser: nil), policy: settings.policy, origin: .none,
            authority: "what-if", composition: settings.composition)
        service.provesTokens = false
        service.verifies = false
        return service
    }

    private static func shared(
        _ settings: WhatIfSettings, _ service: ServiceSettings, _ directory: TemporaryDirectory
    ) -> SharedStores {
        let store = settings.fileBytes.map { bytes in
            FileTier.open(
                path: directory.path + "/cache.sqlite", maxBytes: bytes,
                classNames: ResourceClass.allCases.map(\.name), isTemporary: true
            ) { @Sendable _ in }
        }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: settings.memoryBytes), file: store)
        var shared = SharedStores(cache, for: service)
        shared.budget = UpstreamBudget(rate: settings.upstreamRate)
        shared.sealedBodies = SealedBodies(maxBytes: settings.sealedBytes)
        return shared
    }

    private func build(_ settings: WhatIfSettings, _ directory: TemporaryDirectory) throws(SystemError) {
        let endpoint = Endpoint(isTLS: false, host: "what-if", port: 80)
        let originContext = LoopContext(loop: loop, timeOfDay: timeOfDay)
        let origin = RecordedOriginService(traffic.origin, originContext)
        let originPool = UpstreamPool(
            settings: UpstreamSettings(endpoint: endpoint, maxConnections: settings.upstreamConnections), tls: nil,
            loop: loop, resolver: Resolver(always: try listen(origin, originContext, directory.path + "/origin")))
        let context = LoopContext(loop: loop, timeOfDay: timeOfDay)
        let proxy = ProxyService(
            settings: service, shared: shared, context: context,
            gate: UpstreamGate(
                pool: originPool, budget: shared.budget, observer: statistics, random: SplitMix64(seed: 0)),
            reader: shared.cache.file?.makeReader(), statistics: statistics, log: nil)
        let clientPool = UpstreamPool(
            settings: TraceClients.settings(of: endpoint), tls: nil, loop: loop,
            resolver: Resolver(always: try listen(proxy, context, directory.path + "/proxy")))
        self.origin = origin
        clients = TraceClients(traffic, clientPool, loop) { [self] in finish() }
    }

    private func listen(
        _ service: any Service, _ context: LoopContext, _ path: String
    ) throws(SystemError) -> SocketAddress {
        guard let address = SocketAddress(path: path) else { throw SystemError(call: "bind", errno: ENAMETOOLONG) }
        let server = Server(context: context, service: service)
        servers.append(server)
        return try server.listen(ListenerSettings(address: address, tls: nil), sharesPort: false)
    }

    func run(until stop: WhatIfStop, watch: (_ sent: Int) -> Void) -> WhatIfFigures {
        let clients = clients
        loop.sync { () -> Void in
            openInterval()
            clients?.start()
        }
        while !stop.isStopped, done.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            watch(clients?.sent.load(ordering: .relaxed) ?? 0)
        }
        let stopped = DispatchSemaphore(value: 0)
        loop.stop { @Sendable in stopped.signal() }
        stopped.wait()
        // Breaks a cycle that would keep a cache for each configuration.
        (servers, origin, self.clients) = ([], nil, nil)
        shared.cache.close()
        return figures
    }

    /// The last request has been answered. Later events until the loop stops do not count.
    private func finish() {
        closeInterval()
        takeFigures()
        isFinished = true
        done.signal()
    }

    // MARK: Figures

    /// Begins an interval with the counters negated; closing it adds them again.
    private func openInterval() {
        let length = max(traffic.duration / WhatIf.intervals(of: traffic), .seconds(1))
        intervals.append(
            WhatIfFigures.Interval(
                start: loop.now - VirtualTime.start, length: length, hits: -statistics[.hits],
                misses: -statistics[.misses], upstreamRequests: -statistics[.upstreamRequests]))
        // The last one goes on until the last answer.
        guard loop.now + length + length <= VirtualTime.start + traffic.duration else { return }
        loop.schedule(after: length) { [self] in
            guard !isFinished else { return }
            closeInterval()
            openInterval()
        }
    }

    private func closeInterval() {
        let last = intervals.count - 1
        intervals[last].length = loop.now - VirtualTime.start - intervals[last].start
        intervals[last].hits += statistics[.hits]
        intervals[last].misses += statistics[.misses]
        intervals[last].upstreamRequests += statistics[.upstreamRequests]
    }

    private func takeFigures() {
        let all = StatisticsSource(
            statistics: [statistics], settings: { [service] in service }, shared: { [shared] in shared })
        figures.requests = all[.requests]
        figures.hits = all[.hits]
        figures.misses = all[.misses]
        figures.passes = all[.bypassed]
        figures.composed = all.latency(.composed).count
        figures.stale = all[.stale]
        figures.collapsed = all[.collapsed]
        figures.revalidated = all[.revalidated]
        figures.failed = clients?.failed ?? 0
        figures.upstreamRequests = origin?.requests ?? 0
        figures.peakUpstreamRate = origin?.peak ?? 0
        figures.bytesFromUpstream = origin?.bytes ?? 0
        figures.bytesToClients = clients?.bytes ?? 0
        figures.evictedFromMemory = all.memoryEvicted
        figures.evictedFromFile = all.store.evicted
        figures.filled = origin?.sources[.filled] ?? 0
        figures.assembled = origin?.sources[.assembled] ?? 0
        figures.notRecorded = origin?.sources[.unknown] ?? 0
        figures.intervals = intervals
    }
}
