import AppleMusic

/// A page of a list that is asked for, or that a window was cut out of.
package struct ListPage: Hashable, Sendable {
    /// The number under which the index has the list.
    let list: UInt64
    let offset: Int
    let limit: Int
    let shape: RequestShape
    let storefront: Storefront
}

/// Account of the larger pages asked for, for the lists of one form in one storefront. Pure.
///
/// A larger page takes the place of the client's own request, so it costs a request only where the
/// client's window cannot be cut out of it. Every further window that is cut out of it spares one.
///
/// Must hold: requests in vain are at most `start`, those that windows have paid for, and one for
/// every `request` misses. All of it is counted in requests, so neither a busy moment nor a clock
/// that jumps changes it.
struct GrowthLedger: Sendable {
    private struct Entry: Sendable {
        let page: ListPage
        var windows = 0
    }

    /// The latest, in the order in which they were asked for.
    private var entries: [Entry] = []
    /// In sixteenths of a request, which is what a miss earns.
    private var credit = Self.start

    private static let request = 16
    /// Credit at the start, and the most that misses earn.
    static let start = 4 * request
    private static let mostCredit = 10 * request
    /// Cost of a larger page that was never reused: its bytes.
    private static let unused = 4
    private static let maxEntries = 64

    /// Whether another larger page is worth its risk.
    var mayGrow: Bool { credit >= Self.request }

    /// A page of such a list has to be asked for.
    mutating func noteMiss() {
        if credit < Self.start { credit += 1 }
    }

    /// A larger page is asked for. Its request counts as lost until a window was cut out of it.
    mutating func begin(_ page: ListPage) {
        entries.removeAll { $0.page == page }
        if entries.count >= Self.maxEntries, entries.removeFirst().windows == 1 { credit -= Self.unused }
        entries.append(Entry(page: page))
        credit -= Self.request
    }

    /// A window was cut out of the page.
    mutating func note(windowOf page: ListPage) {
        guard let index = entries.firstIndex(where: { $0.page == page }) else { return }
        entries[index].windows += 1
        credit = min(credit + Self.request, Self.mostCredit)
    }
}
