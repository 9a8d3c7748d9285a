import Tier
import Upstream

/// The parts of one loop's proxy under the settings that count now. Each has them as constants, so
/// that a hit counts no references for them; other settings make new parts. All of them are
/// confined to the loop.
struct ProxyParts {
    let accounts: Accounts
    let answering: Answering
    let asking: Asking
    let composing: Composing
    let composed: ComposedAnswers
    let verifying: Verifying
    let storing: StorageParts
    let batching: Batching
    let sharing: Sharing

    init(
        _ shared: ProxyShared, _ gate: UpstreamGate, _ tier: TierClient?, _ observer: RequestObserver, _ base: LoopBase
    ) {
        accounts = Accounts(shared, base)
        answering = Answering(shared, observer, accounts, base)
        asking = Asking(shared, gate, accounts, observer.traffic, base)
        composing = Composing(shared, base)
        verifying = Verifying(shared, composing, accounts, gate, base)
        composed = ComposedAnswers(composing, verifying, accounts, base)
        storing = StorageParts(shared, composing, accounts, base)
        batching = Batching(shared, composing, accounts, base)
        sharing = Sharing(shared, tier, accounts, composing, composed, storing, base)
    }
}
