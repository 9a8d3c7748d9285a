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
        guard let value = Int(text) else {
            throw .invalidParameter(parameter, "Value must be an integer, but was: " + text)
        }
        guard value >= least else { throw .tooSmall(parameter, least: least, was: text) }
        guard value <= most else { throw .tooLarge(parameter, most: most, was: text) }
        return value
    }
}

/// One page of a collection: what is left of it, and where the next one begins.
struct Page: Sendable {
    var items: [Resource]
    /// Nil on the last page.
    var nextOffset: Int?
    /// The size of the whole collection before anything was dropped.
    var total: Int

    init(
        _ list: [Resource], _ paging: Paging, cut: SimulatorConfiguration.ListCut, keep: (Resource) -> Resource?
    ) {
        switch cut {
        case .first: self.init(list, paging, keep: keep)
        case .filling: self.init(filling: list, paging, keep: keep)
        }
    }

    /// Cuts first and drops after, so that `next` may jump further than the items returned, and a
    /// page may be short or empty and still have a next one (APPLE-MUSIC-API 7.11).
    init(_ list: [Resource], _ paging: Paging, keep: (Resource) -> Resource?) {
        let start = min(paging.offset, list.count)
        let end = min(start + min(paging.limit, list.count), list.count)
        items = list[start..<end].compactMap(keep)
        nextOffset = end < list.count ? end : nil
        total = list.count
    }

    /// Goes on until the page is full: how nested lists are cut, seen as 25 items with `offset=28`
    /// (APPLE-MUSIC-API 7.9).
    init(filling list: [Resource], _ paging: Paging, keep: (Resource) -> Resource?) {
        var position = paging.offset
        items = []
        while position < list.count, items.count < paging.limit {
            if let item = keep(list[position]) { items.append(item) }
            position += 1
        }
        nextOffset = position < list.count ? position : nil
        total = list.count
    }
}
