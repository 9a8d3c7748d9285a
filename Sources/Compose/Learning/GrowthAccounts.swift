import AppleMusic
import Synchronization

/// What a request asks for beyond what its client wants, so that it is held when it is wanted.
package enum Growth: Sendable {
    /// A larger page of a list that a client goes through.
    case page(ListPage)
    /// A larger page in place of the first one, before a client goes on.
    case firstPage(ListPage)
    /// More relationships of the resources.
    case superset(Superset)
}

/// What larger requests than the clients' brought, for all loops.
///
/// Its lock is taken where an answer is composed, and where it could not be.
package final class GrowthAccounts: Sendable {
    private struct State {
        var pages: [Lists: GrowthLedger] = [:]
        var supersets: [ResourceClass: Supersets] = [:]
    }

    /// The lists of one form in one storefront.
    private struct Lists: Hashable {
        let shape: RequestShape
        let storefront: Storefront

        init(_ page: ListPage) {
            shape = page.shape
            storefront = page.storefront
        }
    }

    /// Of one type.
    private struct Supersets {
        var wanted = WantedIncludes()
        var ledger = SupersetLedger()
    }

    private let state = Mutex(State())
    /// More than apps have forms of lists, in all storefronts.
    private static let maxLists = 4_096

    /// Whether a page may be asked for that is larger than what the client wants.
    func mayGrow(_ page: ListPage, at now: Int64) -> Bool {
        state.withLock { $0.pages[Lists(page)]?.mayGrow(at: now) ?? true }
    }

    /// Whether the first page of a list may be larger than what the client wants: clients of such
    /// lists often go on, and larger pages have paid.
    func mayBegin(with page: ListPage, at now: Int64) -> Bool {
        state.withLock { state in
            guard let ledger = state.pages[Lists(page)] else { return false }
            return ledger.areWalked && ledger.mayGrow(at: now)
        }
    }

    /// The names to include in place of these, for resources of the type, the most first; none
    /// where there are no more that are wanted often, and where asking for more has not paid.
    func supersets(of include: [[UInt8]], _ type: ResourceClass, at now: Int64) -> [[[UInt8]]] {
        state.withLock { state in
            guard let supersets = state.supersets[type], supersets.ledger.mayBegin(at: now) else { return [] }
            return supersets.wanted.supersets(of: include)
        }
    }

    /// A request in a form that is known was not answered out of what is held.
    func note(miss request: CatalogRequest) {
        if let page = request.firstPage { return withLedger(page) { $0.noteBeginning() } }
        guard request.mayHaveSuperset else { return }
        state.withLock { state in
            let shape = request.shape
            // Until a client includes something, there is nothing to count.
            guard !shape.include.isEmpty || state.supersets[shape.type] != nil else { return }
            state.supersets[shape.type, default: Supersets()].wanted.note(shape.include)
        }
    }

    /// More than what a client wants is asked for.
    package func begin(_ growth: Growth, at now: Int64) {
        switch growth {
        case .page(let page): withLedger(page) { $0.begin(page, at: now) }
        case .firstPage(let page): withLedger(page) { $0.begin(page, isBeginning: true, at: now) }
        case .superset(let superset):
            state.withLock { $0.supersets[superset.request.shape.type]?.ledger.begin(superset, at: now) }
        }
    }

    private func withLedger(_ page: ListPage, _ body: (inout GrowthLedger) -> Void) {
        state.withLock { state in
            let lists = Lists(page)
            if state.pages[lists] == nil, state.pages.count >= Self.maxLists { state.pages.removeAll() }
            body(&state.pages[lists, default: GrowthLedger()])
        }
    }

    /// The client that more was asked for than it wanted got its answer out of that.
    package func settle(_ growth: Growth) {
        guard case .superset(let superset) = growth else { return }
        state.withLock { $0.supersets[superset.request.shape.type]?.ledger.settle() }
    }

    /// A client was answered with what was composed.
    /// - Parameter growth: what perhaps was asked for in vain until then.
    package func note(use growth: Growth?) {
        switch growth {
        case .page(let page), .firstPage(let page):
            state.withLock { $0.pages[Lists(page)]?.note(windowOf: page) }
        case .superset(let superset):
            state.withLock { state in
                // Mostly there is none, and what would change it in place is allocated first.
                guard let index = state.supersets.index(forKey: superset.request.shape.type) else { return }
                state.supersets.values[index].ledger.note(made: superset)
            }
        case nil: break
        }
    }
}

extension CatalogRequest {
    /// The first page of a list, if that is what it asks for.
    fileprivate var firstPage: ListPage? {
        guard (offset ?? 0) == 0, let list = listNumber else { return nil }
        return ListPage(list: list, offset: 0, shape: shape, storefront: storefront)
    }

    /// Whether it may be asked for with more included: resources of one type, no more than the
    /// origin shows with their relationships in its time (APPLE-MUSIC-API 4.1.20), and no
    /// parameters but `include`, `ids` and `l`.
    var mayHaveSuperset: Bool {
        switch shape.subject {
        case .item, .batch:
            shape.type.isResourceType && shape.views.isEmpty && shape.decoration.isEmpty
                && resources.count <= Self.mostOfSuperset
        case .list, .results: false
        }
    }

    private static let mostOfSuperset = 50
}
