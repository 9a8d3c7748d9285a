import AppleMusic
import EventLoop
import HTTP
import Text

/// The browsers that have shown the token: each has a random name in a cookie, which no script can
/// read.
///
/// In memory, so a restart ends them all.
struct Sessions {
    private struct Session {
        let name: SecretBytes
        let ends: Instant
    }

    private var sessions: [Session] = []

    /// The most browsers at once; one more ends the oldest session.
    static let most = 16
    static let lifetime = Duration.seconds(12 * 3600)
    private static let cookie: StaticString = "refrain_session"

    /// Begins a session and returns its name: 256 random bits in hexadecimal.
    mutating func begin(at now: Instant) -> String {
        var generator = SystemRandomNumberGenerator()
        let name = Hexadecimal.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
        sessions.removeAll { $0.ends <= now }
        if sessions.count >= Self.most { sessions.removeFirst() }
        sessions.append(Session(name: SecretBytes(Array(name.utf8).span), ends: now + Self.lifetime))
        return name
    }

    /// Compares with all of them, in a time that says nothing about how much of a name was right.
    func isOpen(_ name: [UInt8]?, at now: Instant) -> Bool {
        guard let name else { return false }
        var isOpen = false
        for session in sessions {
            // Compared in any case: a match found before must not spare it.
            let isThis = Self.isEqual(session, name)
            isOpen = isOpen || (isThis && now < session.ends)
        }
        return isOpen
    }

    mutating func end(_ name: [UInt8]?) {
        guard let name else { return }
        sessions.removeAll { Self.isEqual($0, name) }
    }

    private static func isEqual(_ session: Session, _ name: [UInt8]) -> Bool {
        name.withUnsafeBytes { session.name.isEqual(to: $0) }
    }

    // MARK: The cookie

    /// The value of `Set-Cookie` that begins a session in a browser: sent back to this host alone,
    /// never on behalf of another site, and shown to no script (RFC 6265 4.1.2).
    /// - Parameter isSecure: whether the browser must keep it out of clear text.
    static func setCookie(_ name: String, isSecure: Bool) -> String {
        field(name, isSecure, seconds: lifetime.components.seconds)
    }

    /// The one that ends it.
    static func clearCookie(isSecure: Bool) -> String { field("", isSecure, seconds: 0) }

    private static func field(_ name: String, _ isSecure: Bool, seconds: Int64) -> String {
        "\(cookie)=\(name); HttpOnly; \(isSecure ? "Secure; " : "")SameSite=Strict; Path=/; Max-Age=\(seconds)"
    }

    /// The name in a request's cookies; nil without one.
    static func presented(by head: RequestHead, _ bytes: Span<UInt8>) -> [UInt8]? {
        for field in head.fields where field.id == .cookie {
            var pairs = CookiePairs(field.value, shortest: cookie.utf8CodeUnitCount + 1)
            while let pair = pairs.next(in: bytes) {
                if bytes.equals(pair.name, cookie) { return bytes.extracting(pair.value).copy() }
            }
        }
        return nil
    }
}
