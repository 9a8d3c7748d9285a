import Cache
import EventLoop
import Server
import Upstream

/// A loop with everything that is confined to it.
///
/// `@unchecked Sendable` because all but `statistics` is touched only on the loop's queue.
final class Worker: @unchecked Sendable {
    let statistics = Statistics()
    let loop: EventLoop
    private let resolver: Resolver
    let server: Server
    let service: ProxyService
    private var gate: UpstreamGate
    /// The gates before it, until their last request has ended.
    private var retired: [UpstreamGate] = []

    init(index: Int, settings: ProxySettings, resolver: Resolver) throws(SystemError) {
        let loop = try EventLoop(label: "refrain.loop.\(index)")
        let context = LoopContext(
            loop: loop, timeOfDay: settings.timeOfDay, requestBudget: settings.shared.requestBudget,
            answerBudget: settings.shared.answerBudget, census: settings.shared.connections)
        context.trustedProxies = settings.bounds.trustedProxies.orNone
        gate = Self.makeGate(index, settings, loop, resolver, statistics)
        service = ProxyService(
            settings: settings.service, shared: settings.shared, context: context, gate: gate,
            reader: settings.shared.cache.file?.makeReader(),
            statistics: statistics, log: settings.accessLog)
        server = Server(context: context, service: service, timeouts: settings.timeouts)
        (self.loop, self.resolver) = (loop, resolver)
        loop.sync { service.proxy.openTier() }
    }

    private static func makeGate(
        _ index: Int, _ settings: ProxySettings, _ loop: EventLoop, _ resolver: Resolver, _ statistics: Statistics
    ) -> UpstreamGate {
        let pool = UpstreamPool(
            settings: settings.upstream.share(of: index, among: max(1, settings.workers)),
            tls: settings.upstreamTLS, loop: loop, resolver: resolver)
        return UpstreamGate(pool: pool, budget: settings.shared.budget, observer: statistics)
    }

    func listen(
        _ settings: ListenerSettings, _ sharesPort: Bool, isPaused: Bool = false
    ) throws(SystemError) -> SocketAddress {
        try loop.sync { () throws(SystemError) in
            try server.listen(settings, sharesPort: sharesPort, isPaused: isPaused)
        }
    }

    func cancelListening(at address: SocketAddress) {
        loop.sync { server.cancelListening(at: address) }
    }

    /// Goes over to other settings, all of them in one turn.
    /// - Parameters:
    ///   - index: given where connections to the origin have to be made anew: the loop's own.
    ///   - ended: see `Server.adopt`.
    ///   - isOtherOrigin: whether they lead to another origin than the former ones.
    ///   - completion: called when the last request over the former connections has ended.
    /// - Returns: the number of clients' connections that end.
    func adopt(
        _ settings: ProxySettings, _ listening: [BoundListener], ending ended: Set<SocketAddress>,
        renewingUpstreamAs index: Int?, ofOtherOrigin isOtherOrigin: Bool, whenRetired completion: @escaping () -> Void
    ) -> Int {
        loop.sync {
            if let index {
                retire(gate, isOtherOrigin, completion)
                gate = Self.makeGate(index, settings, loop, resolver, statistics)
            }
            service.adopt(settings.service, settings.shared, gate: gate, log: settings.accessLog)
            let count = server.adopt(listening, settings.timeouts, ending: ended)
            service.proxy.base.context.trustedProxies = settings.bounds.trustedProxies.orNone
            gate.reconsider()
            return count
        }
    }

    /// Lets requests start that a limit held back which is forgotten.
    func reconsider() { loop.sync { gate.reconsider() } }

    private func retire(_ gate: UpstreamGate, _ isOfFormerOrigin: Bool, _ completion: @escaping () -> Void) {
        retired.append(gate)
        gate.retire(isOfFormerOrigin: isOfFormerOrigin) { [self] in
            retired.removeAll { $0 === gate }
            completion()
        }
    }

    func drain(patience: Duration? = nil, _ completion: @escaping @Sendable (_ cutOff: Int) -> Void) {
        loop.execute { [self] in
            server.drain(patience: patience) { [self] cutOff in
                service.proxy.observer.log?.flush()
                service.proxy.observer.traffic.handOver(isLast: true)
                gate.drain()
                // For good: later requests go to the origin.
                service.proxy.sharing.tier?.close()
                loop.stop { @Sendable in completion(cutOff) }
            }
        }
    }
}
