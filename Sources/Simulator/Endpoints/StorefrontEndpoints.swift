// `/v1/storefronts`: no storefront in front of it.

extension SimulatedExchange {
    func storefronts(_ elements: [String]) throws(APIError) -> Reply {
        var context = try context(Market.all.last ?? Market.all[0])
        switch elements.count {
        case 0: break
        case 1:
            guard let market = Market(code: elements[0]) else { throw .notFound }
            context.isSingleFetch = true
            return list([Resource(.storefronts, market.index)], context)
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
}
