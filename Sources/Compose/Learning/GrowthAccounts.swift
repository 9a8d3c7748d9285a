import AppleMusic
import Synchronization

/// What a request asks for beyond what its client wants, so that it is held when it is wanted.
package enum Growth: Sendable {
    /// A larger page of a list.
    case page(ListPage)
    /// More relationships and views of the resources.
    case superset(Superset)
}

/// What larger requests than the clients' brought, for all loops.
///
/// Its lock is taken where an answer is composed, and where it could not be.
package final class GrowthAccounts: Sendable {
    /// The lists of one form in one storefront.
    private struct Lists: Hashable {
        let shape: RequestShape
        let storefront: Storefront

        init(_ page: ListPage) { (shape, storefront) = (page.shape, page.storefront) }
        init(_ request: CatalogRequest) { (shape, storefront) = (request.shape, request.storefront) }
    }

    let supersets = SupersetAccounts()
    private let ledgers = Mutex<[Lists: GrowthLedger]>([:])
    /// More than apps have forms of lists, in all storefronts.
    private static let maxLists = 4_096

    /// Whether a page may be asked for that is larger than what the client wants.
    func mayGrow(_ page: ListPage) -> Bool {
        ledgers.withLock { $0[Lists(page)]?.mayGrow ?? true }
    }

    /// A request in a form that is known was not answered out of what is held.
    func note(miss request: CatalogRequest) {
        if case .list = request.shape.subject {
            return ledgers.withLock { $0[Lists(request)]?.noteMiss() }
        }
        supersets.note(miss: request)
    }

    /// Counts a larger request that is being sent.
    package func begin(_ growth: Growth) {
        switch growth {
        case .page(let page): begin(page)
        case .superset(let superset): supersets.begin(superset)
        }
    }

    private func begin(_ page: ListPage) {
        ledgers.withLock { ledgers in
            let lists = Lists(page)
            if ledgers[lists] == nil, ledgers.count >= Self.maxLists { ledgers.removeAll() }
            ledgers[lists, default: GrowthLedger()].begin(page)
        }
    }

    /// Counts a client's answer made from its own larger request.
    package func settle(_ growth: Growth) {
        if case .superset(let superset) = growth { supersets.settle(superset) }
    }

    /// Counts the first plain hit on a larger answer.
    package func note(useOf target: [UInt8]) {
        guard let request = CatalogRequest(canonical: target) else { return }
        supersets.note(use: Superset(request: request, resources: request.resources))
    }

    /// A client was answered with what was composed.
    /// - Parameter growth: what perhaps was asked for in vain until then.
    package func note(use growth: Growth?) {
        switch growth {
        case .page(let page):
            ledgers.withLock { $0[Lists(page)]?.note(windowOf: page) }
        case .superset(let superset): supersets.note(use: superset)
        case nil: break
        }
    }
}
