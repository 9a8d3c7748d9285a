import AppleMusic

/// A page of a list that is asked for, or that a window was cut out of.
package struct ListPage: Hashable, Sendable {
    /// The number under which the index has the list.
    let list: UInt64
    let offset: Int
    let shape: RequestShape
    let storefront: Storefront
}

/// What it brought to ask for larger pages than clients did, for the lists of one form in one
/// storefront. Pure.
///
/// A larger page takes the place of the client's own request, so it costs a request only where the
/// client's window cannot be cut out of it. Every further window that is cut out of it spares one.
struct GrowthLedger: Sendable {
    private struct Entry: Sendable {
        let page: ListPage
        /// Whether it was asked for before a client had gone on behind the first page.
        let isBeginning: Bool
        var windows = 0
    }

    /// The latest, in the order in which they were asked for.
    private var entries: [Entry] = []
    /// In quarters of a request.
    private var credit = Self.start
    /// Unix seconds.
    private var restsUntil: Int64 = 0
    /// Lists of which a first page was missed, and those of which more was asked for later.
    private var (beginnings, walks) = (0, 0)

    /// Enough for four pages that turn out to be of no use, or are under way at the same time.
    private static let start = 16
    private static let mostCredit = 40
    private static let request = 4
    /// What nothing more was cut out of cost its bytes.
    private static let unused = 1
    private static let maxEntries = 64
    /// Before so many beginnings nothing is known of walks; at so many, both counts are halved.
    private static let (fewBeginnings, mostBeginnings) = (16, 128)
    /// Lists are walked often where clients go on in one of so many.
    private static let walkedShare = 4
    /// In seconds: what did not pay is tried again after that time.
    static let rest: Int64 = 600

    /// Whether another larger page is worth its risk.
    func mayGrow(at now: Int64) -> Bool { now >= restsUntil }

    /// Whether clients often go on behind the first page of a list.
    var areWalked: Bool { beginnings >= Self.fewBeginnings && walks * Self.walkedShare >= beginnings }

    /// The first page of a list was asked for, and nothing was held of it.
    mutating func noteBeginning() {
        beginnings += 1
        if beginnings >= Self.mostBeginnings { (beginnings, walks) = (beginnings / 2, walks / 2) }
    }

    /// A larger page is asked for. Its request counts as lost until a window was cut out of it.
    /// - Parameter isBeginning: whether a client wanted the first page; others have gone on.
    mutating func begin(_ page: ListPage, isBeginning: Bool = false, at now: Int64) {
        if !isBeginning { walks += 1 }
        entries.removeAll { $0.page == page }
        if entries.count >= Self.maxEntries {
            let oldest = entries.removeFirst()
            if oldest.windows == 1 { pay(Self.unused, at: now) }
        }
        entries.append(Entry(page: page, isBeginning: isBeginning))
        pay(Self.request, at: now)
    }

    /// A window was cut out of the page.
    mutating func note(windowOf page: ListPage) {
        guard let index = entries.firstIndex(where: { $0.page == page }) else { return }
        entries[index].windows += 1
        if entries[index].isBeginning, entries[index].windows == 2 { walks += 1 }
        credit = min(credit + Self.request, Self.mostCredit)
    }

    private mutating func pay(_ cost: Int, at now: Int64) {
        credit -= cost
        guard credit < 0 else { return }
        restsUntil = now + Self.rest
        credit = Self.start
    }
}
