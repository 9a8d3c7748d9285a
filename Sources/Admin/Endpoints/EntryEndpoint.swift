import AppleMusic
import Cache
import HTTP
import Purging
import Store
import Text

// GET /entry: all that is known of the answers to one target, or the content of one.

extension AdminExchange {
    func entry() throws(AdminRequestError) {
        let parameters = try parameters(["url", "body"])
        guard let url = parameters["url"] else { throw AdminRequestError(detail: "url: missing.") }
        let target = try EntrySelection.target(of: url)
        let wantsBody = try parameters.flag("body")
        let found = stored(target)
        guard let first = found.first else { return reply(.error(404, "Nothing is stored for this target.")) }
        guard !wantsBody else {
            // Inflated where it is stored as gzip; only the operator's programs are to make
            // something of it.
            return reply(AdminReply(type: "application/octet-stream", content: first.body))
        }
        let now = now
        let cache = surface.sources.cache
        reply(
            .json([
                "target": .string(String(decoding: target, as: UTF8.self)),
                "stored": .array(found.map { $0.json(at: now, isInMemory: cache.isInMemory($0.key)) }),
            ]))
    }

    /// The shared answers to a target: the one, or the variant index and those of its variants that
    /// a request without the fields in question would get.
    private func stored(_ target: [UInt8]) -> [StoredResponse] {
        let cache = surface.sources.cache
        let origin = surface.sources.statistics.origin.tag
        let base = CacheKey(of: origin, scope: .shared, target: target)
        guard let found = cache.peek(base, surface.reader, at: now) else { return [] }
        guard let variant = cache.variant(at: found) else { return [found] }
        guard let plain = variant.plain else { return [] }
        let key = CacheKey(of: origin, scope: .shared, target: target, variant: plain)
        return cache.peek(key, surface.reader, at: now).map { [$0] } ?? []
    }
}

extension StoredResponse {
    fileprivate func json(at now: Int64, isInMemory: Bool) -> JSON {
        var object = JSONObject()
        object.append("variant", .string(String(decoding: key.variant, as: UTF8.self)))
        object.append("class", .string(ResourceClass.name(ofTag: classTag)))
        object.append("storefront", storefront.isEmpty ? .null : .string(String(decoding: storefront, as: UTF8.self)))
        object.append("status", .integer(status))
        object.append(lifetime, receivedAt: receivedAt, at: now)
        object.append("fresh_for", .integer(lifetime.freshFor))
        object.append("stale_if_error_for", .integer(lifetime.staleIfErrorFor))
        object.append("keep_for", .integer(lifetime.keepFor))
        object.append("initial_age", .integer(lifetime.initialAge))
        object.append("fields", .array(shownFields))
        object.append("head_bytes", .integer(head.count))
        object.append("body_bytes", .integer(bodyCount))
        object.append("gzip_bytes", gzip.map { .integer($0.body.count) } ?? .null)
        object.append("memory_bytes", isInMemory ? .integer(byteCount) : .null)
        let namesAny = resources.last == Self.everyResource
        object.append("resources", namesAny ? .null : .integer(resources.count))
        let parts = composition?.parts.map { JSON.string(String(decoding: $0.target, as: UTF8.self)) }
        object.append("composed", composition.map { .string($0.detail.text) } ?? .null)
        object.append("composed_of", .array(parts ?? []))
        return .object(object)
    }

    /// Names and values as they are stored; of cookies only that they are there.
    private var shownFields: [JSON] {
        String(decoding: fields, as: UTF8.self).split(separator: "\r\n").map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let name = String(line[..<colon])
            let value = line[colon...].dropFirst().drop { $0 == " " }
            let isSecret = name.lowercased() == "set-cookie"
            return ["name": .string(name), "value": .string(isSecret ? "(not shown)" : String(value))]
        }
    }
}
