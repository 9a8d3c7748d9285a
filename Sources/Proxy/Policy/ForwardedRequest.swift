import AppleMusic
import HTTP

/// The request that goes to the origin: built from parsed parts, never copied as a whole
/// (FRAMING 3.1).
///
/// The path is the canonical spelling, the query what the client wrote. Hop-by-hop fields,
/// everything that `Connection` names and every credential of the client's are left out; the
/// proxy's own are put in. A class, because it is handed from one to the other until it is
/// answered, and is never changed.
final class ForwardedRequest {
    let method: Method
    let methodText: [UInt8]
    /// Canonical path, then the client's own query.
    let target: [UInt8]
    /// Canonical path and query: what the cache knows the target as.
    let canonical: [UInt8]
    /// End-to-end fields of the client's as lines; no credentials among them.
    let fields: [UInt8]
    let clientAuthorization: [UInt8]?
    let clientUserToken: SecretBytes?
    /// Whether the client's user token goes along: not to routes that are known to be shared.
    let carriesUserToken: Bool
    let isPersonal: Bool
    /// Whether a precondition goes along, which 304 may answer.
    let isConditional: Bool
    /// Whether a range goes along, which 206 may answer.
    let asksForRange: Bool
    /// Whether a field goes along that tells users or sites apart: a cookie, or where a web page
    /// comes from.
    let tellsWhoAsks: Bool
    /// Whether the answer is welcome in gzip: one to a GET that is stored under the operator's
    /// rule, and everyone's. What one client alone gets goes through as it is.
    let welcomesGzip: Bool
    let body: [UInt8]

    /// How many of the client's fields go along: no client's fields may shape an answer that others
    /// get (FRAMING 3.4).
    enum Breadth {
        /// None: the answer is stored under the operator's rule.
        case none
        /// All but those that tell users or sites apart, or ask for less than the whole: the answer
        /// may be stored under the origin's own rules.
        case impersonal
        /// All: the answer is this client's alone.
        case all
    }

    /// - Parameters:
    ///   - bytes: those that `head`'s ranges count in.
    ///   - asGet: asks for the whole answer on behalf of a HEAD.
    ///   - dropsAuthorization: the client's `Authorization` is its key for this proxy.
    init(
        head: RequestHead, bytes: Span<UInt8>, canonical: borrowing CanonicalTarget, body: [UInt8],
        breadth: Breadth, asGet: Bool = false, dropsAuthorization: Bool = false
    ) {
        method = asGet ? .get : head.method
        methodText = asGet ? Array("GET".utf8) : bytes.extracting(head.methodText.range).copy()
        var target = Array(canonical.bytes[..<canonical.pathCount])
        if let query = canonical.originalQuery {
            target.append(UInt8(ascii: "?"))
            target.append(bytes.extracting(head.target.range).extracting(query))
        }
        self.target = target
        self.canonical = canonical.bytes
        fields = Self.lines(head.fields, bytes, breadth)
        clientAuthorization =
            dropsAuthorization
            ? nil : head.fields.first(.authorization).map { bytes.extracting($0.value.range).copy() }
        clientUserToken = head.fields.first(.musicUserToken).map { field in
            SecretBytes(bytes.extracting(field.value.range))
        }
        carriesUserToken = canonical.route.isPersonal || !canonical.route.isShared
        isPersonal = canonical.route.isPersonal
        isConditional =
            breadth == .all && (head.fields.contains(.ifNoneMatch) || head.fields.contains(.ifModifiedSince))
        asksForRange = breadth == .all && head.fields.contains(.range)
        tellsWhoAsks = breadth == .all && (head.fields.contains(.cookie) || head.fields.contains(.origin))
        welcomesGzip = breadth == .none && method == .get && !isPersonal
        self.body = body
    }

    /// A GET for something else that everyone shares, in the name of the same client.
    init(for other: CanonicalTarget, nextTo request: ForwardedRequest) {
        method = .get
        methodText = Array("GET".utf8)
        target = other.bytes
        canonical = other.bytes
        fields = request.fields
        clientAuthorization = request.clientAuthorization
        clientUserToken = nil
        carriesUserToken = false
        isPersonal = false
        isConditional = false
        asksForRange = false
        tellsWhoAsks = false
        welcomesGzip = true
        body = []
    }

    /// What goes along where none of the client's fields do.
    private static let ownLines = Array("Accept: */*\r\nUser-Agent: refrain\r\n".utf8)

