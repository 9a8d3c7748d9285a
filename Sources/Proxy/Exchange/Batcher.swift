import AppleMusic
import Cache
import Compose
import EventLoop

/// Joins single-resource misses of one loop into `ids` requests (`batch on`).
///
/// Confined to its loop. A client that hangs up changes nothing: its id has gone to the origin with
/// the others', and what comes is stored.
final class Batcher {
    /// What misses must share: everything but the id.
    struct Kind: Hashable {
        let storefront: Storefront
        let shape: RequestShape
        let language: [UInt8]
        /// The developer token that the client brought, where it goes along.
        let authorization: [UInt8]?
    }

    /// Called once, when the batch has ended; `isFirst` for one of its members.
    typealias Completion = (_ end: PartEnd, _ isFirst: Bool) -> Void

    fileprivate struct Member {
        let request: OriginRequest
        let wanted: CatalogRequest
        let completion: Completion
    }

    private var state = BatchState<Kind, Member>()
    private unowned let proxy: ProxyLoop

    init(_ proxy: ProxyLoop) {
        self.proxy = proxy
    }

    /// Whether the answer can be made out of a batch's: the form of single ones is known, no
    /// parameter touches them in another way than those of a batch, and nothing speaks against
    /// their looking alike. Where what is composed is only compared, every client gets the origin's
    /// own answer.
    func accepts(_ request: OriginRequest) -> Bool {
        let library = proxy.shared.library
        guard library.settings.batch, library.settings.compose != .verify, request.stored == nil,
            request.isCollapsible, let wanted = request.wanted, wanted.shape.subject == .item,
            wanted.hasPlainResources, wanted.resources.first != nil,
            library.forms.record(wanted.shape, at: proxy.context.unixSeconds) != nil
        else { return false }
        return !library.forms.agreement(wanted.shape.type, at: proxy.context.unixSeconds).isRefuted(.batched, .item)
    }

    /// Takes in a miss that it `accepts`.
    func add(_ request: OriginRequest, _ completion: @escaping Completion) {
        guard let wanted = request.wanted, let name = wanted.resources.first else {
            preconditionFailure("only what is accepted is joined")
        }
        let kind = Kind(
            storefront: wanted.storefront, shape: wanted.shape, language: wanted.language,
            authorization: request.forwarded.clientAuthorization)
        let member = Member(request: request, wanted: wanted, completion: completion)
        let most = CatalogRequest.mostIDs(wanted.shape.type)
        switch state.add(name.id, of: kind, member, most: most) {
        case .wait: break
        case .wake(let pause):
            proxy.context.loop.schedule(after: pause) { [self] in
                if let batch = state.due(kind) { send(batch) }
            }
        case .send(let batch): send(batch)
        }
    }

    private func send(_ batch: BatchState<Kind, Member>.Batch) {
        guard let first = batch.members.first?.member, batch.ids.count > 1,
            let request = proxy.originRequest(
                for: Supplement(target: first.wanted.target(resources: batch.names)), of: first.request.forwarded)
        else {
            for (_, member) in batch.members { member.completion(.unusable(status: nil), true) }
            return
        }
        let audience = Exchange.Audience.part { [self] end in
            // Too many for the origin to answer in its time (APPLE-MUSIC-API 4.1.20: 300 songs
            // never, 150 sometimes).
            if case .unusable(status: 504) = end, let (one, other) = batch.halved() {
                send(one)
                send(other)
                return
            }
            for (index, member) in batch.members.enumerated() { member.member.completion(end, index == 0) }
        }
        Exchange(request, for: audience, proxy).start()
    }
}

extension BatchState<Batcher.Kind, Batcher.Member>.Batch {
    fileprivate var names: [ResourceName] { ids.map { ResourceName(type: kind.shape.type, id: $0) } }
}
