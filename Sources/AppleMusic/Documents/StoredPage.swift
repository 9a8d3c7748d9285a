// Which windows of a list a stored page answers, and with which of its items.
//
// What must hold: a cut that is given is what the origin would have answered, whether it cuts a
// page first and drops unavailable items after, or goes on until the page is full
// (APPLE-MUSIC-API 7.9 and 7.10 know both, and a page does not say which it was).
//
// An offset counts places of the whole list, and an item that is unavailable keeps its place but
// does not appear. So the item at an offset is certain only where the items are as many as the
// places between the page's offset and that in `next`: each has a place of its own there, in the
// list's order, so none is left for a dropped one, however the page was cut. Of any other page, all
// that is known is what it was asked for and what came. How the list's pages are cut, where other
// answers have shown that, says more of the page with which it ends.

/// What other answers have shown of how a list is cut into pages.
public struct ListHabits: Hashable, Sendable {
    /// Whether pages are cut after so many places, and items are dropped then.
    var cutsFirst: Bool
    /// Whether no place of the list is without its item.
    public var hasNoGaps: Bool

    public init(cutsFirst: Bool = false, hasNoGaps: Bool = false) {
        self.cutsFirst = cutsFirst
        self.hasNoGaps = hasNoGaps
    }
}

/// The facts about one page of a list.
public struct StoredPage: Hashable, Sendable {
    /// Of the request; 0 where it had none.
    public let offset: Int
    /// Of items.
    public let count: Int
    /// What the request asked for, or what the origin is known to take where a request says
    /// nothing; nil where unknown.
    public let limit: Int?
    /// The offset in the page's `next`; nil where there is no `next`, as the list ends with this
    /// page.
    public let next: Int?

    public init(offset: Int, count: Int, limit: Int?, next: Int?) {
        self.offset = offset
        self.count = count
        self.limit = limit
        self.next = next
    }

    /// The answer to a request for a window; nil where it is not certain, or not on this page.
    /// - Parameter limit: what the request asked for, or what the origin is known to take for none;
    ///   and it must be one that the origin accepts, as more than the most is an error there
    ///   (APPLE-MUSIC-API 4.1.21).
    public func cut(offset: Int, limit: Int, _ habits: ListHabits = ListHabits()) -> PageCut? {
        guard self.offset >= 0, count >= 0, offset >= self.offset, limit > 0 else { return nil }
        guard let next else {
            return hasItemForEachPlace(habits) ? cutOfWhole(offset, limit) : cutOfLast(offset, limit)
        }
        let places = next - self.offset
        guard places > 0 else { return nil }
        return count == places ? cutOfFull(offset, limit, next) : cutOfShort(offset, limit, next)
    }

    /// A page with an item for each place. The window's items follow from their places, as long as
    /// they are all on the page: what comes behind it may be dropped, or the end.
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
    /// What that is must be known from the limit, not from `next`: 25 items with `next` 28 places
    /// on are the window of 28 of an origin that cuts first, but the window of 25 of one that fills
    /// up, which would have given 28 items for 28. Where the limit reaches to `next` exactly, the
    /// origin cut first, as one that fills up has as many items as the limit wherever there is a
    /// `next`. Where it does not, either the limit is not known as well as it seems, or the origin
    /// fills up; then it would be the page's own request again, which is found without any cutting.
    ///
    /// More items than places contradict all that is known about lists.
    private func cutOfShort(_ offset: Int, _ limit: Int, _ next: Int) -> PageCut? {
        guard count < next - self.offset, offset == self.offset, limit == self.limit, limit == next - offset else {
            return nil
        }
        return PageCut(items: 0..<count, next: next)
    }

    /// Whether the list is certain to have nothing at the offset or behind it.
    public func endsBefore(_ offset: Int, _ habits: ListHabits) -> Bool {
        guard next == nil, self.offset >= 0, count > 0, offset > self.offset else { return false }
        if hasItemForEachPlace(habits) { return offset >= self.offset + count }
        // All places up to the limit were looked at, whatever was dropped from them.
        return habits.cutsFirst && limit.map { count <= $0 && offset - self.offset >= $0 } ?? false
    }

    /// Whether the items of the last page are on places next to each other, up to the list's end:
    /// where nothing is ever dropped, and where a page that was cut first is full.
    private func hasItemForEachPlace(_ habits: ListHabits) -> Bool {
        guard let limit, count <= limit else { return false }
        return habits.hasNoGaps || habits.cutsFirst && count == limit
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
    /// the window of 2 is `ab`, and that of 1 from 1 is `a`). So no window can begin behind its
    /// beginning, and none can be smaller.
    ///
    /// A greater one that begins with it is certain: the origin came to the end of the list with
    /// the page's limit already, in either way of cutting, and so does with more; the items are the
    /// same, and there is no `next`.
    private func cutOfLast(_ offset: Int, _ limit: Int) -> PageCut? {
        guard let least = self.limit, count <= least, offset == self.offset, limit >= least else { return nil }
        return PageCut(items: 0..<count, next: nil)
    }
}

/// A part of a stored page that is the answer to a request.
public struct PageCut: Hashable, Sendable {
    /// Indices of the page's items.
    public let items: Range<Int>
    /// The offset for `next`; nil where the list ends with the answer.
    public let next: Int?
}
