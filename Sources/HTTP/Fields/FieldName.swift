/// The field names that something acts on; every other name is `other` and travels as bytes. At
/// most 64 cases, so that a set of them is one word (`Fields`). `musicUserToken` has a second
/// spelling, `media-user-token` of web players (APPLE-MUSIC-API 1.2). `hostPolicy` has the
/// spellings of all fields by which a server speaks about its own host (FRAMING 2.12).
public enum FieldName: UInt8, Sendable, CaseIterable {
    case host, contentLength, transferEncoding, connection, expect, upgrade, keepAlive, te, trailer
    case proxyAuthenticate, proxyAuthorization, proxyConnection, authorization, musicUserToken, cookie, setCookie
    case cacheControl, cdnCacheControl, pragma, age, date, expires, etag, lastModified, vary, warning
    case ifNoneMatch, ifModifiedSince, ifMatch, ifUnmodifiedSince, ifRange, range
    case accept, acceptEncoding, acceptLanguage, acceptRanges
    case contentType, contentEncoding, contentRange, contentLanguage, contentLocation, location
    case via, cacheStatus, forwarded, xForwardedFor, origin, referer
    case accessControlAllowOrigin, accessControlAllowCredentials
    case accessControlAllowHeaders, accessControlAllowMethods
    case accessControlExposeHeaders, accessControlMaxAge
    case accessControlRequestHeaders, accessControlRequestMethod
    case retryAfter, server, userAgent, xRefrainKey, traceparent, tracestate
    case hostPolicy
    case other
}

extension FieldName {
    /// Whether it is about one connection (RFC 9110 7.6.1, and the older names), or frames one
    /// message: each sender writes these itself.
    @inlinable
    public var isHopByHop: Bool {
        switch self {
        case .connection, .keepAlive, .te, .trailer, .transferEncoding, .upgrade, .contentLength, .proxyAuthenticate,
            .proxyAuthorization, .proxyConnection:
            true
        default: false
        }
    }

    /// Whether an answer's field is about the host that the client has asked, so that it counts for
    /// the proxy where it comes from there: policies that browsers keep for a host, and the sites
    /// that may read its answers (FRAMING 2.12).
    @inlinable
    public var isAboutHost: Bool {
        switch self {
        case .hostPolicy, .accessControlAllowOrigin, .accessControlAllowCredentials, .accessControlAllowHeaders,
            .accessControlAllowMethods, .accessControlExposeHeaders, .accessControlMaxAge:
            true
        default: false
        }
    }
}

