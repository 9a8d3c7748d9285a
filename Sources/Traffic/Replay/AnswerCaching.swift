import Freshness
import HTTP
import Proxy

// The outcome that an answer names: in `Cache-Status` (RFC 9211), or in the `X-Cache` that nginx
// and Varnish are usually set up to write.

extension AnswerReader {
    /// How a cache answered, and whether it keeps the answer that it fetched. Of several caches the
    /// nearest counts; nil where the answer does not say.
    var caching: (outcome: Outcome?, isStored: Bool) {
        guard let line = head.fields.last(where: { $0.id == .cacheStatus }) else {
            return (Outcome(xCache: head.fields, headBytes.span), false)
        }
        let status = CacheStatus(nearest: headBytes.span, line.value)
        return (status?.outcome, status?.isStored ?? false)
    }
}

extension Outcome {
    /// nil where the fields do not say.
    fileprivate init?(xCache fields: Fields, _ bytes: Span<UInt8>) {
        for line in fields where line.id == .other {
            let isMeant = ["x-cache", "x-cache-status"].contains { bytes.equalsIgnoringCase(line.name.range, $0) }
            guard isMeant else { continue }
            self.init(xCache: bytes.lowercased(line.value.range))
            return
        }
        return nil
    }

    /// Words such as `HIT`, `TCP_MISS`, `hit, miss`.
    private init?(xCache value: [UInt8]) {
        let nearest = value.split(separator: UInt8(ascii: ",")).last ?? []
        let words: [(StaticString, Outcome)] = [
            ("revalidated", .revalidated), ("stale", .stale), ("updating", .stale), ("hit", .hit), ("miss", .miss),
            ("expired", .miss), ("bypass", .bypass), ("pass", .bypass),
        ]
        let text = String(decoding: nearest, as: UTF8.self)
        guard let found = words.first(where: { text.contains($0.0.description) }) else { return nil }
        self = found.1
    }
}
