import HTTP

/// The client's end-to-end fields that go along to the origin, as lines.
///
/// Hop-by-hop fields, everything that `Connection` names, credentials and what a gateway would say
/// are left out (RFC 9110 7.6.1, FRAMING 3.4).
struct ForwardedFields {
    /// How many of the client's fields go along: no client's fields may shape an answer that others
    /// get.
    enum Breadth {
        /// None: the answer is stored under the operator's rule.
        case none
        /// All but those that tell users or sites apart, or ask for less than the whole: the answer
        /// may be stored under the origin's own rules.
        case impersonal
        /// All: the answer is this client's alone.
        case all
    }

    let breadth: Breadth
    /// Whether those go along by which the request is followed through several programs: not where
    /// the client does not wait for the answer.
    let isTraced: Bool
    /// Whether it may be said for which user it is asked: on personal routes alone.
    var namesUser = false
    /// Fields of gateways that the operator lets through, as `GatewayFields` spells them.
    var permitted: [[UInt8]] = []

    /// What goes along where none of the client's fields do.
    static let ownLines = Array("Accept: */*\r\nUser-Agent: refrain\r\n".utf8)
    /// Of a `tracestate`; vendors must propagate that much (W3C Trace Context 3.3.1.5).
    private static let mostTraceState = 512
    /// The name of the admin listener's sessions, in both its spellings: a browser sends cookies to
    /// all ports of a host (RFC 6265 8.5).
    private static let ownCookies: [StaticString] = ["refrain_session", "__host-refrain_session"]

    func lines(of head: RequestHead, _ bytes: Span<UInt8>) -> [UInt8] {
        let trace = isTraced ? traceLines(head.fields, bytes) : []
        guard breadth != .none else { return Self.ownLines + trace }
        var lines: [UInt8] = []
        for field in head.fields where goesAlong(field, head, bytes) {
            if field.id == .cookie {
                appendCookie(field, bytes, to: &lines)
            } else {
                append(field, bytes, to: &lines)
            }
        }
        return lines + trace
    }

    private func goesAlong(_ field: Field, _ head: RequestHead, _ bytes: Span<UInt8>) -> Bool {
        if Self.isOwn(field.id) || breadth == .impersonal && Self.shapesOneAnswer(field.id) { return false }
        if head.connection.names(field.name, bytes) { return false }
        guard field.id == .other || field.id == .forwarded || field.id == .xForwardedFor else { return true }
        let name = bytes.extracting(field.name.range)
        return !GatewayFields.contain(name) || permitted.contains(GatewayFields.spelling(name))
    }

    private func append(_ field: Field, _ bytes: Span<UInt8>, to lines: inout [UInt8]) {
        lines.append(bytes.extracting(field.name.range))
        lines.append(contentsOf: ": ".utf8)
        lines.append(bytes.extracting(field.value.range))
        lines.append(contentsOf: "\r\n".utf8)
    }

    /// Without the session of the admin listener, and on shared routes without a user's token.
    private func appendCookie(_ field: Field, _ bytes: Span<UInt8>, to lines: inout [UInt8]) {
        let withheld = Self.ownCookies + (namesUser ? [] : [NamedUser.playersName])
        let pairs = [CookiePair](field.value.range, in: bytes)
        let others = pairs.filter { pair in !withheld.contains { pair.isNamed($0, in: bytes) } }
        guard others.count < pairs.count else { return append(field, bytes, to: &lines) }
        guard !others.isEmpty else { return }
        lines.append(contentsOf: "Cookie: ".utf8)
        lines.append(contentsOf: others.map { bytes.extracting($0.whole).copy() }.joined(separator: "; ".utf8))
        lines.append(contentsOf: "\r\n".utf8)
    }

    /// A valid `traceparent` and one `tracestate`. They shape no answer.
    private func traceLines(_ fields: Fields, _ bytes: Span<UInt8>) -> [UInt8] {
        guard let parent = fields.first(.traceparent), fields.count(.traceparent) == 1,
            TraceContext.traceID(bytes, parent.value.range) != nil
        else { return [] }
        var lines: [UInt8] = []
        append(parent, bytes, to: &lines)
        if let state = fields.first(.tracestate), fields.count(.tracestate) == 1,
            state.value.range.count <= Self.mostTraceState
        {
            append(state, bytes, to: &lines)
        }
        return lines
    }

    /// Fields that tell users or sites apart, and those that ask for less than the whole answer:
    /// the whole one is stored, and the client's conditions and ranges are answered from that.
    private static func shapesOneAnswer(_ id: FieldName) -> Bool {
        switch id {
        case .cookie, .range, .ifRange, .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince: true
        default: false
        }
    }

    /// Fields that describe one connection, are rewritten by the proxy, or carry credentials (RFC
    /// 9110 7.6.1).
    private static func isOwn(_ id: FieldName) -> Bool {
        switch id {
        case .connection, .keepAlive, .te, .trailer, .transferEncoding, .upgrade, .proxyAuthenticate,
            .proxyAuthorization, .proxyConnection, .host, .contentLength, .expect, .authorization, .musicUserToken,
            .acceptEncoding, .origin, .xRefrainKey, .via, .traceparent, .tracestate:
            true
        default: false
        }
    }
}
