import AppleMusic
import Synchronization

/// When requests ask for more relationships and views than their clients want, for all loops.
///
/// Its lock is taken where an answer is composed, where it could not be, where one comes from the
/// origin, and when a larger one is first served itself.
final class SupersetAccounts: Sendable {
    private struct Account {
        var wanted = WantedNames()
        var sizes = ResourceSizes()
        var ledger = SupersetLedger()

        mutating func noteMiss(_ selection: Selection) {
            wanted.note(selection)
            ledger.noteMiss()
        }

        /// A request that was spared counts as the miss that it would have been: else what pays
        /// would soon be wanted no more.
        mutating func noteUse(_ superset: Superset) {
            if ledger.note(use: superset) { wanted.note(superset.selection) }
        }
    }

    /// By the type of the resources.
    private let accounts = Mutex<[ResourceClass: Account]>([:])

    /// Larger selections to ask for instead, the largest first.
    ///
    /// There are none where no further name is wanted often, or where asking for more has not paid
    /// lately.
    func selections(for superset: Superset) -> [Selection] {
        accounts.withLock { accounts in
            let (shape, count) = (superset.request.shape, superset.resources.count)
            guard let account = accounts[shape.type], account.ledger.mayBegin else { return [] }
            let own = shape.selection
            return account.wanted.supersets(of: own, mayHaveViews: shape.subject == .item)
                .filter { account.sizes.allow($0, inPlaceOf: own, count: count) }
        }
    }

    /// A request in a form that is known was not answered out of stored answers.
    func note(miss request: CatalogRequest) {
        guard request.mayHaveSuperset else { return }
        withAccount(of: request) { $0.noteMiss(request.shape.selection) }
    }

    /// Learns from an answer of the origin how large its resources are.
    func note(answer request: CatalogRequest, _ document: MappedDocument) {
        guard request.mayHaveSuperset else { return }
        withAccount(of: request) { account in
            let count = document.primary.reduce(0) { count, _ in count + 1 }
            account.sizes.note(request.shape.selection, document.body.count / max(count, 1))
        }
    }

    /// More than what a client wants is asked for.
    func begin(_ superset: Superset) { withAccount(of: superset.request) { $0.ledger.begin(superset) } }

    /// The client got its answer out of that.
    func settle(_ superset: Superset) { withAccount(of: superset.request) { $0.ledger.settle() } }

    /// A client got the resources out of stored answers.
    func note(use superset: Superset) { withAccount(of: superset.request) { $0.noteUse(superset) } }

    /// Until a client names something of a type, there is nothing to count.
    private func withAccount(of request: CatalogRequest, _ body: (inout Account) -> Void) {
        accounts.withLock { accounts in
            let shape = request.shape
            guard !shape.selection.isEmpty || accounts.index(forKey: shape.type) != nil else { return }
            body(&accounts[shape.type, default: Account()])
        }
    }
}

extension CatalogRequest {
    /// Whether it may be asked for with more: resources of one type, no more than the origin shows
    /// with their relationships in its time (APPLE-MUSIC-API 4.1.20), and no parameters but
    /// `include`, `views`, `ids` and `l`.
    var mayHaveSuperset: Bool {
        switch shape.subject {
        case .item, .batch:
            shape.type.isResourceType && shape.decoration.isEmpty && resources.count <= Self.mostOfSuperset
        case .list, .results: false
        }
    }

    private static let mostOfSuperset = 50
}
