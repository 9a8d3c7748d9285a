/// The field names that something acts on; every other name is `other` and travels as bytes. At
/// most 64 cases, so that a set of them is one word (`Fields`).
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
    case other

    /// As it is usually written; empty for `other`.
    public var text: StaticString {
        switch self {
        case .host: "Host"
        case .contentLength: "Content-Length"
        case .transferEncoding: "Transfer-Encoding"
        case .connection: "Connection"
        case .expect: "Expect"
        case .upgrade: "Upgrade"
        case .keepAlive: "Keep-Alive"
        case .te: "TE"
        case .trailer: "Trailer"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .proxyAuthorization: "Proxy-Authorization"
        case .proxyConnection: "Proxy-Connection"
        case .authorization: "Authorization"
        case .musicUserToken: "Music-User-Token"
        case .cookie: "Cookie"
        case .setCookie: "Set-Cookie"
        case .cacheControl: "Cache-Control"
        case .cdnCacheControl: "CDN-Cache-Control"
        case .pragma: "Pragma"
        case .age: "Age"
        case .date: "Date"
        case .expires: "Expires"
        case .etag: "ETag"
        case .lastModified: "Last-Modified"
        case .vary: "Vary"
        case .warning: "Warning"
        case .ifNoneMatch: "If-None-Match"
        case .ifModifiedSince: "If-Modified-Since"
        case .ifMatch: "If-Match"
        case .ifUnmodifiedSince: "If-Unmodified-Since"
        case .ifRange: "If-Range"
        case .range: "Range"
        case .accept: "Accept"
        case .acceptEncoding: "Accept-Encoding"
        case .acceptLanguage: "Accept-Language"
        case .acceptRanges: "Accept-Ranges"
        case .contentType: "Content-Type"
        case .contentEncoding: "Content-Encoding"
        case .contentRange: "Content-Range"
        case .contentLanguage: "Content-Language"
        case .contentLocation: "Content-Location"
        case .location: "Location"
        case .via: "Via"
        case .cacheStatus: "Cache-Status"
        case .forwarded: "Forwarded"
        case .xForwardedFor: "X-Forwarded-For"
        case .origin: "Origin"
        case .referer: "Referer"
        case .accessControlAllowOrigin: "Access-Control-Allow-Origin"
        case .accessControlAllowCredentials: "Access-Control-Allow-Credentials"
        case .accessControlAllowHeaders: "Access-Control-Allow-Headers"
        case .accessControlAllowMethods: "Access-Control-Allow-Methods"
        case .accessControlExposeHeaders: "Access-Control-Expose-Headers"
        case .accessControlMaxAge: "Access-Control-Max-Age"
        case .accessControlRequestHeaders: "Access-Control-Request-Headers"
        case .accessControlRequestMethod: "Access-Control-Request-Method"
        case .retryAfter: "Retry-After"
        case .server: "Server"
        case .userAgent: "User-Agent"
        case .xRefrainKey: "X-Refrain-Key"
        case .traceparent: "traceparent"
        case .tracestate: "tracestate"
        case .other: ""
        }
    }
}
