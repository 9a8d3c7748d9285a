// Which windows of a list a stored page answers, and with which of its items.
//
// Must hold: a cut that is given equals the origin's answer, whether it cuts a page first and drops
// unavailable items after, or goes on until the page is full (APPLE-MUSIC-API 7.9 and 7.10 know
// both, and a page does not say which it was).
//
// An offset counts places of the whole list, and an item that is unavailable keeps its place but
// does not appear. So the item at an offset is certain only where the items are as many as the
// places between the page's offset and that in `next`: each has a place of its own there, in the
// list's order, so none is left for a dropped one, however the page was cut. Of any other page,
// only the request and the items are known. How the origin cuts the list's pages, where pages with
// gaps have shown that, says more of the page with which the list ends. That other lists have no
// gaps says nothing of this one (DECISIONS 10.5).

/// How an origin cuts a list into pages, as far as its answers have shown it.
public enum ListCut: Hashable, Sendable {
    /// Pages without gaps look alike either way.
    case unknown
    /// After the limit's number of places; unavailable items are dropped then.
    case first
    /// When the limit's number of items is there.
    case filling
    /// Pages of both kinds were seen, so nothing is concluded.
    case various

    /// Takes in the way in which one more page was cut.
    public mutating func note(_ seen: ListCut) { self = self == .unknown || self == seen ? seen : .various }
}

/// The facts about one page of a list.
public struct StoredPage: Hashable, Sendable {
    /// Offset of the request; 0 where it had none.
    public let offset: Int
    /// Number of items.
    public let count: Int
    /// The limit that the request named, or the origin's known default; nil where unknown.
    public let limit: Int?
    /// The offset in the page's `next`; nil where there is no `next`, as the list ends with this
    /// page.
    public let next: Int?
    /// Whether it is the list inside its parent, which the origin may cut otherwise than the list's
    /// own pages (APPLE-MUSIC-API 7.9, 7.10).
    let isInline: Bool
    /// How many places the list has, as its parent says; nil where it does not.
    public var places: Int?

    public init(offset: Int, count: Int, limit: Int?, next: Int?, isInline: Bool = false) {
        (self.offset, self.count, self.limit) = (offset, count, limit)
        (self.next, self.isInline) = (next, isInline)
    }

    /// Whether each of its places has its item, as `next` proves.
    public var isFull: Bool { next.map { $0 - offset == count } ?? false }

    /// The answer to a request for a window; nil where it is not certain, or not on this page.
    /// - Parameter limit: that of the request, or the origin's known default for none; and it must
    ///   be one that the origin accepts, as more than the most is an error there (APPLE-MUSIC-API
    ///   4.1.21).
    public func cut(offset: Int, limit: Int, _ listCut: ListCut = .unknown) -> PageCut? {
        guard self.offset >= 0, count >= 0, offset >= self.offset, limit > 0 else { return nil }
        guard let next else {
            // A page that was cut first and is full has its items on places next to each other, up
            // to the list's end.
            let isWhole = listCut == .first && !isInline && count == self.limit
            return isWhole ? cutOfWhole(offset, limit) : cutOfLast(offset, limit, listCut)
        }
        let places = next - self.offset
        guard places > 0 else { return nil }
        if count == places { return cutOfFull(offset, limit, next) }
        return isInline && listCut != .first ? nil : cutOfShort(offset, limit, next)
    }

    /// A page with an item for each place. The window's items follow from their places, as long as
    /// they are all on the page: items after the window may be dropped, or the end.
    ///
    /// The list goes on at `next`, since the origin said so. So a window that ends at or before it
    /// has a `next` too, and that begins where the window ends: an origin that cuts first always
    /// says so, and one that fills up found the window full by then, because nothing is dropped in
    /// it.
    private func cutOfFull(_ offset: Int, _ limit: Int, _ next: Int) -> PageCut? {
        guard offset < next, limit <= next - offset else { return nil }
        let first = offset - self.offset
        return PageCut(items: first..<first + limit, next: offset + limit)
    }

    /// A page with fewer items than places: something was dropped, and it is not known where. The
    /// page answers only its own window.
    ///
    /// The limit decides, not `next`: 25 items with `next` 28 positions on are the window of 28 of
    /// an origin that cuts first, but the window of 25 of one that fills up, which would have given
    /// 28 items for 28. Where the limit reaches to `next` exactly, the origin cut first, because
    /// one that fills up has as many items as the limit wherever there is a `next`. Where it does
    /// not, either the limit is uncertain, or the origin fills up; then it would be the page's own
    /// request again, which is found without any cutting.
    ///
    /// More items than positions contradict all that is known about lists.
    private func cutOfShort(_ offset: Int, _ limit: Int, _ next: Int) -> PageCut? {
        guard count < next - self.offset, offset == self.offset, limit == self.limit, limit == next - offset else {
            return nil
        }
        return PageCut(items: 0..<count, next: next)
    }

    /// The limit of a request from this page's offset that would show which item has which place.
    ///
    /// Where no place before the last item is empty, one item less comes with a `next` right after
    /// it, and the page is full. An origin that cuts first shows it with as many items as there
    /// are, up to the list's end. Nil where the window could not be cut out of such an answer
    /// either, and where it would be no more than the window.
    public func limitOfProof(offset: Int, limit: Int, _ listCut: ListCut) -> Int? {
        guard next == nil, self.offset >= 0, offset >= self.offset, let own = self.limit, count <= own else {
            return nil
        }
        let (first, size) = (offset - self.offset, listCut == .first ? count : count - 1)
        guard 1..<max(size, 1) ~= limit else { return nil }
        return (listCut == .first ? first < count : first <= size - limit) ? size : nil
    }

    /// A last page with an item for each place: the list ends where the items do.
    private func cutOfWhole(_ offset: Int, _ limit: Int) -> PageCut? {
        let first = offset - self.offset
        guard first < count else { return nil }
        let isLast = limit >= count - first
        return PageCut(items: first..<(isLast ? count : first + limit), next: isLast ? nil : offset + limit)
    }

    /// The page with which the list ends. How many places it has is not said, even if it has as
    /// many items as its limit: an origin that fills up may have dropped one before them (of `-ab`,
    /// the window of 2 is `ab`, and that of 1 from 1 is `a`). So no window can begin after its
    /// beginning.
    ///
    /// A greater one that begins with it is certain: the origin came to the end of the list with
    /// the page's limit already, in either way of cutting, and so does with more; the items are the
    /// same, and there is no `next`. An origin that fills up comes to the end with any limit above
    /// the number of items. With just that number it stops at the last item, and whether it says
    /// `next` depends on the places after it.
    ///
    /// A list inside its parent may have been filled up where its pages are cut first, so that it
    /// has more places than its limit. A request that asks for twice as many as there are items
    /// gets them all, unless half of the places are empty.
    ///
    /// Where the parent says how many places there are, as many as the limit's reach all of them,
    /// also if that is below the page's own.
    private func cutOfLast(_ offset: Int, _ limit: Int, _ listCut: ListCut) -> PageCut? {
        guard let own = self.limit, count <= own, offset == self.offset else { return nil }
        let certain = isInline ? max(places ?? own, 2 * count) : own
        guard limit >= certain || listCut == .filling && limit > count else { return nil }
        return PageCut(items: 0..<count, next: nil)
    }
}

/// A part of a stored page that is the answer to a request.
public struct PageCut: Hashable, Sendable {
    /// Indices of the page's items.
    public let items: Range<Int>
    /// The offset for `next`; nil where the list ends with the answer.
    public let next: Int?

    public init(items: Range<Int>, next: Int?) { (self.items, self.next) = (items, next) }
}
