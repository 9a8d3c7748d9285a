import Text

// `/v1/storefronts` and `/v1/language`: no storefront in front of them.

extension SimulatedExchange {
    func storefronts(_ elements: [String]) throws(APIError) -> Reply {
        try requireRead()
        let context = try context(Market.all.last ?? Market.all[0])
        switch elements.count {
        case 0: break
        case 1:
            guard let market = Market(code: elements[0]) else { throw .notFound }
            return single(Resource(.storefronts, market.index), context)
        default: throw .notFound
        }
        if let ids = target.list("ids") {
            if ids.isEmpty { throw .noIDs }
            return list(ids.compactMap { catalog.resource(.storefronts, id: $0) }, context)
        }
        let all = Market.all.indices.map { Resource(.storefronts, $0) }
        let paging = try Paging(target, PageLimits(standard: 200, most: 200))
        return collection(all, paging, context, path: "/v1/storefronts", place: .primary)
    }

    /// `/v1/language/{storefront}/tag?acceptLanguage=`: the storefront's tag that fits best.
    func languageTag(_ elements: [String]) throws(APIError) -> Reply {
        try requireRead()
        guard elements.count == 2, elements[1] == "tag" else { throw .notFound }
        guard let market = Market(code: elements[0]) else { throw .unknownStorefront(elements[0]) }
        guard let accepted = target.first("acceptLanguage") else { throw .missingParameter("acceptLanguage") }
        let wanted = accepted.split(separator: ",").map { range in
            range.split(separator: ";").first.map { String($0.filter { $0 != " " }).lowercased() } ?? ""
        }
        let exact = wanted.lazy.compactMap { tag in market.tags.first { $0.lowercased() == tag } }.first
        let close = wanted.lazy.compactMap { tag in market.tags.first { $0.lowercased().prefix(2) == tag.prefix(2) } }
            .first
        let results: JSON = ["results": ["tag": .string(exact ?? close ?? market.defaultTag)]]
        return Reply(body: results.bytes)
    }
}
