import AppleMusic
import EventLoop
import HTTP

// Admission to the admin listener (FRAMING 7.6).
// Must hold: with a token, a client that has neither it nor a session learns nothing and changes
// nothing; without a token, only this machine can connect, no web page can ask anything, and only
// the user that the proxy runs as, or root, can change anything.

/// Decides on requests to the operator's surface.
struct AdminAuthorizer {
    /// Credentials of a request.
    enum Entry: Equatable {
        case admitted
        /// No token, or a session that is over.
        case nothing
        case wrongToken
    }

    private let access: AdminAccess
    private var token: SecretBytes? { access.token }
    /// Sessions of browsers, which end with the token that they were begun with at the latest.
    var sessions = Sessions()
    private var tokenOfSessions: SecretBytes?

    /// How late a wrong token is answered.
    static let delay = Duration.milliseconds(500)
    /// The most of those answers that wait at once.
    static let mostDelayed = 64

    init(_ access: AdminAccess) {
        self.access = access
        tokenOfSessions = access.token
    }

    /// Whether there is anything to log in with.
    var hasToken: Bool { token != nil }

    func isToken(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { token?.isEqual(to: $0) ?? false }
    }

    /// Judges the token, or the session's cookie.
    mutating func entry(for head: RequestHead, _ bytes: Span<UInt8>, at now: Instant) -> Entry {
        let token = token
        if token !== tokenOfSessions { (sessions, tokenOfSessions) = (Sessions(), token) }
        guard let token else { return .admitted }
        if let presented = head.bearerToken(bytes) {
            let isRight = bytes.extracting(presented).withUnsafeBytes { token.isEqual(to: $0) }
            return isRight ? .admitted : .wrongToken
        }
        return sessions.isOpen(Sessions.presented(by: head, bytes), at: now) ? .admitted : .nothing
    }

    /// The credential of an admitted request, for an answer without end.
    struct Pass {
        fileprivate let token: SecretBytes?
        /// The name of the session; nil where the token itself was shown.
        fileprivate let session: [UInt8]?
    }

    func pass(for head: RequestHead, _ bytes: Span<UInt8>) -> Pass {
        Pass(token: token, session: head.bearerToken(bytes) == nil ? Sessions.presented(by: head, bytes) : nil)
    }

    /// Whether the pass would be admitted again: the token is the same, and the session goes on.
    func isGood(_ pass: Pass, at now: Instant) -> Bool {
        guard pass.token === token else { return false }
        guard token != nil, let session = pass.session else { return true }
        return sessions.isOpen(session, at: now)
    }

    /// Returns the answer to a request that is refused by its head; nil for one that is admitted,
    /// or may know that there is nothing at its path.
    /// - Parameters:
    ///   - endpoint: nil where the path leads to none.
    ///   - owner: the user of the peer; asked only where the answer depends on it.
    func refusal(
        of request: AdminRequest, to endpoint: AdminEndpoint?, _ entry: Entry, owner: () -> PeerOwner
    ) -> AdminReply? {
        guard entry == .admitted || endpoint?.audience == .anyone else {
            return request.wantsPage ? .redirect(to: "/login") : .unauthorized(.noToken)
        }
        guard hasToken || request.addressesLoopback else {
            return .error(421, "Use a loopback name or address for this listener.").refusing(.host)
        }
        guard !request.isCrossSite else {
            return .error(403, "Cross-origin requests are not allowed.").refusing(.crossSite)
        }
        guard let endpoint else { return nil }
        guard endpoint.takes(request.method) else {
            return .error(405, "\(endpoint.path) takes \(endpoint.allow).").adding("Allow", endpoint.allow)
        }
        // A form of another site can send anything but JSON without asking first.
        guard request.method != .post || !request.isFromBrowser || request.contentType == endpoint.contentType else {
            return .error(415, "\(endpoint.path) takes \(endpoint.contentType).")
        }
        guard endpoint.writes, !hasToken else { return nil }
        let owner = owner()
        guard owner != .trusted else { return nil }
        let reply = AdminReply.error(
            403,
            "Without a token, only \(PeerOwner.trusted.words) may do this; this connection is of \(owner.words): set "
                + "admin_token_file, or use a unix: path for admin_listen.")
        return reply.refusing(.user)
    }
}
