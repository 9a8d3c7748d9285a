import HTTP
import Server
import Text

/// The user whom a request names by a token (FRAMING 1.13).
///
/// Apple's players on the web send the token of `Music-User-Token` as `media-user-token`, in a
/// field or in a cookie (APPLE-MUSIC-API 1.2). An empty token names nobody.
enum NamedUser: Equatable {
    case nobody
    /// One token, however often it is there: where its value is in the head, and whether cookies
    /// alone have it, which a browser sends by itself.
    case one(Range<Int>, isCookie: Bool)
    /// Tokens that differ. The origin could go by either of them.
    case several

    /// The name of the cookie, and of the field that the web players use.
    static let playersName: StaticString = "media-user-token"

    init(of head: RequestHead, _ bytes: Span<UInt8>) {
        self = .nobody
        guard head.fields.contains(.musicUserToken) || head.fields.contains(.cookie) else { return }
        for field in head.fields where field.id == .musicUserToken {
            add(field.value.range, isCookie: false, bytes)
        }
        for field in head.fields where field.id == .cookie {
            for part in field.value.range.split(whereSeparator: { bytes[$0] == UInt8(ascii: ";") }) {
                let pair = CookiePair(part, in: bytes)
                // In any case: a server may not tell them apart.
                guard bytes.equalsIgnoringCase(pair.name, Self.playersName) else { continue }
                add(pair.value, isCookie: true, bytes)
            }
        }
    }

    /// The token without escapes, which are usual in cookies alone.
    static func token(at range: Range<Int>, in bytes: Span<UInt8>) -> [UInt8] {
        PercentEncoding.decoded(bytes.extracting(range).copy()).bytes
    }

    /// Whether a page of another site may have had a browser send the request in the user's name:
    /// it changes something, only a cookie names the user, which browsers send by themselves, and
    /// nothing shows that a page of this host or of an allowed site sent it (DECISIONS 3.14).
    /// - Parameter isTLS: whether the client's connection is TLS.
    func isForgeable(
        by head: RequestHead, _ bytes: Span<UInt8>, allowing sites: CrossOrigin, isTLS: Bool
    ) -> Bool {
        guard case .one(_, isCookie: true) = self,
            !head.method.isSafe || GatewayFields.overridesMethod(of: head, bytes)
        else { return false }
        if head.fields.count(.origin) == 1, let origin = head.fields.first(.origin),
            sites.names(bytes.extracting(origin.value.range))
        {
            return false
        }
        return !head.comesFromOwnPage(bytes, isTLS: isTLS)
    }

    private mutating func add(_ range: Range<Int>, isCookie: Bool, _ bytes: Span<UInt8>) {
        guard !range.isEmpty else { return }
        switch self {
        case .nobody: self = .one(range, isCookie: isCookie)
        case .one(let known, _) where Self.token(at: known, in: bytes) == Self.token(at: range, in: bytes): break
        case .one, .several: self = .several
        }
    }
}

/// One `name=value` of a `Cookie` field, as places in the head (RFC 6265 4.2.1).
private struct CookiePair {
    let name: Range<Int>
    /// Without the quotes that some servers take off; empty where there is none.
    let value: Range<Int>

    init(_ range: Range<Int>, in bytes: Span<UInt8>) {
        let whole = bytes.trimmingWhitespace(range)
        let equals = whole.first { bytes[$0] == UInt8(ascii: "=") } ?? whole.upperBound
        name = bytes.trimmingWhitespace(whole.lowerBound..<equals)
        let text = bytes.trimmingWhitespace(min(equals + 1, whole.upperBound)..<whole.upperBound)
        let isQuoted =
            text.count >= 2 && bytes[text.lowerBound] == UInt8(ascii: "\"")
            && bytes[text.upperBound - 1] == UInt8(ascii: "\"")
        value = isQuoted ? text.lowerBound + 1..<text.upperBound - 1 : text
    }
}
