import AppleMusic
import HTTP

/// The request that goes to the origin: built from parsed parts, never copied as a whole
/// (FRAMING 3.1).
///
/// `ForwardedFields` says which of the client's fields go along; every credential of the client's
/// is left out but a user's token, and the proxy's own are put in. A class, because it is handed
/// from one to the other until it is answered, and is never changed.
///
/// Must hold: requests with the same `question` have the same head, but for what is the proxy's own
/// at the moment of sending (`Additions`), and the trace. One function writes both.
final class ForwardedRequest {
    let method: Method
    let methodText: [UInt8]
    /// Canonical path and query: the target in the cache key.
    let target: [UInt8]
    /// The target that is sent: `target`, or with the client's own spelling of the query where no
    /// other client gets the answer (DECISIONS 3.4).
    private let sentTarget: [UInt8]
    /// End-to-end fields of the client's as lines; no credentials or trace among them.
    private let fields: [UInt8]
    /// The client's trace as lines. Of requests that are joined the leader's goes along: its
    /// request caused the one that is sent, and no trace shapes an answer.
    private let trace: [UInt8]
    /// Whether none of the client's fields goes along, but perhaps its trace and token.
    private let isFixed: Bool
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
    ///   - refreshes: asks in the background; the client gets a stale answer.
    ///   - isForWhole: asks for the whole answer by GET, whatever the client's method is.
    ///   - dropsAuthorization: the client's `Authorization` is a key for this proxy.
    ///   - user: whom the request names.
    ///   - permitted: fields that the operator lets through.
    init(
        head: RequestHead, bytes: Span<UInt8>, canonical: borrowing CanonicalTarget, body: [UInt8],
        subset: ForwardedFields.Subset, refreshes: Bool = false, isForWhole: Bool = false,
        dropsAuthorization: Bool = false,
        user: NamedUser = .nobody, permitted: NamedFields = NamedFields()
    ) {
        let isForWhole = isForWhole || refreshes
        method = isForWhole ? .get : head.method
        methodText = isForWhole ? Array("GET".utf8) : bytes.extracting(head.methodText.range).copy()
        target = canonical.bytes
        isPersonal = canonical.route.isPersonal
        sentTarget =
            isPersonal || subset == .all
            ? canonical.bytes(keepingQueryOf: bytes.extracting(head.target.range)) : canonical.bytes
        let wanted = ForwardedFields(
            subset: subset, isTraced: !refreshes, isForAPI: canonical.isOfAPI || method != .get && method != .head,
            permitted: permitted.names(for: canonical))
        fields = wanted.lines(of: head, bytes)
        trace = wanted.trace(of: head, bytes)
        isFixed = subset == .none && body.isEmpty && method == .get
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
        (fields, trace) = (ForwardedFields.ownLines, [])
        isFixed = true
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
}

// MARK: - The head

extension ForwardedRequest {
    /// The parts of a head that are the proxy's own at the moment of sending. No client's request
    /// decides about them, and joined requests need not have the same.
    struct Additions {
        /// `Host`.
        var authority: [UInt8] = []
        /// Stands in for the client's `Authorization`.
        var developerToken: SecretBytes?
        /// Stands in on personal requests that bring none.
        var userToken: SecretBytes?
        /// The site to which the developer token is bound (APPLE-MUSIC-API 2.1.6), if any.
        var origin: [UInt8]?
        /// Whether the answer may come in gzip.
        var acceptsGzip = false
        /// Lines that let the origin confirm the stored answer.
        var validators: [UInt8] = []
        /// The name of this proxy.
        var name: ViaChain.Name?
    }

    /// The complete head with the credentials of the moment. Holds secrets; it goes to the origin
    /// and nowhere else.
    func head(_ own: Additions) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 512 + sentTarget.count + fields.count)
        write(own, target: sentTarget, trace: trace, to: &buffer)
        return buffer.copyReadable()
    }

    /// A number for all that goes to the origin of the client's own, as keyed as `ClientToken`: 0
    /// for a request that brings nothing but its target.
    /// - Parameter signs: whether the proxy's own developer token goes along.
    func question(signs: Bool) -> UInt64 { isPlain(signs: signs) ? 0 : number(target: sentTarget, signs: signs) }

    /// `question` without the target, for requests that go as one with a list of their names.
    func questionOfAnyName(signs: Bool) -> UInt64 { isPlain(signs: signs) ? 0 : number(target: [], signs: signs) }

    private func isPlain(signs: Bool) -> Bool {
        isFixed && via.names.isEmpty && (signs || clientAuthorization == nil) && !isPersonal
    }

    private func number(target: [UInt8], signs: Bool) -> UInt64 {
        var own = Additions()
        own.developerToken = signs ? Self.anyToken : nil
        own.acceptsGzip = welcomesGzip || passesGzip
        var hasher = SecretHasher()
        write(own, target: target, trace: [], to: &hasher)
        hasher.append(body)
        return hasher.number
    }

    private static let anyToken = SecretBytes([UInt8]().span)

    private func write(_ own: Additions, target: [UInt8], trace: [UInt8], to head: inout (some HeadSink & ~Copyable)) {
        head.append(methodText)
        head.append(" ")
        head.append(target)
        head.append(" HTTP/1.1\r\nHost: ")
        head.append(own.authority)
        head.append(own.acceptsGzip ? "\r\nAccept-Encoding: gzip\r\n" : "\r\nAccept-Encoding: identity\r\n")
        if let origin = own.developerToken == nil ? clientAuthorization?.site : own.origin {
            head.append("Origin: ")
            head.append(origin)
            head.append("\r\n")
        }
        if let developerToken = own.developerToken {
            head.append("Authorization: Bearer ")
            developerToken.withUnsafeBytes { head.append($0) }
            head.append("\r\n")
        } else if let clientAuthorization {
            head.append("Authorization: ")
            head.append(clientAuthorization.value)
            head.append("\r\n")
        }
        if isPersonal, let token = clientUserToken ?? own.userToken {
            for name in tokenForm.beginnings {
                head.append(name)
                token.withUnsafeBytes { head.append($0) }
                head.append("\r\n")
            }
        }
        head.append(fields)
        head.append(trace)
        head.append(own.validators)
        if !body.isEmpty || method == .post || method == .put || method == .patch {
            head.append("Content-Length: ")
            head.append(decimal: body.count)
            head.append("\r\n")
        }
        via.append(own.name, to: &head)
        head.append("\r\n")
    }
}

/// Takes the bytes of a head in pieces.
protocol HeadSink: ~Copyable {
    mutating func append(_ bytes: UnsafeRawBufferPointer)
    mutating func append(_ bytes: [UInt8])
    mutating func append(_ text: StaticString)
    mutating func append(decimal number: Int)
}

extension ByteBuffer: HeadSink {}

extension SecretHasher: HeadSink {
    mutating func append(_ bytes: UnsafeRawBufferPointer) { combine(bytes.bindMemory(to: UInt8.self).span) }
    mutating func append(_ bytes: [UInt8]) { combine(bytes.span) }
    mutating func append(_ text: StaticString) {
        combine(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount).span)
    }
    mutating func append(decimal number: Int) { combine(number) }
}

extension ForwardedRequest {
    /// The fields by which an answer may vary: all of the client's that go along.
    var selectingFields: [UInt8] { trace.isEmpty ? fields : fields + trace }

    /// Bytes of the client's request that it holds.
    var byteCount: Int {
        target.count + fields.count + trace.count + body.count + (clientAuthorization?.value.count ?? 0)
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
