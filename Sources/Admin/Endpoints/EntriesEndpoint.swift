import AppleMusic
import Cache
import Freshness
import Purging
import Store
import Text

// GET /entries: the stored answers.

/// Bounds of a listing, and its parameters: the selectors, the order, and the most entries.
public enum EntriesQuery {
    public static let limits = 1...10_000
    public static let standardLimit = 100
    static let parameters = EntrySelector.parameters.map(\.name) + ["sort", "limit"]
    public static let orders = ListingOrder.allCases.map(\.rawValue)
}

extension Route {
    /// The route, in place of a personal target.
    static func template(of target: ArraySlice<UInt8>) -> [UInt8] {
        var canonical = CanonicalTarget()
        try? canonical.parse(target.span)
        return Array(canonical.route.template.utf8)
    }
}

extension AdminExchange {
    func entries() throws(AdminRequestError) {
        let parameters = try parameters(EntriesQuery.parameters)
        var selection = EntrySelection()
        for selector in EntrySelector.parameters {
            if let text = parameters[selector.name] { selection.narrow(by: try selector.condition(text)) }
        }
        let limit = try parameters.number("limit", in: EntriesQuery.limits, standard: EntriesQuery.standardLimit)
        guard let order = ListingOrder(rawValue: parameters["sort"] ?? ListingOrder.use.rawValue) else {
            let names = EntriesQuery.orders.joined(separator: ", ")
            throw AdminRequestError(detail: "sort: expected one of \(names).")
        }
        let (finish, now) = (replyLater(), now)
        let isOfUsers = parameters["class"] == ResourceClass.personal.name
        surface.sources.cache.list(
            selection, limit: limit, in: order, ofUsersBy: isOfUsers ? { Route.template(of: $0) } : nil
        ) { @Sendable listing in
            finish(.json(listing.json(at: now)))
        }
    }
}

extension EntryListing {
    fileprivate func json(at now: Int64) -> JSON {
        [
            "entries": .array(entries.map { .object($0.record.json(isInMemory: $0.isInMemory, at: now)) }),
            "truncated": .bool(isTruncated), "personal": .integer(personal), "composed": .integer(composed),
        ]
    }
}

extension ListedRecord {
    fileprivate func json(isInMemory: Bool, at now: Int64) -> JSONObject {
        let storefront = String(decoding: facts.storefront, as: UTF8.self)
        var object = JSONObject([
            "target": .string(String(decoding: target, as: UTF8.self)),
            "variant": .string(String(decoding: variant, as: UTF8.self)),
            "class": .string(ResourceClass.name(ofTag: facts.classTag)),
            "storefront": storefront.isEmpty ? .null : .string(storefront),
            "status": .integer(facts.status),
        ])
        object.append(Lifetime(facts.times), receivedAt: facts.receivedAt, at: now)
        object.append("bytes", .integer(size))
        object.append("coding", isGzip ? "gzip" : .null)
        object.append("last_used", lastUsed.map { .integer(Int($0)) } ?? .null)
        let tiers: [JSON] = (isInMemory ? ["memory"] : []) + (lastUsed != nil ? ["file"] : [])
        object.append("tiers", .array(tiers))
        return object
    }
}

extension JSONObject {
    /// When it was received, its age, and its freshness now.
    mutating func append(_ lifetime: Lifetime, receivedAt: Int64, at now: Int64) {
        let age = lifetime.age(since: receivedAt, at: now)
        let freshness =
            switch Freshness.of(lifetime, receivedAt: receivedAt, at: now) {
            case .fresh: "fresh"
            case .stale: "stale"
            case .expired: "expired"
            }
        append("received", .integer(Int(receivedAt)))
        append("received_at", .string(LogTime.rfc3339(receivedAt)))
        append("age", .integer(age))
        append("freshness", .string(freshness))
        append("ttl", .integer(lifetime.freshFor - age))
        append("stale_for", .integer(lifetime.staleFor))
    }
}
