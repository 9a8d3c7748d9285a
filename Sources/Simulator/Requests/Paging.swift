// limit, offset and the cut of a page (APPLE-MUSIC-API 4.1, 7).

/// A window into a collection, and the rules a request's own is checked by.
struct Paging: Equatable, Sendable {
    var offset = 0
    var limit: Int
}

extension Paging {
    /// Reads `limit` and `offset`. More than the most is an error, not clamped
    /// (APPLE-MUSIC-API 4.1.21).
    init(_ target: SimulatorTarget, _ limits: PageLimits) throws(APIError) {
        limit = limits.standard
        if let text = target.first("limit") {
            limit = try Self.integer(text, parameter: "limit", least: 1, most: limits.most)
        }
        if let text = target.first("offset") {
            offset = try Self.integer(text, parameter: "offset", least: 0)
        }
    }

    static func integer(
        _ text: String, parameter: String, least: Int, most: Int = .max
    ) throws(APIError) -> Int {
        let value = Int(text)
        if let value, (least...most).contains(value) { return value }
        let bound = value.map { $0 < least ? " greater than or equal to \(least)" : " less than or equal to \(most)" }
        throw .invalidParameter(parameter, "Value must be an integer" + (bound ?? "") + ", but was: " + text)
    }
}

/// One page of a collection: what is left of it, and where the next one begins.
struct Page: Sendable {
    var items: [Resource]
    /// Nil on the last page.
    var nextOffset: Int?
    /// The size of the whole collection before anything was dropped.
    var total: Int

    /// Cut after `limit` positions, a page may be short or empty and still have a next one, and
    /// `next` may jump further than the items returned (APPLE-MUSIC-API 7.11). A page that is
    /// filled up, as nested lists are, was seen as 25 items with `offset=28` (APPLE-MUSIC-API 7.9).
    init(
        _ list: [Resource], _ paging: Paging, cut: SimulatorConfiguration.ListCut = .first,
        keep: (Resource) -> Resource?
    ) {
        let start = min(paging.offset, list.count)
        var position = start
        items = []
        while position < list.count, (cut == .first ? position - start : items.count) < paging.limit {
            if let item = keep(list[position]) { items.append(item) }
            position += 1
        }
        nextOffset = position < list.count ? position : nil
        total = list.count
    }
}
