import AppleMusic
import Cache
import Compose

// Fetching ahead for clients that walk through a list (DESIGN 7): one page, at the lowest priority.

extension ProxyService {
    /// A page of a list is being answered: it may be a step of a walk, and then the next step is
    /// likely to follow.
    func noteStep(_ stored: StoredResponse, _ facts: PlanFacts, _ forwarded: @autoclosure () -> ForwardedRequest) {
        guard facts.route.isList, facts.method == .get, let library = shared.library(for: facts),
            library.settings.windows, stored.status == 200
        else { return }
        let known = walks.page(stored.key.hash, ObjectIdentifier(stored)) {
            // Pages that were cut, and those out of the file, have no map.
            guard let map = stored.outline as? ResourceDocument ?? DocumentScan(stored.body).document,
                let next = MappedDocument(body: stored.body, map: map).offset(in: map.envelope.next),
                let request = CatalogRequest(canonical: forwarded().canonical), let list = request.listNumber
            else { return nil }
            return PageWalks.Page(list: list, offset: request.offset ?? 0, next: next)
        }
        guard let page = known else { return }
        let isWalking = walks.isStep(page.list, offset: page.offset)
        walks.handOut(page.list, offset: page.next)
        guard isWalking else { return }
        let forwarded = forwarded()
        guard let request = CatalogRequest(canonical: forwarded.canonical) else { return }
        fetchAhead(request.target(limit: request.limit, offset: page.next), library, forwarded)
    }

    /// Nobody waits for this yet; who comes for it meanwhile waits for it.
    private func fetchAhead(_ page: [UInt8], _ library: ResourceLibrary, _ forwarded: ForwardedRequest) {
        guard shared.cache.lookup(CacheKey(scope: .shared, target: page), reader, at: context.unixSeconds) == nil,
            let request = CatalogRequest(canonical: page)
        else { return }
        var wanted = Supplement(target: page)
        switch compose(request, library, under: shared.policy[request.shape.type]) {
        case .answer: return
        case .partial(let larger): wanted = larger
        case .impossible: break
        }
        guard var originRequest = originRequest(for: wanted, of: forwarded), let key = originRequest.key,
            let flight = shared.flights.refresh(key, now: context.loop.now)
        else { return }
        originRequest.isAhead = true
        statistics.count(.prefetched)
        fetchBehind(originRequest, flight)
    }
}
