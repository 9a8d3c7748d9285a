/// Whether the lists of one form go on for a hundred places more, as far as pages have shown. Pure.
///
/// No answer is built on it: it says whether larger pages are worth asking for. A client that goes
/// through a list shows it once for each hundred places, by whatever pages.
struct ListLengths: Sendable {
    /// The places after the hundredth one before, of the latest lists; `span` where there are more.
    private var latest: [UInt8] = []

    /// The places of a larger page.
    static let span = 100
    /// Earlier ones are forgotten.
    private static let most = 64

    /// A page that goes on at `next`.
    mutating func note(next: Int, from offset: Int) {
        if next >= Self.end(offset) { note(Self.span) }
    }

    /// A page that ends its list.
    mutating func note(end: Int, from offset: Int) {
        note(end > Self.end(offset) ? Self.span : min(end - Self.end(offset) + Self.span, Self.span - 1))
    }

    private mutating func note(_ places: Int) {
        if latest.count >= Self.most { latest.removeFirst() }
        latest.append(UInt8(clamping: places))
    }

    /// Whether a larger page is likely to spare more requests than it costs.
    ///
    /// Where the list goes on after it, it spares all windows but one; where the list ends on it,
    /// no window can be cut, and it costs a request. Lists are taken to go on as often as half of
    /// one more would make it (the estimator of Krichevsky and Trofimov).
    /// - Parameters:
    ///   - offset: the place up to which the list is known to go on.
    ///   - windows: as many as the page has from there on.
    func favourPage(from offset: Int, windows: Int) -> Bool {
        let position = offset % Self.span
        let alike = latest.filter { $0 > position }
        let longer = alike.count { $0 == Self.span }
        return (2 * longer + 1) * windows > 2 * (alike.count + 1)
    }

    /// The end of the hundred places that an offset is in.
    private static func end(_ offset: Int) -> Int { offset / span * span + span }
}
