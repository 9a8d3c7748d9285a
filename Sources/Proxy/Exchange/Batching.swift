import AppleMusic
import Compose
import EventLoop
import Store
import Upstream

/// Combines single-resource misses into `ids` requests (`batch on`): performs the decisions of
/// `BatchState`. A client that leaves changes nothing: the answer is stored.
final class Batching {
    private let origin: OriginTag
    private let budget: UpstreamBudget
    private let batches: Batches
    private let composing: Composing
    private let accounts: Accounts
    private let base: LoopBase
    private var library: ResourceLibrary { composing.library }

    init(
        _ settings: ServiceSettings, _ shared: SharedStores, composing: Composing, accounts: Accounts, base: LoopBase
    ) {
        (origin, budget, batches) = (settings.origin.tag, shared.budget, shared.batches)
        (self.composing, self.accounts, self.base) = (composing, accounts, base)
    }

    /// Whether the miss may be batched. With `compose verify` every client gets the origin's own
    /// answer.
    func mayBatch(_ request: OriginRequest) -> Bool {
        let settings = library.settings
        return settings.batch && settings.compose != .verify && request.stored == nil && request.isForOneResource
            && request.isCollapsible && request.forwarded.target.count <= Self.mostTargetBytes
    }

    /// Longer targets, which no app sends, go alone: failures are remembered of 256 kinds.
    private static let mostTargetBytes = 4 << 10

    /// Adds a miss whose request may be batched, and tells it whether it goes alone.
    func add(_ member: any BatchMember, for request: OriginRequest, of party: UpstreamParty) {
        guard let wanted = request.catalogRequest, let name = wanted.resources.first else {
            preconditionFailure("only what is accepted is joined")
        }
        let kind = Batches.Kind(
            wanted, question: request.forwarded.questionOfAnyName(signs: accounts.signs), of: origin,
            budget.isContended ? party : nil)
        let action = batches.withLock { state in
            state.add(
                name.id, of: kind, .init(miss: Confined(member, to: base.loop), party: party),
                most: library.sizes.most(wanted.shape, upTo: CatalogRequest.mostIDs(name.type)), at: base.now,
                mayWait: {
                    library.forms.mayComeBatched(wanted, at: base.unixSeconds)
                })
        }
        switch action {
        case .goAlone: member.goesAlone(asOneOf: kind)
        case .wait: member.waitsForOthers()
        case .wake(let moment):
            member.waitsForOthers()
            base.loop.schedule(at: moment) { [self] in
                let now = base.now
                batches.withLock { $0.due(kind, at: now) }?.go()
            }
        case .send(let batch):
            member.waitsForOthers()
            batch.go()
        }
    }

    /// A request of the kind has ended, single or batch.
    func ended(_ kind: Batches.Kind, _ end: Batches.State.End) {
        batches.withLock { $0.ended(kind, end) }?.go()
    }

    /// The request for the batch, for its first member's client. Nil where each member goes alone,
    /// and was told.
    func request(for batch: Batches.State.Batch, of first: OriginRequest) -> OriginRequest? {
        if let wanted = first.wanted, batch.ids.count > 1,
            let request = composing.originRequest(
                for: Supplement(target: wanted.target(resources: batch.names)), .batch, of: first.forwarded)
        {
            return request
        }
        // The end of the first one's request is that of the batch.
        for (index, (_, member)) in batch.members.enumerated() {
            member.miss.perform { $0.goesAlone(asOneOf: index == 0 ? batch.kind : nil) }
        }
        return nil
    }

    /// Notes the answer to a single request whose batch the origin refused.
    func note(refusedListFor request: OriginRequest, answered status: Int) {
        guard status == 200, let single = request.catalogRequest else { return }
        library.forms.note(batchOf: single.shape, in: single.storefront, isRefused: true)
    }

    /// The request for the batch has ended.
    func finish(_ batch: Batches.State.Batch, _ end: PartEnd) {
        // One of the ids may be the cause, or their number (APPLE-MUSIC-API 4.1.20: 300 songs are
        // never answered, 150 sometimes).
        if case .failed = end.ofBatch, let (one, other) = batches.withLock({ $0.halve(batch) }) {
            one.go()
            other.go()
            return
        }
        if case .tooLarge = end {
            library.sizes.note(tooLarge: batch.kind.wanted.shape, count: batch.ids.count)
            if let (one, other) = batches.withLock({ $0.split(batch) }) {
                one.go()
                other.go()
                return
            }
        }
        if case .stored(status: 200) = end {
            let wanted = batch.kind.wanted
            // A list that cannot answer for its members costs a request, like one that is refused.
            let isOfUse = library.forms.mayAnswerSingles(of: wanted.shape.type, wanted.storefront, at: base.unixSeconds)
            library.forms.note(batchOf: wanted.shape, in: wanted.storefront, isRefused: !isOfUse)
        }
        // A batch that waits for this end is sent before the members look for their answers.
        ended(batch.kind, end.ofBatch)
        for (index, (_, member)) in batch.members.enumerated() {
            member.miss.perform { $0.partEnded(end, isFirst: index == 0) }
        }
    }
}

extension Batches.State.Batch {
    /// The parties whose clients wait for it.
    var parties: Set<UpstreamParty> { Set(members.map(\.member.party)) }

    fileprivate var names: [ResourceName] { ids.map { ResourceName(type: kind.wanted.shape.type, id: $0) } }

    /// Has its first member send it, on that member's loop.
    fileprivate func go() {
        members.first?.member.miss.perform { $0.lead(self) }
    }
}

extension PartEnd {
    /// The end, as `BatchState` counts it.
    var ofBatch: Batches.State.End {
        switch self {
        case .stored(let status), .unusable(let status?): Batches.State.End(status: status)
        case .unusable(nil): .untold
        // One of the ids may be the cause, as with a 5xx.
        case .incomplete: .failed
        case .tooLarge: .answered
        case .refused(let response, _): Batches.State.End(status: response.status)
        case .failed(let failure): failure.mayBeOfTheTarget ? .failed : .untold
        }
    }
}
