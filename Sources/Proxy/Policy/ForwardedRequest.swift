import AppleMusic
import HTTP

/// The request that goes to the origin: built from parsed parts, never copied as a whole
/// (FRAMING 3.1).
///
/// `ForwardedFields` says which of the client's fields go along; every credential of the client's
/// is left out but a user's token, and the proxy's own are put in. A class, because it is handed
/// from one to the other until it is answered, and is never changed.
final class ForwardedRequest {
    let method: Method
    let methodText: [UInt8]
    /// Canonical path and query: the target in the cache key.
    let target: [UInt8]
    /// The target that is sent: `target`, or with the client's own spelling of the query where no
    /// other client gets the answer (DECISIONS 3.4).
    private let sentTarget: [UInt8]
    /// End-to-end fields of the client's as lines; no credentials among them.
    let fields: [UInt8]
    let clientAuthorization: ClientAuthorization?
    /// The token of the user whom a personal request names.
    let clientUserToken: SecretBytes?
    /// The field in which that token goes along.
    private let tokenForm: TokenForm
    /// Whether a user's token goes along: to personal routes and nowhere else.
    let isPersonal: Bool
    /// Whether a precondition goes along, which 304 may answer.
    let isConditional: Bool
    /// Whether a range goes along, which 206 may answer.
    let asksForRange: Bool
    /// Whether the answer is welcome in gzip: one to a GET that is stored under the operator's
    /// rule.
    let welcomesGzip: Bool
    /// Whether the answer goes to the client in gzip, as it comes: one that is this client's alone,
    /// to a GET or a write in a library, whose user no cookie names (DECISIONS 6.12).
    let passesGzip: Bool
    /// The proxies of this kind that it has passed.
    let via: ViaChain
    let body: [UInt8]

    /// - Parameters:
    ///   - bytes: those that `head`'s ranges count in.
    ///   - refreshes: asks for the whole answer in the background; the client gets a stale one.
    ///   - dropsAuthorization: the client's `Authorization` is a key for this proxy.
    ///   - user: whom the request names.
    ///   - permitted: fields that the operator lets through.
    init(
        head: RequestHead, bytes: Span<UInt8>, canonical: borrowing CanonicalTarget, body: [UInt8],
        subset: ForwardedFields.Subset, refreshes: Bool = false, dropsAuthorization: Bool = false,
        user: NamedUser = .nobody, permitted: NamedFields = NamedFields()
    ) {
        method = refreshes ? .get : head.method
        methodText = refreshes ? Array("GET".utf8) : bytes.extracting(head.methodText.range).copy()
        target = canonical.bytes
        isPersonal = canonical.route.isPersonal
        sentTarget =
            isPersonal || subset == .all
            ? canonical.bytes(keepingQueryOf: bytes.extracting(head.target.range)) : canonical.bytes
        let wanted = ForwardedFields(
            subset: subset, isTraced: !refreshes, isForAPI: canonical.isOfAPI || method != .get && method != .head,
            permitted: permitted.names(for: canonical))
        fields = wanted.lines(of: head, bytes)
        clientAuthorization = dropsAuthorization ? nil : ClientAuthorization(head, bytes)
        if isPersonal, case .one(let token, let isCookie) = user {
            clientUserToken = SecretBytes(bytes.extracting(token))
            tokenForm = isCookie ? .cookie : head.namesPlayersToken(bytes) ? .bothFields : .field
        } else {
            (clientUserToken, tokenForm) = (nil, .field)
        }
        isConditional =
            subset == .all && (head.fields.contains(.ifNoneMatch) || head.fields.contains(.ifModifiedSince))
        asksForRange = subset == .all && head.fields.contains(.range)
        via = head.fields.contains(.via) ? ViaChain(head, bytes) : ViaChain()
        welcomesGzip = subset == .none && method == .get
        passesGzip =
            subset == .all && (method == .get || isPersonal && !method.isSafe) && !asksForRange
            && tokenForm != .cookie
            && ContentCoding.preferred(by: head.fields, bytes) == .gzip
        self.body = body
    }