/// Recognising a field name: by its length, then by comparing with the few names of that length,
/// eight bytes at a time. The compiler turns each comparison into one or two with constants: 60
/// names cost a few nanoseconds, no table and no memory. That the spellings here are those of
/// the cases' names is a test.
extension FieldName {
    /// The name that the bytes at `range`, which have no control characters, spell in any case. A
    /// recognised name is a token: `byte | 0x20` is a letter only for the two cases of that letter,
    /// and `-` only for `-` and a carriage return.
    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        let raw = bytes.bytes
        self =
            switch range.count {
            case ...9: Self.short(raw, range.lowerBound, range.count)
            case ...15: Self.medium(raw, range.lowerBound, range.count)
            default: Self.long(raw, range.lowerBound, range.count)
            }
    }

    /// The name that the bytes at `range` spell in any case; for callers with lines of fields and
    /// no parsed head.
    public static func named(_ bytes: Span<UInt8>, _ range: Range<Int>) -> FieldName {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
        return FieldName(bytes, range)
    }

    private static func short(_ bytes: RawSpan, _ start: Int, _ count: Int) -> FieldName {
        switch count {
        case 2:
            if spells(bytes, start, "te") { return .te }
        case 3:
            if spells(bytes, start, "age") { return .age }
            if spells(bytes, start, "via") { return .via }
            if spells(bytes, start, "nel") { return .hostPolicy }
        case 4:
            if spells(bytes, start, "host") { return .host }
            if spells(bytes, start, "date") { return .date }
            if spells(bytes, start, "etag") { return .etag }
            if spells(bytes, start, "vary") { return .vary }
        case 5:
            if spells(bytes, start, "range") { return .range }
        case 6:
            if spells(bytes, start, "expect") { return .expect }
            if spells(bytes, start, "cookie") { return .cookie }
            if spells(bytes, start, "pragma") { return .pragma }
            if spells(bytes, start, "accept") { return .accept }
            if spells(bytes, start, "origin") { return .origin }
            if spells(bytes, start, "server") { return .server }
        case 7:
            if spells(bytes, start, "upgrade") { return .upgrade }
            if spells(bytes, start, "trailer") { return .trailer }
            if spells(bytes, start, "expires") { return .expires }
            if spells(bytes, start, "warning") { return .warning }
            if spells(bytes, start, "referer") { return .referer }
            if spells(bytes, start, "alt-svc") { return .hostPolicy }
        case 8:
            if spells(bytes, start, "if-match") { return .ifMatch }
            if spells(bytes, start, "if-range") { return .ifRange }
            if spells(bytes, start, "location") { return .location }
        case 9:
            if spells(bytes, start, "forwarded") { return .forwarded }
            if spells(bytes, start, "expect-ct") { return .hostPolicy }
            if spells(bytes, start, "accept-ch") { return .hostPolicy }
            if spells(bytes, start, "set-login") { return .hostPolicy }
            if spells(bytes, start, "report-to") { return .hostPolicy }
        default: break
        }
        return .other
    }

    private static func medium(_ bytes: RawSpan, _ start: Int, _ count: Int) -> FieldName {
        switch count {
        case 10:
            if spells(bytes, start, "tracestate") { return .tracestate }
            if spells(bytes, start, "connection") { return .connection }
            if spells(bytes, start, "keep-alive") { return .keepAlive }
            if spells(bytes, start, "set-cookie") { return .setCookie }
            if spells(bytes, start, "user-agent") { return .userAgent }
            if spells(bytes, start, "x-sendfile") { return .hostPolicy }
        case 11:
            if spells(bytes, start, "traceparent") { return .traceparent }
            if spells(bytes, start, "retry-after") { return .retryAfter }
            if spells(bytes, start, "critical-ch") { return .hostPolicy }
        case 12:
            if spells(bytes, start, "content-type") { return .contentType }
            if spells(bytes, start, "cache-status") { return .cacheStatus }
            if spells(bytes, start, "origin-trial") { return .hostPolicy }
        case 13:
            if spells(bytes, start, "authorization") { return .authorization }
            if spells(bytes, start, "cache-control") { return .cacheControl }
            if spells(bytes, start, "last-modified") { return .lastModified }
            if spells(bytes, start, "if-none-match") { return .ifNoneMatch }
            if spells(bytes, start, "accept-ranges") { return .acceptRanges }
            if spells(bytes, start, "content-range") { return .contentRange }
            if spells(bytes, start, "x-refrain-key") { return .xRefrainKey }
            if spells(bytes, start, "expect-staple") { return .hostPolicy }
            if spells(bytes, start, "origin-policy") { return .hostPolicy }
            if spells(bytes, start, "x-reproxy-url") { return .hostPolicy }
        case 14:
            if spells(bytes, start, "content-length") { return .contentLength }
        case 15:
            if spells(bytes, start, "accept-encoding") { return .acceptEncoding }
            if spells(bytes, start, "accept-language") { return .acceptLanguage }
            if spells(bytes, start, "x-forwarded-for") { return .xForwardedFor }
            if spells(bytes, start, "clear-site-data") { return .hostPolicy }
            if spells(bytes, start, "public-key-pins") { return .hostPolicy }
            if spells(bytes, start, "x-accel-expires") { return .hostPolicy }
            if spells(bytes, start, "x-accel-charset") { return .hostPolicy }
        default: break
        }
        return .other
    }

    private static func long(_ bytes: RawSpan, _ start: Int, _ count: Int) -> FieldName {
        switch count {
        case 16:
            if spells(bytes, start, "proxy-connection") { return .proxyConnection }
            if spells(bytes, start, "music-user-token") { return .musicUserToken }
            if spells(bytes, start, "media-user-token") { return .musicUserToken }
            if spells(bytes, start, "content-encoding") { return .contentEncoding }
            if spells(bytes, start, "content-language") { return .contentLanguage }
            if spells(bytes, start, "content-location") { return .contentLocation }
            if spells(bytes, start, "origin-isolation") { return .hostPolicy }
            if spells(bytes, start, "x-accel-redirect") { return .hostPolicy }
        case 17:
            if spells(bytes, start, "transfer-encoding") { return .transferEncoding }
            if spells(bytes, start, "cdn-cache-control") { return .cdnCacheControl }
            if spells(bytes, start, "if-modified-since") { return .ifModifiedSince }
            if spells(bytes, start, "use-as-dictionary") { return .hostPolicy }
            if spells(bytes, start, "x-accel-buffering") { return .hostPolicy }
        case 18:
            if spells(bytes, start, "proxy-authenticate") { return .proxyAuthenticate }
            if spells(bytes, start, "accept-ch-lifetime") { return .hostPolicy }
            if spells(bytes, start, "alternate-protocol") { return .hostPolicy }
            if spells(bytes, start, "x-accel-limit-rate") { return .hostPolicy }
        case 19:
            if spells(bytes, start, "proxy-authorization") { return .proxyAuthorization }
            if spells(bytes, start, "if-unmodified-since") { return .ifUnmodifiedSince }
            if spells(bytes, start, "reporting-endpoints") { return .hostPolicy }
            if spells(bytes, start, "timing-allow-origin") { return .hostPolicy }
        case 20:
            if spells(bytes, start, "origin-agent-cluster") { return .hostPolicy }
            if spells(bytes, start, "x-lighttpd-send-file") { return .hostPolicy }
            if spells(bytes, start, "x-litespeed-location") { return .hostPolicy }
        case 22:
            if spells(bytes, start, "access-control-max-age") { return .accessControlMaxAge }
            if spells(bytes, start, "service-worker-allowed") { return .hostPolicy }
        case 23:
            if spells(bytes, start, "observe-browsing-topics") { return .hostPolicy }
        case 24:
            if spells(bytes, start, "sec-session-registration") { return .hostPolicy }
        case 25:
            if spells(bytes, start, "strict-transport-security") { return .hostPolicy }
            if spells(bytes, start, "expect-staple-report-only") { return .hostPolicy }
        case 27:
            if spells(bytes, start, "access-control-allow-origin") { return .accessControlAllowOrigin }
            if spells(bytes, start, "public-key-pins-report-only") { return .hostPolicy }
            if spells(bytes, start, "secure-session-registration") { return .hostPolicy }
        case 28:
            if spells(bytes, start, "access-control-allow-headers") { return .accessControlAllowHeaders }
            if spells(bytes, start, "access-control-allow-methods") { return .accessControlAllowMethods }
        case 29:
            if spells(bytes, start, "access-control-expose-headers") { return .accessControlExposeHeaders }
            if spells(bytes, start, "access-control-request-method") { return .accessControlRequestMethod }
        case 30:
            if spells(bytes, start, "access-control-request-headers") { return .accessControlRequestHeaders }
        case 32:
            if spells(bytes, start, "access-control-allow-credentials") { return .accessControlAllowCredentials }
        case 33:
            if spells(bytes, start, "x-permitted-cross-domain-policies") { return .hostPolicy }
        case 36:
            if spells(bytes, start, "access-control-allow-private-network") { return .hostPolicy }
        case 37:
            if spells(bytes, start, "attribution-reporting-register-source") { return .hostPolicy }
        case 38:
            if spells(bytes, start, "attribution-reporting-register-trigger") { return .hostPolicy }
        default: break
        }
        return .other
    }

    /// Whether the bytes from `start` on are `name`, which is in lower case and as long as they
    /// are: whole words, then the last word again, overlapping. Inlined, because only then the
    /// loads from `name` become constants.
    @inline(__always)
    private static func spells(_ bytes: RawSpan, _ start: Int, _ name: StaticString) -> Bool {
        let count = name.utf8CodeUnitCount
        guard count >= 4 else {
            for offset in 0..<count
            where bytes.unsafeLoad(fromByteOffset: start + offset, as: UInt8.self) | 0x20 != name.utf8Start[offset] {
                return false
            }
            return true
        }
        guard count >= 8 else {
            return isEqual(bytes, start, name, 0, UInt32.self) && isEqual(bytes, start, name, count - 4, UInt32.self)
        }
        return isEqual(bytes, start, name, count - 8, UInt64.self) && isEqual(bytes, start, name, 0, UInt64.self)
            && (count <= 16 || isEqual(bytes, start, name, 8, UInt64.self))
            && (count <= 24 || isEqual(bytes, start, name, 16, UInt64.self))
            && (count <= 32 || isEqual(bytes, start, name, 24, UInt64.self))
    }

    @inline(__always)
    private static func isEqual<Word: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: RawSpan, _ start: Int, _ name: StaticString, _ offset: Int, _ type: Word.Type
    ) -> Bool {
        let word = bytes.unsafeLoadUnaligned(fromByteOffset: start + offset, as: Word.self)
        let known = UnsafeRawPointer(name.utf8Start).loadUnaligned(fromByteOffset: offset, as: Word.self)
        return word | Word(truncatingIfNeeded: 0x2020_2020_2020_2020 as UInt64) == known
    }
}
