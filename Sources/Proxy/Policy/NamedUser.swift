import HTTP
import Server
import Text

/// The user whom a request names by a token (FRAMING 1.13).
///
/// Apple's players on the web send the token of `Music-User-Token` as `media-user-token`, in a
/// field or in a cookie (APPLE-MUSIC-API 1.2). An empty token names nobody.
enum NamedUser: Equatable {
    case nobody
    /// A single token, however often it is there: where its value is in the head, and whether
    /// cookies alone have it, which a browser sends by itself.
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
            var pairs = CookiePairs(field.value, shortest: Self.playersName.utf8CodeUnitCount + 1)
            while let pair = pairs.next(in: bytes) {
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

    /// Whether two values mean one token. Compared in place: a client may repeat it very often.
    private static func areSame(_ one: Range<Int>, _ other: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        if bytes.equals(one, bytes, other) { return true }
        var (first, second) = (one.lowerBound, other.lowerBound)
        while first < one.upperBound, second < other.upperBound {
            guard byte(at: &first, one.upperBound, bytes) == byte(at: &second, other.upperBound, bytes) else {
                return false
            }
        }
        return first == one.upperBound && second == other.upperBound
    }

    /// The byte at `place`, or the one that an escape there means; `place` goes on after it.
    private static func byte(at place: inout Int, _ end: Int, _ bytes: Span<UInt8>) -> UInt8 {
        let byte = bytes[place]
        if byte == UInt8(ascii: "%"), place + 2 < end, let high = Hexadecimal.value(bytes[place + 1]),
            let low = Hexadecimal.value(bytes[place + 2])
        {
            place += 3
            return high << 4 | low
        }
        place += 1
        return byte
    }

    private mutating func add(_ range: Range<Int>, isCookie: Bool, _ bytes: Span<UInt8>) {
        guard !range.isEmpty else { return }
        switch self {
        case .nobody: self = .one(range, isCookie: isCookie)
        case .one(let known, _) where Self.areSame(known, range, bytes): break
        case .one, .several: self = .several
        }
    }
}
