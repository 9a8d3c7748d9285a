import Cache
import Server
import Tier
import Upstream

/// State for the requests of one loop: its parts, and what lasts longer than settings do.
///
/// Confined to its loop.
final class ProxyLoop {
    let base: LoopBase
    let observer: RequestObserver
    let flights: Flights
    /// The settings that count now.
    private(set) var shared: ProxyShared
    private var parts: ProxyParts

    init(
        _ shared: ProxyShared, _ gate: UpstreamGate, _ base: LoopBase,
        log: AccessLogSettings?
    ) {
        (self.shared, self.base) = (shared, base)
        flights = shared.flights
        observer = RequestObserver(
            base.statistics, base.context, shared.feed, shared.tails,
            log: log.map { AccessLog($0, loop: base.loop) }, recorder: shared.recorder)
        parts = ProxyParts(shared, gate, nil, observer, base)
        use(parts)
    }

    /// Begins to use the shared tier, if there is one. On the loop.
    func openTier() {
        guard let settings = shared.tier else { return }
        // A request that waited for the engine once does not wait again for the budget that is kept
        // there.
        let tier = TierClient(settings, loop: base.loop) { [budget = shared.budget, loop = base.loop] in
            budget.lost(now: loop.now)
        }
        use(ProxyParts(shared, asking.gate, tier, observer, base))
    }

    /// Goes over to other settings between two requests. Exchanges under way ask here for what they
    /// need next, such as another token after a 401, and get what counts now.
    func adopt(_ shared: ProxyShared, gate: UpstreamGate, log: AccessLogSettings?) {
        observer.log?.flush()
        observer.log = log.map { AccessLog($0, loop: base.loop) }
        use(ProxyParts(shared, gate, sharing.tier, observer, base))
        self.shared = shared
        // Memoized plans follow from settings that count no more, such as the clients' keys.
        base.context.forgetRequests()
    }

    private func use(_ parts: ProxyParts) {
        self.parts = parts
        parts.verifying.proxy = self
    }
}

// MARK: - Parts

extension ProxyLoop {
    var accounts: Accounts { parts.accounts }
    var answering: Answering { parts.answering }
    var asking: Asking { parts.asking }
    var composing: Composing { parts.composing }
    var composed: ComposedAnswers { parts.composed }
    var verifying: Verifying { parts.verifying }
    var storing: StorageParts { parts.storing }
    var batching: Batching { parts.batching }
    var sharing: Sharing { parts.sharing }
}
