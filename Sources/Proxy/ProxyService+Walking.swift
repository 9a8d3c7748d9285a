import AppleMusic
import Cache

// Fetching ahead for clients that walk through a list (DESIGN 7): one page, at the lowest priority.

extension ProxyService {
    /// A page of a list is being answered: it may be a step of a walk, and then the next step is likely to follow.
    func noteStep(_ stored: StoredResponse, _ facts: PlanFacts, _ forwarded: @autoclosure () -> ForwardedRequest) {
        guard facts.route.isList, facts.method == .get, let library = shared.library(for: facts),
            library.settings.windows, stored.status == 200
        else { return }
        let known = walks.page(stored.key.hash, ObjectIdentifier(stored)) {
            guard let map = stored.outline as? ResourceDocument,
                let next = MappedDocument(body: stored.body, map: map).offset(in: map.envelope.next),
                let request = CatalogRequest(canonical: forwarded().canonical), let list = request.listNumber
            else { return nil }
            return Walks.Page(list: list, offset: request.offset ?? 0, next: next)
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
        let (key, now) = (CacheKey(scope: .shared, target: page), context.unixSeconds)
        guard shared.cache.lookup(key, reader, at: now) == nil, let request = CatalogRequest(canonical: page) else {
            return
        }
        if case .answer = compose(request, library, under: shared.policy[request.form.type]) { return }
        guard var inquiry = inquiry(for: Supplement(target: page, detail: .window), of: forwarded),
            let flight = shared.flights.refresh(key, now: context.loop.now)
        else { return }
        inquiry.isAhead = true
        statistics.count(.prefetched)
        fetchBehind(inquiry, flight)
    }
}
