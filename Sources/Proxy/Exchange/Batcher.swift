import AppleMusic
import Compose
import EventLoop

/// Joins single-resource misses of one loop into `ids` requests (`batch on`).
///
/// Confined to its loop. A client that hangs up changes nothing: its id has gone to the origin with
/// the others', and what comes is stored.
final class Batcher {
    /// What misses must share: everything but the id. A class, because it is kept until the request
    /// has ended, and copies of so many members were a thousand instructions of a miss.
    final class Kind: Hashable {
        /// Of the first of them.
        fileprivate let wanted: CatalogRequest
        /// The developer token that the client brought, where it goes along.
        private let authorization: [UInt8]?

        fileprivate init(_ wanted: CatalogRequest, _ authorization: [UInt8]?) {
            self.wanted = wanted
            self.authorization = authorization
        }

        static func == (one: Kind, other: Kind) -> Bool {
            one === other
                || one.wanted.storefront == other.wanted.storefront && one.wanted.shape == other.wanted.shape
                    && one.wanted.language == other.wanted.language && one.authorization == other.authorization
        }

        /// Every miss is looked for twice, and of the kinds under way few differ in the rest alone.
        func hash(into hasher: inout Hasher) {
            hasher.combine(Int(wanted.shape.type.rawValue))
        }
    }

    private typealias State = BatchState<Kind, Exchange>

    private var state = State()
    private unowned let proxy: ProxyLoop

    init(_ proxy: ProxyLoop) {
        self.proxy = proxy
    }

    /// Whether the miss is one of those that are joined. Where what is composed is only compared,
    /// every client gets the origin's own answer.
    func accepts(_ request: OriginRequest) -> Bool {
        let settings = proxy.shared.library.settings
        return settings.batch && settings.compose != .verify && request.stored == nil && request.isForOneResource
            && request.isCollapsible
    }

    /// Takes in an exchange whose request it `accepts`, and tells it whether it goes by itself.
    func add(_ exchange: Exchange) {
        guard let wanted = exchange.request.catalogRequest, let name = wanted.resources.first else {
            preconditionFailure("only what is accepted is joined")
        }
        let kind = Kind(wanted, exchange.request.forwarded.clientAuthorization)
        let action = state.add(
            name.id, of: kind, exchange, most: CatalogRequest.mostIDs(name.type), at: proxy.context.loop.now,
            mayWait: { proxy.shared.library.forms.mayComeBatched(kind.wanted.shape, at: proxy.context.unixSeconds) })
        switch action {
        case .goAlone: exchange.goesAlone(asOneOf: kind)
        case .wait: exchange.waitsForOthers()
        case .wake(let moment):
            exchange.waitsForOthers()
            proxy.context.loop.schedule(at: moment) { [self] in
                if let batch = state.due(kind, at: proxy.context.loop.now) { send(batch) }
            }
        case .send(let batch):
            exchange.waitsForOthers()
            send(batch)
        }
    }

    /// The request of an exchange that was told to go by itself has ended.
    func ended(_ kind: Kind) {
        if let batch = state.ended(kind) { send(batch) }
    }

    private func send(_ batch: State.Batch) {
        guard let first = batch.members.first?.member.request, let wanted = first.wanted, batch.ids.count > 1,
            let request = proxy.originRequest(
                for: Supplement(target: wanted.target(resources: batch.names)), of: first.forwarded)
        else {
            // The end of the first one's request is that of the batch.
            for (index, (_, member)) in batch.members.enumerated() {
                member.goesAlone(asOneOf: index == 0 ? batch.kind : nil)
            }
            return
        }
        Exchange(request, for: .part { [self] in finish(batch, $0) }, proxy).start()
    }

    private func finish(_ batch: State.Batch, _ end: PartEnd) {
        // Too many for the origin to answer in its time (APPLE-MUSIC-API 4.1.20: 300 songs never,
        // 150 sometimes).
        if case .unusable(status: 504) = end, let (one, other) = state.halve(batch) {
            send(one)
            send(other)
            return
        }
        // What waits for this end goes before its answer is taken apart.
        ended(batch.kind)
        for (index, (_, member)) in batch.members.enumerated() { member.partEnded(end, isFirst: index == 0) }
    }
}

extension BatchState<Batcher.Kind, Exchange>.Batch {
    fileprivate var names: [ResourceName] { ids.map { ResourceName(type: kind.wanted.shape.type, id: $0) } }
}