    /// A GET of the proxy's own for what everyone shares.
    /// - Parameters:
    ///   - authorization: the token of a client that it is made for.
    ///   - via: the proxies that the client's request has passed.
    init(for other: CanonicalTarget, authorization: ClientAuthorization?, via: ViaChain = ViaChain()) {
        method = .get
        methodText = Array("GET".utf8)
        target = other.bytes
        sentTarget = target
        fields = ForwardedFields.ownLines
        clientAuthorization = authorization
        (clientUserToken, tokenForm) = (nil, .field)
        isPersonal = false
        isConditional = false
        asksForRange = false
        welcomesGzip = true
        passesGzip = false
        self.via = via
        body = []
    }

    /// The complete head with the credentials of the moment. Holds secrets; it goes to the origin
    /// and nowhere else.
    ///
    /// - Parameters:
    ///   - userToken: stands in on personal requests that bring none.
    ///   - origin: the site to which the developer token is bound (APPLE-MUSIC-API 2.1.6), if any.
    ///   - acceptsGzip: whether the answer may come in gzip.
    ///   - validators: lines that let the origin confirm the stored answer.
    ///   - name: of this proxy.
    func head(
        to authority: [UInt8], developerToken: SecretBytes?, userToken: SecretBytes?, origin: [UInt8]? = nil,
        acceptsGzip: Bool = false, validators: [UInt8] = [], as name: ViaChain.Name
    ) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 512 + sentTarget.count + fields.count)
        buffer.append(methodText)
        buffer.append(" ")
        buffer.append(sentTarget)
        buffer.append(" HTTP/1.1\r\nHost: ")
        buffer.append(authority)
        buffer.append(acceptsGzip ? "\r\nAccept-Encoding: gzip\r\n" : "\r\nAccept-Encoding: identity\r\n")
        if let origin = developerToken == nil ? clientAuthorization?.site : origin {
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
            buffer.append(clientAuthorization.value)
            buffer.append("\r\n")
        }
        if isPersonal, let token = clientUserToken ?? userToken {
            for name in tokenForm.beginnings { append(token, after: name, to: &buffer) }
        }
        buffer.append(fields)
        buffer.append(validators)
        if !body.isEmpty || method == .post || method == .put || method == .patch {
            buffer.append("Content-Length: ")
            buffer.append(decimal: body.count)
            buffer.append("\r\n")
        }
        via.append(name, to: &buffer)
        buffer.append("\r\n")
        return buffer.copyReadable()
    }

    private func append(_ token: SecretBytes, after beginning: StaticString, to buffer: inout ByteBuffer) {
        buffer.append(beginning)
        token.withUnsafeBytes { buffer.append($0) }
        buffer.append("\r\n")
    }
}

extension ForwardedRequest {
    /// The names that a client uses of a user's token (APPLE-MUSIC-API 1.2).
    private enum TokenForm {
        /// The API's own name, for the operator's token too.
        case field
        /// Beside it, the web player's.
        case bothFields
        /// A cookie of the web player's, without its other cookies.
        case cookie

        var beginnings: [StaticString] {
            switch self {
            case .field: ["Music-User-Token: "]
            case .bothFields: ["Music-User-Token: ", "media-user-token: "]
            case .cookie: ["Cookie: media-user-token="]
            }
        }
    }
}

extension RequestHead {
    /// Whether a field has a user's token under the web player's name.
    fileprivate func namesPlayersToken(_ bytes: Span<UInt8>) -> Bool {
        fields.contains { field in
            field.id == .musicUserToken && !field.value.range.isEmpty
                && bytes.equalsIgnoringCase(field.name.range, NamedUser.playersName)
        }
    }
}

extension CanonicalTarget {
    /// Whether it is a path of the API, known or not.
    var isOfAPI: Bool { bytes.starts(with: "/v1/".utf8) }
}
