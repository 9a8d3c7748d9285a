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
    private(set) var settings: ServiceSettings
    private(set) var shared: SharedStores
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
        _ settings: ServiceSettings, _ shared: SharedStores, gate: UpstreamGate, base: LoopBase,
        log: AccessLogSettings?, witness: @escaping Witness
    ) {
        (self.settings, self.shared, self.base, self.witness) = (settings, shared, base, witness)
        flights = shared.flights
        observer = RequestObserver(
            base.statistics, base.context, shared.feed, shared.tails,
            log: log.map { AccessLog($0, loop: base.loop) }, recorder: shared.recorder)
        (accounts, answering, asking, composing, composed, verifying, storing, batching, sharing) =
            Self.parts(settings, shared, gate, nil, observer, base)
        lendWitness()
    }

    /// Begins to use the shared tier, if there is one. On the loop.
    func openTier() {
        guard let tier = shared.tier else { return }
        // A request that waited for the engine once does not wait again for the budget that is kept
        // there.
        let client = TierClient(tier, loop: base.loop) { [budget = shared.budget, loop = base.loop] in
            budget.lost(now: loop.now)
        }
        use(asking.gate, client)
    }

    /// Goes over to other settings between two requests.
    func adopt(_ settings: ServiceSettings, _ shared: SharedStores, gate: UpstreamGate, log: AccessLogSettings?) {
        observer.log?.flush()
        observer.log = log.map { AccessLog($0, loop: base.loop) }
        (self.settings, self.shared) = (settings, shared)
        use(gate, sharing.tier)
        // Memoized plans follow from settings that count no more, such as the clients' keys.
        base.context.forgetRequests()
    }

    private func use(_ gate: UpstreamGate, _ tier: TierClient?) {
        (accounts, answering, asking, composing, composed, verifying, storing, batching, sharing) =
            Self.parts(settings, shared, gate, tier, observer, base)
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
        _ settings: ServiceSettings, _ shared: SharedStores, _ gate: UpstreamGate, _ tier: TierClient?,
        _ observer: RequestObserver, _ base: LoopBase
    ) -> (
        Accounts, Answering, Asking, Composing, ComposedAnswers, Verifying, StorageParts, Batching, Sharing
    ) {
        let (accounts, composing) = (Accounts(settings, shared, base), Composing(settings, shared, base))
        let verifying = Verifying(
            settings, shared, composing: composing, accounts: accounts, gate: gate, base: base)
        let composed = ComposedAnswers(composing, verifying, accounts, base)
        let storing = StorageParts(settings, shared, composing: composing, accounts: accounts, base: base)
        return (
            accounts, Answering(settings, shared, observer: observer, accounts: accounts, base: base),
            Asking(settings, shared, gate: gate, accounts: accounts, traffic: observer.traffic, base: base),
            composing, composed, verifying, storing,
            Batching(settings, shared, composing: composing, accounts: accounts, base: base),
            Sharing(
                shared.tier, tier, accounts: accounts, composing: composing, composed: composed, storing: storing,
                base: base)
        )
    }

    /// Whether anything personal is stored.
    var keepsPersonal: Bool { shared.keepsPersonal(under: settings.policy) }
}
