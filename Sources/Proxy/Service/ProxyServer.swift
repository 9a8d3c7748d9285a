import Cache
import Dispatch
import EventLoop
import HTTP
import Server
import Synchronization
import Upstream

/// Settings that a proxy needs before it can start.
public struct ProxySettings: Sendable {
    var listeners: [ListenerSettings]
    /// Event loops; one a core is what measured best.
    public var workers: Int
    /// `maxConnections` is that of all loops together; each gets a share, at least one.
    var upstream: UpstreamSettings
    /// Requests a second that the origin is asked at most, when they are adopted; at the start
    /// `shared.budget` says it.
    public var upstreamRate: Int?
    /// nil for a plain-text upstream.
    public var upstreamTLS: ClientTLS?
    public var service: ServiceSettings
    public var shared: SharedStores
    public var accessLog: AccessLogSettings?
    public var timeouts = ClientTimeouts()
    /// The clock of dates, ages and freshness.
    var timeOfDay = TimeOfDay.system
    public var bounds = ClientBounds()

    public init(
        listeners: [ListenerSettings], workers: Int, upstream: UpstreamSettings, upstreamTLS: ClientTLS?,
        service: ServiceSettings, shared: SharedStores, accessLog: AccessLogSettings?
    ) {
        (self.listeners, self.workers, self.upstream) = (listeners, workers, upstream)
        (self.upstreamTLS, self.service) = (upstreamTLS, service)
        (self.shared, self.accessLog) = (shared, accessLog)
    }

    /// The TLS settings of all listeners with TLS; nil where there are none.
    package var tls: ServerTLS? { listeners.lazy.compactMap(\.tls).first }
}

/// Bounds for all clients together.
public struct ClientBounds: Sendable {
    /// Memory of requests that are being read, or wait for their answers.
    public var requestBytes = RequestBudget.standard
    /// Memory of answers that slow clients have not taken.
    public var answerBytes = AnswerBudget.standard
    /// Connections at once.
    public var connections = Int.max
    /// Connections of one address at once.
    public var connectionsPerAddress = Int.max
    /// Proxies whose fields may name another address for a request than that of its connection.
    public var trustedProxies = TrustedProxies()
    /// Directive and value of limits, for lines to the operator.
    public var names = LimitNames()
    /// Takes lines about clients that a limit refused, one a minute for each limit at most.
    public var warn: @Sendable (String) -> Void = { _ in }
    /// Takes lines about failed TLS handshakes, one a minute for each kind at most.
    public var inform: @Sendable (String) -> Void = { _ in }

    /// The standard amount of memory, and any number of connections.
    public init() {}
}

/// Why an address cannot be listened on.
public struct ListenError: Error, CustomStringConvertible {
    public let address: SocketAddress
    public let cause: SystemError

    public var description: String { "\(address): \(cause)" }
}

/// The running proxy: one worker a loop, each with its own listeners (`SO_REUSEPORT`), upstream
/// pool and cache reader.
///
/// `adopt` is called by one thread at a time; it reaches the loops through their queues.
public final class ProxyServer: Sendable {
    let workers: [Worker]
    /// How often each loop was found to take no turns.
    public let stalls: LoopStalls
    private let savingsFloor = SavingsFloor()
    private let running: Mutex<Running>

    private struct Running {
        var settings: ProxySettings
        /// In the order of the settings.
        var listening: [BoundListener]
    }

    /// - Throws: `ListenError` when an address cannot be had; nothing listens then.
    public init(_ settings: ProxySettings) throws(ListenError) {
        settings.applyBounds()
        let resolver = Resolver(ttl: .seconds(60))
        var workers: [Worker] = []
        do throws(ListenError) {
            for index in 0..<max(1, settings.workers) {
                workers.append(try Self.makeWorker(index, settings, resolver))
            }
            var listening: [BoundListener] = []
            for listener in settings.listeners {
                listening.append(try Self.bind(listener, workers, isPaused: false))
            }
            running = Mutex(Running(settings: settings, listening: listening))
        } catch {
            for worker in workers { worker.drain { _ in } }
            throw error
        }
        self.workers = workers
        stalls = LoopStalls(loops: workers.count)
        settings.shared.library.readStored(settings.timeOfDay.unixSeconds)
    }

