import Freshness
import HTTP
import Proxy

// The outcome that an answer names: in `Cache-Status` (RFC 9211), or in the `X-Cache` that nginx
// and Varnish are usually set up to write.

extension AnswerReader {
    /// The outcome at the nearest cache, nil if the answer names none, and whether it stored the
    /// answer.
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
            let nearest = bytes.lowercased(line.value.range).split(separator: UInt8(ascii: ",")).last ?? []
            let text = String(decoding: nearest, as: UTF8.self)
            guard let found = Self.xCacheWords.first(where: { text.contains($0.word) }) else { return nil }
            self = found.outcome
            return
        }
        return nil
    }

    /// Values are such as `HIT`, `TCP_MISS`, `hit, miss`.
    private static let xCacheWords: [(word: String, outcome: Outcome)] = [
        ("revalidated", .revalidated), ("stale", .stale), ("updating", .stale), ("hit", .hit), ("miss", .miss),
        ("expired", .miss), ("bypass", .bypass), ("pass", .bypass),
    ]
}
