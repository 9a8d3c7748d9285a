/// The directives of Cache-Control, of a request or a response (RFC 9111 5.2, RFC 5861, RFC 8246).
/// Unknown directives are ignored, names have no case, arguments may be quoted. CDN-Cache-Control
/// (RFC 9213) has the same directives.
///
/// The directives of Cache-Control over all lines in their order. The first counts where one occurs
/// twice (RFC 9111 4.2.1). An argument that is no `delta-seconds` makes lifetimes 0, so that the
/// response is stale; where 0 would not be the careful reading the directive is ignored. Larger
/// numbers than 2^31 are 2^31.
public struct CacheControl: Sendable, Equatable {
    /// Seconds.
    public var maxAge: Int?
    /// Seconds.
    public var sMaxAge: Int?
    /// Seconds; requests only.
    public var minFresh: Int?
    /// Seconds, `DeltaSeconds.max` when there is no argument (any staleness will do); requests
    /// only.
    public var maxStale: Int?
    /// Seconds after the response became stale (RFC 5861 3).
    public var staleWhileRevalidate: Int?
    /// Seconds after the response became stale (RFC 5861 4).
    public var staleIfError: Int?
    /// The message must not be stored (RFC 9111 5.2.1.5, 5.2.2.5).
    public var noStore = false
    /// With or without field names: a cache may always treat it as without (RFC 9111 5.2.2.4).
    public var noCache = false
    /// With or without field names, like `noCache`.
    public var isPrivate = false
    /// A shared cache may store it (RFC 9111 5.2.2.9).
    public var isPublic = false
    /// The response must not be served stale (RFC 9111 5.2.2.2).
    public var mustRevalidate = false
    /// A shared cache must not serve the response stale (RFC 9111 5.2.2.8).
    public var proxyRevalidate = false
    /// The response may be stored only where its status is understood (RFC 9111 5.2.2.3).
    public var mustUnderstand = false
    /// The client wants a stored response or 504 (RFC 9111 5.2.1.7).
    public var onlyIfCached = false
    /// Content is not to be changed (RFC 9111 5.2.1.6, 5.2.2.6).
    public var noTransform = false
    /// Revalidation is pointless while the response is fresh (RFC 8246).
    var immutable = false

    /// No directives.
    public init() {}

    /// The lengths of known names, `public` to `stale-while-revalidate`. Very many names of a
    /// letter are passed over.
    private static let lengths = 6...22

    /// Adds the directives of one more field line.
    public mutating func merge(_ fieldValue: Span<UInt8>) {
        var elements = ListElements(of: fieldValue)
        while let element = elements.next(in: fieldValue)?.range {
            var nameEnd = element.lowerBound
            while nameEnd < element.upperBound, ASCII.isToken(fieldValue[nameEnd]) { nameEnd += 1 }
            let name = element.lowerBound..<nameEnd
            let rest = nameEnd..<element.upperBound
            guard Self.lengths.contains(name.count) else { continue }
            guard !mergeFlag(fieldValue, name) else { continue }
            mergeSeconds(fieldValue, name, rest)
        }
    }

    /// Sets the flag of this name, whatever its argument; false when there is none.
    mutating func mergeFlag(_ bytes: Span<UInt8>, _ name: Range<Int>, isSet: Bool = true) -> Bool {
        switch true {
        case bytes.equalsIgnoringCase(name, "no-store"): noStore = isSet
        case bytes.equalsIgnoringCase(name, "no-cache"): noCache = isSet
        case bytes.equalsIgnoringCase(name, "private"): isPrivate = isSet
        case bytes.equalsIgnoringCase(name, "public"): isPublic = isSet
        case bytes.equalsIgnoringCase(name, "must-revalidate"): mustRevalidate = isSet
        case bytes.equalsIgnoringCase(name, "proxy-revalidate"): proxyRevalidate = isSet
        case bytes.equalsIgnoringCase(name, "must-understand"): mustUnderstand = isSet
        case bytes.equalsIgnoringCase(name, "only-if-cached"): onlyIfCached = isSet
        case bytes.equalsIgnoringCase(name, "no-transform"): noTransform = isSet
        case bytes.equalsIgnoringCase(name, "immutable"): immutable = isSet
        default: return false
        }
        return true
    }

    /// Sets the number of this name, unless an earlier directive did. `rest` follows the name.
    private mutating func mergeSeconds(_ bytes: Span<UInt8>, _ name: Range<Int>, _ rest: Range<Int>) {
        let seconds = Self.argument(bytes, rest).flatMap { DeltaSeconds.parse(bytes, $0) }
        switch true {
        case bytes.equalsIgnoringCase(name, "max-age"): maxAge = maxAge ?? seconds ?? 0
        case bytes.equalsIgnoringCase(name, "s-maxage"): sMaxAge = sMaxAge ?? seconds ?? 0
        case bytes.equalsIgnoringCase(name, "min-fresh"): minFresh = minFresh ?? seconds
        case bytes.equalsIgnoringCase(name, "max-stale"):
            maxStale = maxStale ?? (rest.isEmpty ? DeltaSeconds.max : seconds)
        case bytes.equalsIgnoringCase(name, "stale-while-revalidate"):
            staleWhileRevalidate = staleWhileRevalidate ?? seconds
        case bytes.equalsIgnoringCase(name, "stale-if-error"): staleIfError = staleIfError ?? seconds
        default: break
        }
    }

    /// The text after `=`, without the quotes of a quoted string. No whitespace is allowed around
    /// it; an escape in a quoted number is no digit, so it needs no unescaping.
    private static func argument(_ bytes: Span<UInt8>, _ rest: Range<Int>) -> Range<Int>? {
        guard !rest.isEmpty, bytes[rest.lowerBound] == UInt8(ascii: "=") else { return nil }
        let value = (rest.lowerBound + 1)..<rest.upperBound
        let quote = UInt8(ascii: "\"")
        guard value.count >= 2, bytes[value.lowerBound] == quote, bytes[value.upperBound - 1] == quote else {
            return value
        }
        return (value.lowerBound + 1)..<(value.upperBound - 1)
    }

    /// The directives of a request with these `fields`, whose ranges count in `bytes`. Without any
    /// Cache-Control a `Pragma: no-cache` of an HTTP/1.0 client means the directive of that name
    /// (RFC 9111 5.4).
    public init(request fields: borrowing Fields, _ bytes: Span<UInt8>) {
        self.init()
        if fields.contains(.cacheControl) {
            for index in 0..<fields.endIndex where fields[index].id == .cacheControl {
                merge(bytes.extracting(fields[index].value.range))
            }
        } else if fields.contains(.pragma) {
            for index in 0..<fields.endIndex where fields[index].id == .pragma {
                var elements = ListElements(fields[index].value)
                while let element = elements.next(in: bytes)?.range {
                    if bytes.equalsIgnoringCase(element, "no-cache") { noCache = true }
                }
            }
        }
    }
}
