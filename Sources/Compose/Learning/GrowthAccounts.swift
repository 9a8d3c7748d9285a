import AppleMusic
import Synchronization

/// Accounts of larger requests than the clients', and of the names that clients want.
///
/// Shared by all loops.
///
/// Its lock is taken where an answer is composed, where it could not be, where one comes from the
/// origin, and when a larger one is first served itself.
package final class GrowthAccounts: Sendable {
    /// Larger requests that pay for each other.
    private enum Kind: Hashable {
        /// For pages of the lists of one form in one storefront.
        case pages(RequestShape, Storefront)
        /// For resources of one type, with more relationships and views.
        case resources(ResourceClass)
        /// For resources of one type, with ids in relationships of nested resources.
        case related(ResourceClass)
        /// For resources of one type in place of their lists' first pages.
        case owners(ResourceClass)
    }

    private struct Account {
        var wanted = WantedNames()
        var ledger: GrowthLedger

        init(_ kind: Kind) {
            switch kind {
            case .pages: ledger = GrowthLedger(missesForOne: 15, maxEntries: 64)
            case .resources, .related, .owners:
                ledger = GrowthLedger(missesForOne: GrowthAccounts.missesForOne, maxEntries: 4_096)
            }
        }
    }

    private let accounts = Mutex<[Kind: Account]>([:])
    /// The names that clients of other nodes want.
    private let elsewhere = Mutex(WantedSummary([:]))
    /// The own names that were news to other nodes last.
    private let announced = Mutex(WantedSummary([:]))
    private let sizes: LearntSizes
    /// Bound of the kinds, above the forms of lists that apps have in all storefronts.
    private static let maxKinds = 4_096
    /// Number of requests for resources of which one is lost where no larger one is of use.
    static let missesForOne = 100

    init(_ sizes: LearntSizes) { self.sizes = sizes }

    /// Whether a page may be asked for that is larger than the client's.
    func mayGrow(_ page: ListPage) -> Bool {
        accounts.withLock { $0[.pages(page.shape, page.storefront)]?.ledger.mayBegin ?? true }
    }

    /// Whether a resource may be asked for in place of the first page of one of its lists.
    func mayAskOwner(_ type: ResourceClass) -> Bool {
        accounts.withLock { $0[.owners(type)]?.ledger.mayBegin ?? true }
    }

    /// Larger selections to ask for instead, the largest first.
    ///
    /// There are none where no further name is wanted often, or where asking for more has not paid
    /// lately.
    func selections(for superset: Superset) -> [Selection] {
        let (shape, count) = (superset.request.shape, superset.resources.count)
        let others = elsewhere.withLock { $0.types[shape.type] }
        let wanted = accounts.withLock { accounts -> [Selection] in
            let account = accounts[.resources(shape.type)]
            guard account?.ledger.mayBegin ?? (others != nil) else { return [] }
            let own = account?.wanted ?? WantedNames()
            return (others.map(own.adding) ?? own).supersets(
                of: shape.selection, mayHaveViews: shape.subject == .item)
        }
        return wanted.filter { sizes.allow(shape.selecting($0), inPlaceOf: shape, count: count) }
    }

    /// The names that clients of this node want, as other nodes read them (`WantedSummary`).
    var summary: String { wanted.text }

    /// The summary, and whether it has news for nodes that know the last one that had.
    package func announcement() -> (line: String, isNews: Bool) {
        let wanted = wanted
        let isNews = announced.withLock { announced in
            guard wanted.hasNews(since: announced) else { return false }
            announced = wanted
            return true
        }
        return (wanted.text, isNews)
    }

    private var wanted: WantedSummary {
        let wanted = accounts.withLock { accounts in
            accounts.compactMap { kind, account in
                if case .resources(let type) = kind { (type, account.wanted) } else { nil }
            }
        }
        return WantedSummary(Dictionary(uniqueKeysWithValues: wanted))
    }

    /// Adds the names that clients of an earlier run wanted.
    func restore(_ summary: String) {
        accounts.withLock { accounts in
            for (type, wanted) in WantedSummary(summary).types {
                let kind = Kind.resources(type)
                accounts[kind, default: Account(kind)].wanted = wanted.adding(accounts[kind]?.wanted ?? WantedNames())
            }
        }
    }

    /// The summaries of all other nodes that ask this origin, in place of those before.
    package func heed(_ summaries: [String]) {
        var all = WantedSummary([:])
        for summary in summaries { all.add(WantedSummary(summary)) }
        elsewhere.withLock { $0 = all }
    }

    /// Whether ids in relationships of nested resources may be asked for with them, in a
    /// shape that brings them.
    /// - Parameter count: how many resources may come.
    func mayRelate(_ shape: RequestShape, inPlaceOf own: RequestShape, count: Int) -> Bool {
        accounts.withLock { $0[.related(shape.type)]?.ledger.mayBegin ?? true }
            && sizes.allow(shape, inPlaceOf: own, count: count)
    }

    /// A request in a known form was not answered out of stored answers.
    func note(miss request: CatalogRequest) {
        if request.shape.nestsResources {
            accounts.withLock { $0[.related(request.shape.type)]?.ledger.noteMiss() }
        }
        if case .list = request.shape.subject {
            return accounts.withLock { accounts in
                accounts[.pages(request.shape, request.storefront)]?.ledger.noteMiss()
                if request.mayBeShownByOwner { accounts[.owners(request.shape.type)]?.ledger.noteMiss() }
            }
        }
        guard request.mayHaveSuperset else { return }
        let (kind, shape) = (Kind.resources(request.shape.type), request.shape)
        accounts.withLock { accounts in
            // Until a client names something of a type, there is nothing to count, unless others
            // are inside its resources.
            guard !shape.selection.isEmpty || shape.nestsResources || accounts.index(forKey: kind) != nil else {
                return
            }
            accounts[kind, default: Account(kind)].wanted.note(shape.selection)
            accounts[kind]?.ledger.noteMiss()
        }
    }

    /// Counts a larger request that is being sent.
    func begin(_ growth: Growth) {
        switch growth {
        case .page(let page):
            note(.pages(page.shape, page.storefront)) { $0.ledger.begin([page.number]) }
            if page.relates { note(.related(page.shape.type)) { $0.ledger.begin([]) } }
        case .superset(let superset):
            let type = superset.request.shape.type
            if superset.wider != nil {
                note(.resources(type)) { $0.ledger.begin(superset.numbers, superset.selection) }
            }
            if superset.relates { note(.related(type)) { $0.ledger.begin([]) } }
        case .owner(let superset):
            note(.owners(superset.request.shape.type)) { $0.ledger.begin(superset.numbers) }
            begin(.superset(superset))
        }
    }

    /// Counts a client's answer made from its own larger request. That to a page is counted as a
    /// window of it is.
    package func settle(_ growth: Growth) {
        switch growth {
        case .page(let page):
            if page.relates { note(.related(page.shape.type)) { $0.ledger.settle() } }
        case .superset(let superset):
            let type = superset.request.shape.type
            if superset.wider != nil { note(.resources(type)) { $0.ledger.settle() } }
            if superset.relates { note(.related(type)) { $0.ledger.settle() } }
        case .owner(let superset):
            note(.owners(superset.request.shape.type)) { $0.ledger.settle() }
            settle(.superset(superset))
        }
    }

    /// Notes an answer of another node, which may be used here.
    package func adopt(_ target: [UInt8]) {
        guard let request = CatalogRequest(canonical: target) else { return }
        let type = request.shape.type
        if let list = request.listNumber {
            guard let limit = request.limit else { return }
            let page = ListPage(
                list: list, offset: request.offset ?? 0, limit: limit, shape: request.shape,
                storefront: request.storefront)
            return accounts.withLock { $0[.pages(page.shape, page.storefront)]?.ledger.adopt(page: page.number) }
        }
        let numbers = Superset(request: request, resources: request.resources).numbers
        accounts.withLock { accounts in
            accounts[.resources(type)]?.ledger.adopt(numbers)
            accounts[.owners(type)]?.ledger.adopt(numbers)
        }
    }

    /// Counts the first plain hit on a larger answer.
    package func note(useOf target: [UInt8]) {
        guard let request = CatalogRequest(canonical: target) else { return }
        note(use: .superset(Superset(request: request, resources: request.resources)))
    }

    /// A client got a composed answer.
    /// - Parameter growth: the larger request of which it is a use; it may be the first.
    package func note(use growth: Growth?) {
        switch growth {
        case .page(let page):
            accounts.withLock { $0[.pages(page.shape, page.storefront)]?.ledger.note(windowOf: page.number) }
        case .superset(let superset): note(use: superset)
        case .owner, nil: break
        }
    }

    private func note(use superset: Superset) {
        let type = superset.request.shape.type
        accounts.withLock { accounts in
            guard superset.mayBeUse, accounts[.resources(type)] != nil || accounts[.owners(type)] != nil else { return }
            let numbers = superset.numbers
            // A request that was spared counts as the miss that it would have been: else what pays
            // would soon be wanted no more.
            if accounts[.resources(type)]?.ledger.note(superset.selection, of: numbers) == true {
                accounts[.resources(type)]?.wanted.note(superset.selection)
            }
            // A window of the list is counted where it was asked for.
            if superset.request.mayHaveSuperset {
                _ = accounts[.owners(type)]?.ledger.note(superset.selection, of: numbers)
            }
        }
        if let related = superset.relatedIn { note(.related(related)) { $0.ledger.settle() } }
    }

    private func note(_ kind: Kind, _ body: (inout Account) -> Void) {
        accounts.withLock { accounts in
            if accounts[kind] == nil, accounts.count >= Self.maxKinds {
                // Clients make as many of these as they like.
                accounts = accounts.filter { if case .pages = $0.key { false } else { true } }
            }
            body(&accounts[kind, default: Account(kind)])
        }
    }
}
