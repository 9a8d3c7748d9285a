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
    typealias Completion = (_ end: PartialFetch.End, _ isFirst: Bool) -> Void

    fileprivate struct Member {
        let originRequest: OriginRequest
        let request: CatalogRequest
        let completion: Completion
    }

    private var state = BatchState<Kind, Member>()
    private unowned let service: ProxyService

    init(_ service: ProxyService) {
        self.service = service
    }

    /// Takes a miss in; false where it has to be asked for alone.
    func add(_ originRequest: OriginRequest, _ completion: @escaping Completion) -> Bool {
        guard service.shared.library.settings.batch,
            let request = originRequest.catalogRequest ?? CatalogRequest(canonical: originRequest.request.canonical),
            isBatchable(originRequest, request),
            let name = request.resources.first
        else { return false }
        let kind = Kind(
            storefront: request.storefront, shape: request.shape, language: request.language,
            authorization: originRequest.request.clientAuthorization)
        let member = Member(originRequest: originRequest, request: request, completion: completion)
        let most = CatalogRequest.mostIDs(request.shape.type)
        switch state.add(name.id, of: kind, member, most: most) {
        case .wait: break
        case .wake(let pause):
            service.context.loop.schedule(at: service.context.loop.now + pause) { [self] in
                if let batch = state.due(kind) { send(batch) }
            }
        case .send(let batch): send(batch)
        }
        return true
    }

    /// Only where the answer can be made out of a batch's: the form of single ones is known, no
    /// parameter touches them in another way than those of a batch, and nothing speaks against
    /// their looking alike. Where what is composed is only compared, every client gets the origin's
    /// own answer.
    private func isBatchable(_ originRequest: OriginRequest, _ request: CatalogRequest) -> Bool {
        let library = service.shared.library
        guard library.settings.compose != .verify, request.shape.subject == .item,
            request.hasPlainResources, originRequest.stored == nil, originRequest.isCollapsible,
            library.forms.record(request.shape, at: service.context.unixSeconds) != nil
        else { return false }
        return !library.forms.agreement(request.shape.type).isRefuted(.batched, .item)
    }

    private func send(_ batch: BatchState<Kind, Member>.Batch) {
        guard let first = batch.members.first?.member, batch.ids.count > 1,
            let originRequest = service.originRequest(
                for: Supplement(target: first.request.target(resources: batch.names)),
                of: first.originRequest.request)
        else {
            for (_, member) in batch.members { member.completion(.unusable(status: nil), true) }
            return
        }
        PartialFetch(originRequest, service: service) { [self] end in
            // Too many for the origin to answer in its time (API.md 4.1: 300 songs never, 150
            // sometimes).
            if case .unusable(status: 504) = end, let (one, other) = batch.halved() {
                send(one)
                send(other)
                return
            }
            for (index, member) in batch.members.enumerated() { member.member.completion(end, index == 0) }
        }.start()
    }
}

extension BatchState<Batcher.Kind, Batcher.Member>.Batch {
    fileprivate var names: [ResourceName] { ids.map { ResourceName(type: kind.shape.type, id: $0) } }
}
