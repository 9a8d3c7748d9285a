import Cache
import Freshness
import HTTP
import Proxy

// What an answer says of how a cache answered it: by `Cache-Status` (RFC 9211), or by the `X-Cache`
// that nginx and Varnish are usually set up to write.

extension AnswerReader {
    /// nil where the answer does not say.
    var outcome: Outcome? { Outcome(head.fields, headBytes.span) }

    /// Whether the cache says that it keeps the answer it fetched; of several caches the nearest
    /// counts, which comes last.
    var isStored: Bool {
        guard let line = head.fields.last(where: { $0.id == .cacheStatus }) else { return false }
        return CacheStatusMember.nearest(headBytes.span, line.value.range).isStored
    }
}

extension Outcome {
    /// nil where the fields do not say. Of several caches the nearest counts, which comes last.
    init?(_ fields: Fields, _ bytes: Span<UInt8>) {
        if fields.contains(.cacheStatus), let line = fields.last(where: { $0.id == .cacheStatus }) {
            self.init(cacheStatus: bytes, line.value.range)
            return
        }
        for line in fields where line.id == .other {
            guard
                bytes.equalsIgnoringCase(line.name.range, "x-cache")
                    || bytes.equalsIgnoringCase(line.name.range, "x-cache-status")
            else { continue }
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

    private init?(cacheStatus bytes: Span<UInt8>, _ value: Range<Int>) {
        guard let outcome = CacheStatusMember.nearest(bytes, value).outcome else { return nil }
        self = outcome
    }
}

/// One cache's part of `Cache-Status`, as far as an outcome depends on it: the other way round than
/// `CacheStatus.outcome`.
private struct CacheStatusMember {
    private(set) var isStored = false
    private var isHit = false
    private var isNegative = false
    private var isForwarded = false
    private var isBypass = false
    private var isCollapsed = false
    private var isOfStale = false
    private var isConfirmed = false
    private var hasDetail = false
    private var detail: Reason?

    /// Of a field's members the last.
    static func nearest(_ bytes: Span<UInt8>, _ value: Range<Int>) -> CacheStatusMember {
        var said = CacheStatusMember()
        var start = value.lowerBound
        var isQuoted = false
        for index in value {
            switch bytes[index] {
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: ";") where !isQuoted, UInt8(ascii: ",") where !isQuoted:
                said.take(bytes, bytes.trimmingWhitespace(start..<index))
                if bytes[index] == UInt8(ascii: ",") { said = CacheStatusMember() }
                start = index + 1
            default: break
            }
        }
        said.take(bytes, bytes.trimmingWhitespace(start..<value.upperBound))
        return said
    }

    private mutating func take(_ bytes: Span<UInt8>, _ parameter: Range<Int>) {
        guard let first = parameter.first else { return }
        switch bytes[first] {
        case UInt8(ascii: "h"): if bytes.equals(parameter, "hit") { isHit = true }
        case UInt8(ascii: "s"): if bytes.equals(parameter, "stored") { isStored = true }
        case UInt8(ascii: "t"): if begins(bytes, parameter, "ttl=-") != nil { isNegative = true }
        case UInt8(ascii: "c"): if bytes.equals(parameter, "collapsed") { isCollapsed = true }
        case UInt8(ascii: "f"):
            if let word = begins(bytes, parameter, "fwd=") {
                isForwarded = true
                isOfStale = bytes.equals(word, "stale")
                isBypass = bytes.equals(word, "bypass") || bytes.equals(word, "method")
            } else if let word = begins(bytes, parameter, "fwd-status=") {
                isConfirmed = bytes.equals(word, "304")
            }
        case UInt8(ascii: "d"):
            guard let word = begins(bytes, parameter, "detail=") else { return }
            hasDetail = true
            detail = Reason.allCases.first { bytes.equals(word, $0.word) }
        default: break
        }
    }

    /// What stands behind `text`; nil where the parameter does not begin so.
    private func begins(_ bytes: Span<UInt8>, _ parameter: Range<Int>, _ text: StaticString) -> Range<Int>? {
        let end = parameter.lowerBound + text.utf8CodeUnitCount
        guard end <= parameter.upperBound, bytes.equals(parameter.lowerBound..<end, text) else { return nil }
        return end..<parameter.upperBound
    }

    var outcome: Outcome? {
        if isHit {
            guard let detail else { return isNegative ? .stale : .hit }
            return detail.isUseOfStale ? .stale : .composed
        }
        guard isForwarded else { return hasDetail ? .refused : nil }
        if detail == .staleIfError { return .staleIfError }
        if let detail, detail.isFailure { return .failed }
        if isCollapsed { return .collapsed }
        if detail == .revalidated || isOfStale && isConfirmed { return .revalidated }
        return isBypass || detail == .requestNoStore ? .bypass : .miss
    }
}