    /// The addresses bound, with port 0 resolved, in the order of the settings.
    public var addresses: [SocketAddress] { running.withLock { $0.listening.map(\.address) } }

    /// Records answers, where that is wanted.
    public var recorder: TrafficRecorder { running.withLock { $0.settings.shared.recorder } }

    private static func bind(
        _ listener: ListenerSettings, _ workers: [Worker], isPaused: Bool
    ) throws(ListenError) -> BoundListener {
        var address = listener.address
        var bound: [Worker] = []
        do throws(SystemError) {
            let sharesPort = workers.count > 1 && listener.inherited.isEmpty
            // Shared ports can be bound by anyone of the same user, another proxy included: that
            // one must be noticed.
            if sharesPort, address.port != 0 { try Listener.checkIsFree(address) }
            for (index, worker) in workers.enumerated() {
                // The first worker resolves port 0; the others share its port.
                let settings = listener.share(of: index, among: workers.count, boundTo: address)
                address = try worker.listen(settings, sharesPort, isPaused: isPaused)
                bound.append(worker)
            }
            for socket in listener.inherited { socket.settle() }
        } catch {
            for worker in bound { worker.cancelListening(at: address) }
            throw ListenError(address: listener.address, cause: error)
        }
        return BoundListener(settings: listener, address: address)
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

    /// The sum of all loops' counters, and the cache's own figures. From any thread.
    public var snapshot: StatisticsSource {
        StatisticsSource(
            statistics: workers.map(\.statistics), savingsFloor: savingsFloor, stalls: stalls,
            timeOfDay: running.withLock { $0.settings.timeOfDay },
            accessLog: { [self] in running.withLock { $0.settings.accessLog?.sink } },
            tls: { [self] in
                running.withLock { $0.settings.tls }
            }, settings: { [self] in running.withLock { $0.settings.service } },
            shared: { [self] in running.withLock { $0.settings.shared } })
    }

    /// The number of loops that serve clients.
    public var loopCount: Int { workers.count }

    /// Calls `completion` on one of the loops, in its next turn.
    /// - Parameter loop: below `loopCount`.
    public func ask(loop: Int, _ completion: @escaping @Sendable () -> Void) {
        workers[loop].loop.execute(completion)
    }

    /// Finishes the requests in hand, writes the queues, and calls `completion` on a background
    /// queue with the number of connections that had not finished in time.
    /// - Parameter patience: see `Server.drain`.
    public func drain(patience: Duration? = nil, _ completion: @escaping @Sendable (_ cutOff: Int) -> Void) {
        let group = DispatchGroup()
        let cutOff = Counted()
        for worker in workers {
            group.enter()
            worker.drain(patience: patience) { count in
                cutOff.value.add(count, ordering: .relaxed)
                group.leave()
            }
        }
        let settings = running.withLock { $0.settings }
        group.notify(queue: .global()) { @Sendable in
            // At the same time: a disk that stalls holds up each of them.
            let ends: [@Sendable () -> Void] = [
                settings.shared.cache.close,
                { settings.accessLog?.sink.flush(within: .seconds(2)) },
                { settings.shared.recorder.end(within: .seconds(2)) },
            ]
            let written = DispatchGroup()
            for end in ends { DispatchQueue.global().async(group: written, execute: end) }
            written.notify(queue: .global()) { completion(cutOff.value.load(ordering: .relaxed)) }
        }
    }

    private final class Counted: Sendable {
        let value = Atomic<Int>(0)
    }
}

// MARK: - Reloading

extension ProxyServer {
    /// Goes over to other settings while it runs: first everything that can fail, then each loop in
    /// one step. Cache, flights and budget live on; requests under way end as they began.
    /// Connections live on, but for those of a listener that is gone or wants others: they end as
    /// in a stop.
    ///
    /// - Parameter settings: `workers` and `timeOfDay` count as they were at the start; `shared`
    ///   comes from the running one's by `SharedStores.adopting`.
    /// - Returns: the number of connections that end.
    /// - Throws: `ListenError` when an address cannot be had; everything is as it was then.
    @discardableResult
    public func adopt(_ settings: ProxySettings) throws(ListenError) -> Int {
        let before = running.withLock { $0 }
        let changes = ListenerChanges(from: before.listening, to: settings.listeners)
        let listening = try bindNew(settings.listeners, changes)
        settings.shared.budget.limit(to: settings.upstreamRate)
        settings.applyBounds()
        let renewsUpstream = settings.hasOtherUpstream(than: before.settings)
        let isOtherOrigin = settings.service.origin != before.settings.service.origin
        // The first loop that asks the new origin must not take a token for proven because the
        // former one accepted it.
        if isOtherOrigin { settings.shared.forgetOrigin() }
        let (library, former) = (settings.shared.library, before.settings.shared.library)
        library.takeFloors(of: former)
        // Until its last request has ended, the former origin goes on to answer, and to fail.
        let forgetFailures: @Sendable () -> Void = { if isOtherOrigin { settings.shared.forgetFailures() } }
        var ending = 0
        for (index, worker) in workers.enumerated() {
            ending += worker.adopt(
                settings, listening, ending: changes.ended, renewingUpstreamAs: renewsUpstream ? index : nil,
                ofOtherOrigin: isOtherOrigin, whenRetired: forgetFailures)
        }
        if isOtherOrigin {
            // Loops that had not come to it asked the former origin until now.
            settings.shared.forgetOrigin()
            for worker in workers { worker.reconsider() }
        }
        running.withLock { $0 = Running(settings: settings, listening: listening) }
        if library !== former {
            // Loops that had not come to it learnt until now.
            library.takeFloors(of: former)
            // Composed answers would outlive contradictions: the library that would drop them is
            // not used any more.
            settings.shared.cache.freeComposed()
            library.readStored(settings.timeOfDay.unixSeconds)
        }
        return ending
    }