    private static func lines(_ fields: Fields, _ bytes: Span<UInt8>, _ breadth: Breadth) -> [UInt8] {
        guard breadth != .none else { return ownLines + traceLines(fields, bytes) }
        var lines: [UInt8] = []
        for field in fields where !isOwn(field.id) {
            if breadth == .impersonal && Self.shapesOneAnswer(field.id) { continue }
            let name = bytes.extracting(field.name.range)
            if isOverride(name) || fields.connectionNames(field.name, bytes) { continue }
            lines.append(name)
            lines.append(contentsOf: ": ".utf8)
            lines.append(bytes.extracting(field.value.range))
            lines.append(contentsOf: "\r\n".utf8)
        }
        return lines
    }

    /// By which the request is followed through several programs. They shape no answer.
    private static func traceLines(_ fields: Fields, _ bytes: Span<UInt8>) -> [UInt8] {
        guard let parent = fields.first(.traceparent), fields.count(.traceparent) == 1,
            TraceContext.traceID(bytes, parent.value.range) != nil
        else { return [] }
        var lines: [UInt8] = []
        for field in fields where field.id == .traceparent || field.id == .tracestate {
            lines.append(bytes.extracting(field.name.range))
            lines.append(contentsOf: ": ".utf8)
            lines.append(bytes.extracting(field.value.range))
            lines.append(contentsOf: "\r\n".utf8)
        }
        return lines
    }

    /// Fields that tell users or sites apart, and those that ask for less than the whole answer:
    /// the whole one is stored, and the client's conditions and ranges are answered from that.
    private static func shapesOneAnswer(_ id: FieldName) -> Bool {
        switch id {
        case .cookie, .origin, .range, .ifRange, .ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince: true
        default: false
        }
    }

    /// Fields that describe one connection, are rewritten by the proxy, or carry credentials (RFC
    /// 9110 7.6.1).
    private static func isOwn(_ id: FieldName) -> Bool {
        switch id {
        case .connection, .keepAlive, .te, .trailer, .transferEncoding, .upgrade, .proxyAuthenticate,
            .proxyAuthorization, .proxyConnection, .host, .contentLength, .expect, .authorization, .musicUserToken,
            .acceptEncoding, .xRefrainKey, .via, .forwarded, .xForwardedFor:
            true
        default: false
        }
    }

    /// `X-HTTP-Method-Override` and its like make an origin answer another request than the one
    /// that is keyed.
    private static func isOverride(_ name: Span<UInt8>) -> Bool {
        let overrides: [StaticString] = [
            "x-http-method-override", "x-http-method", "x-method-override", "x-original-url", "x-rewrite-url",
            "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port", "x-forwarded-prefix", "x-forwarded-server",
            "x-forwarded-scheme", "x-host", "x-original-host", "x-real-ip",
        ]
        return overrides.contains { name.equalsIgnoringCase(0..<name.count, $0) }
    }

    /// The complete head with the credentials of the moment. Holds secrets; it goes to the origin
    /// and nowhere else.
    ///
    /// - Parameters:
    ///   - userToken: stands in on personal requests that bring none.
    ///   - origin: what the developer token is bound to (APPLE-MUSIC-API 2.1.6), if it is.
    ///   - acceptsGzip: whether the answer may come in gzip.
    ///   - validators: lines that let the origin confirm what is stored.
    func head(
        to authority: [UInt8], developerToken: SecretBytes?, userToken: SecretBytes?, origin: [UInt8]? = nil,
        acceptsGzip: Bool = false, validators: [UInt8] = []
    ) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 512 + target.count + fields.count)
        buffer.append(methodText)
        buffer.append(" ")
        buffer.append(target)
        buffer.append(" HTTP/1.1\r\nHost: ")
        buffer.append(authority)
        buffer.append(acceptsGzip ? "\r\nAccept-Encoding: gzip\r\n" : "\r\nAccept-Encoding: identity\r\n")
        if let origin {
            buffer.append("Origin: ")
            buffer.append(origin)
            buffer.append("\r\n")
        }
        if let developerToken {
            buffer.append("Authorization: Bearer ")
            developerToken.withUnsafeBytes { buffer.append($0) }
            buffer.append("\r\n")
        } else if let clientAuthorization {
            buffer.append("Authorization: ")
            buffer.append(clientAuthorization)
            buffer.append("\r\n")
        }
        if let token = carriesUserToken ? clientUserToken ?? (isPersonal ? userToken : nil) : nil {
            buffer.append("Music-User-Token: ")
            token.withUnsafeBytes { buffer.append($0) }
            buffer.append("\r\n")
        }
        buffer.append(fields)
        buffer.append(validators)
        if !body.isEmpty || method == .post || method == .put || method == .patch {
            buffer.append("Content-Length: ")
            buffer.append(decimal: body.count)
            buffer.append("\r\n")
        }
        buffer.append("Via: 1.1 refrain\r\n\r\n")
        return buffer.copyReadable()
    }
}
