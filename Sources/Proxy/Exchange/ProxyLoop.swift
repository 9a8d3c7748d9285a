import Cache
import Server
import Tier
import Upstream

/// The parts of one loop's proxy under the settings that count now, and state that lasts longer.
///
/// Each part has its settings as constants, so that a hit counts no references for them; other
/// settings make new parts. An exchange under way asks here for a part whenever it needs one, and
/// gets what counts by then, such as another token after a 401. Confined to its loop.
final class ProxyLoop {
    /// Asks the origin for an answer that is only compared.
    typealias Witness = (OriginRequest, ProxyLoop, @escaping (ComparedAnswer?) -> Void) -> Void

    let base: LoopBase
    let observer: RequestObserver
    let flights: Flights
    private let witness: Witness
    /// The settings that count now.
    private(set) var shared: ProxyShared
    private(set) var accounts: Accounts
    private(set) var answering: Answering
    private(set) var asking: Asking
    private(set) var composing: Composing
    private(set) var composed: ComposedAnswers
    private(set) var verifying: Verifying
    private(set) var storing: StorageParts
    private(set) var batching: Batching
    private(set) var sharing: Sharing

    init(
        _ shared: ProxyShared, _ gate: UpstreamGate, _ base: LoopBase, log: AccessLogSettings?,
        witness: @escaping Witness
    ) {
        (self.shared, self.base, self.witness) = (shared, base, witness)
        flights = shared.flights
        observer = RequestObserver(
            base.statistics, base.context, shared.feed, shared.tails,
            log: log.map { AccessLog($0, loop: base.loop) }, recorder: shared.recorder)
        (accounts, answering, asking, composing, composed, verifying, storing, batching, sharing) =
            Self.parts(shared, gate, nil, observer, base)
        lendWitness()
    }

    /// Begins to use the shared tier, if there is one. On the loop.
    func openTier() {
        guard let settings = shared.tier else { return }
        // A request that waited for the engine once does not wait again for the budget that is kept
        // there.
        let tier = TierClient(settings, loop: base.loop) { [budget = shared.budget, loop = base.loop] in
            budget.lost(now: loop.now)
        }
        use(shared, asking.gate, tier)
    }

    /// Goes over to other settings between two requests.
    func adopt(_ shared: ProxyShared, gate: UpstreamGate, log: AccessLogSettings?) {
        observer.log?.flush()
        observer.log = log.map { AccessLog($0, loop: base.loop) }
        use(shared, gate, sharing.tier)
        self.shared = shared
        // Memoized plans follow from settings that count no more, such as the clients' keys.
        base.context.forgetRequests()
    }

    private func use(_ shared: ProxyShared, _ gate: UpstreamGate, _ tier: TierClient?) {
        (accounts, answering, asking, composing, composed, verifying, storing, batching, sharing) =
            Self.parts(shared, gate, tier, observer, base)
        lendWitness()
    }

    /// Verifications send their requests through this loop, which owns them.
    private func lendWitness() {
        verifying.fetch = { [weak self] request, report in
            guard let self else { return report(nil) }
            witness(request, self, report)
        }
    }

    private static func parts(
        _ shared: ProxyShared, _ gate: UpstreamGate, _ tier: TierClient?, _ observer: RequestObserver, _ base: LoopBase
    ) -> (
        Accounts, Answering, Asking, Composing, ComposedAnswers, Verifying, StorageParts, Batching, Sharing
    ) {
        let (accounts, composing) = (Accounts(shared, base), Composing(shared, base))
        let verifying = Verifying(shared, composing, accounts, gate, base)
        let composed = ComposedAnswers(composing, verifying, accounts, base)
        let storing = StorageParts(shared, composing, accounts, base)
        return (
            accounts, Answering(shared, observer, accounts, base),
            Asking(shared, gate, accounts, observer.traffic, base), composing, composed, verifying, storing,
            Batching(shared, composing, accounts, base),
            Sharing(shared, tier, accounts, composing, composed, storing, base)
        )
    }
}