    /// Binds new listeners, without accepting: connections that come meanwhile are served under the
    /// new settings.
    private func bindNew(
        _ wanted: [ListenerSettings], _ changes: ListenerChanges
    ) throws(ListenError) -> [BoundListener] {
        var listening: [BoundListener] = []
        var new: [BoundListener] = []
        do throws(ListenError) {
            for (settings, address) in zip(wanted, changes.addresses) {
                if let address {
                    listening.append(BoundListener(settings: settings, address: address))
                } else {
                    let bound = try Self.bind(settings, workers, isPaused: true)
                    new.append(bound)
                    listening.append(bound)
                }
            }
        } catch {
            for bound in new {
                for worker in workers { worker.cancelListening(at: bound.address) }
            }
            throw error
        }
        return listening
    }
}

// MARK: - Handover to another process, which accepts while this one still serves

extension ProxyServer {
    /// Copies the descriptors of all loops' listening sockets, in the order of the settings. A
    /// closed socket resets the connections in its queue, and with `SO_REUSEPORT` each loop has its
    /// own, so all are copied.
    public func copySockets() throws(SystemError) -> [Descriptor] {
        var found: [(address: SocketAddress, socket: Descriptor)] = []
        for worker in workers {
            found += try worker.loop.sync { () throws(SystemError) in try worker.server.copySockets() }
        }
        return addresses.flatMap { address in found.filter { $0.address == address }.map(\.socket) }
    }

    /// Leaves new connections in the kernel's queues, or accepts them again; returns when every
    /// loop does.
    public func setAccepting(_ accepts: Bool) {
        for worker in workers { worker.loop.sync { worker.server.setAccepting(accepts) } }
    }
}

extension ProxySettings {
    fileprivate func applyBounds() {
        shared.requestBudget.limit(to: bounds.requestBytes)
        shared.answerBudget.limit(to: bounds.answerBytes)
        shared.connections.limit(
            to: bounds.connections, perAddress: bounds.connectionsPerAddress, trusting: bounds.trustedProxies)
        shared.connections.refusals.tell(names: bounds.names, warn: bounds.warn, inform: bounds.inform)
    }

    /// Whether connections to the origin have to be made anew.
    fileprivate func hasOtherUpstream(than other: ProxySettings) -> Bool {
        upstream != other.upstream || upstreamTLS !== other.upstreamTLS
    }
}
