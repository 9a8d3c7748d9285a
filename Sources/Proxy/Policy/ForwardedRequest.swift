import AppleMusic
import HTTP

/// The request that goes to the origin: built from parsed parts, never copied as a whole
/// (FRAMING 3.1).
///
/// The target is the canonical spelling, as the answer is keyed. Of the client's fields those of
/// `ForwardedFields` go along; every credential of the client's is left out, and the proxy's own
/// are put in. A class, because it is handed from one to the other until it is answered, and is
/// never changed.
final class ForwardedRequest {
    let method: Method
    let methodText: [UInt8]
    /// Canonical path and query: what the cache knows the target as.
    let target: [UInt8]
    /// End-to-end fields of the client's as lines; no credentials among them.
    let fields: [UInt8]
    let clientAuthorization: [UInt8]?
    /// The site that asks, where it goes along.
    let clientOrigin: [UInt8]?
    let clientUserToken: SecretBytes?
    /// Whether a user's token goes along: to personal routes and nowhere else.
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

    /// - Parameters:
    ///   - bytes: those that `head`'s ranges count in.
    ///   - refreshes: asks for the whole answer, behind one that the client has.
    ///   - dropsAuthorization: the client's `Authorization` is a key for this proxy.
    ///   - permitted: fields of gateways that go along, as `GatewayFields` spells them.
    init(
        head: RequestHead, bytes: Span<UInt8>, canonical: borrowing CanonicalTarget, body: [UInt8],
        breadth: ForwardedFields.Breadth, refreshes: Bool = false, dropsAuthorization: Bool = false,
        permitted: [[UInt8]] = []
    ) {
        method = refreshes ? .get : head.method
        methodText = refreshes ? Array("GET".utf8) : bytes.extracting(head.methodText.range).copy()
        target = canonical.bytes
        let wanted = ForwardedFields(
            breadth: breadth, isTraced: !refreshes, namesUser: canonical.route.isPersonal, permitted: permitted)
        fields = wanted.lines(of: head, bytes)
        clientAuthorization =
            dropsAuthorization
            ? nil : head.fields.first(.authorization).map { bytes.extracting($0.value.range).copy() }
        clientOrigin =
            breadth == .all ? head.fields.first(.origin).map { bytes.extracting($0.value.range).copy() } : nil
        clientUserToken = head.fields.first(.musicUserToken).map { field in
            SecretBytes(bytes.extracting(field.value.range))
        }
        isPersonal = canonical.route.isPersonal
        isConditional =
            breadth == .all && (head.fields.contains(.ifNoneMatch) || head.fields.contains(.ifModifiedSince))
        asksForRange = breadth == .all && head.fields.contains(.range)
        tellsWhoAsks = breadth == .all && (head.fields.contains(.cookie) || head.fields.contains(.origin))
        welcomesGzip = breadth == .none && method == .get && !isPersonal
        self.body = body
    }

    /// A GET of the proxy's own for what everyone shares.
    /// - Parameter authorization: the token of a client that it is made for.
    init(for other: CanonicalTarget, authorization: [UInt8]?) {
        method = .get
        methodText = Array("GET".utf8)
        target = other.bytes
        fields = ForwardedFields.ownLines
        clientAuthorization = authorization
        clientOrigin = nil
        clientUserToken = nil
        isPersonal = false
        isConditional = false
        asksForRange = false
        tellsWhoAsks = false
        welcomesGzip = true
        body = []
    }

    /// The complete head with the credentials of the moment. Holds secrets; it goes to the origin
    /// and nowhere else.
    ///
    /// - Parameters:
    ///   - userToken: stands in on personal requests that bring none.
    ///   - origin: what the developer token is bound to (APPLE-MUSIC-API 2.1.6), if it is; it
    ///     stands in the place of the client's.
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
        if let origin = origin ?? clientOrigin {
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
        if isPersonal, let token = clientUserToken ?? userToken {
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
