import AppleMusic
import HTTP

/// The request that goes to the origin: built from parsed parts, never copied as a whole (HARDENING 2.11).
///
/// The path is the canonical spelling, the query what the client wrote. Hop-by-hop fields, everything that `Connection`
/// names and every credential of the client's are left out; the proxy's own are put in.
struct ForwardedRequest {
    let method: Method
    let methodText: [UInt8]
    /// Canonical path, then the client's own query.
    let target: [UInt8]
    /// End-to-end fields of the client's as lines; no credentials among them.
    let fields: [UInt8]
    let clientAuthorization: [UInt8]?
    let clientUserToken: SecretBytes?
    let isPersonal: Bool
    /// Whether a precondition goes along, which 304 may answer.
    let isConditional: Bool
    /// Whether a range goes along, which 206 may answer.
    let asksForRange: Bool
    let body: [UInt8]
}

extension ForwardedRequest {
    /// What a request to a stored class carries on: these fields cannot change what the answer says, so that one
    /// client's fields never shape another client's answer (HARDENING 3, cache keys).
    private static func isNeutral(_ id: FieldName) -> Bool {
        id == .accept || id == .userAgent
    }

    /// Fields that describe one connection, are rewritten by the proxy, or carry credentials (RFC 9110 7.6.1).
    private static func isOwn(_ id: FieldName) -> Bool {
        switch id {
        case .connection, .keepAlive, .te, .trailer, .transferEncoding, .upgrade, .proxyAuthenticate,
            .proxyAuthorization, .proxyConnection, .host, .contentLength, .expect, .authorization, .musicUserToken,
            .acceptEncoding, .xRefrainKey, .via, .forwarded, .xForwardedFor:
            true
        default: false
        }
    }

    /// - Parameters:
    ///   - bytes: those that `head`'s ranges count in.
    ///   - dropsAuthorization: the client's `Authorization` may be its key for this proxy.
    ///   - neutralOnly: the answer may be stored under operator rules, so only neutral fields are carried on.
    init(
        head: borrowing RequestHead, bytes: Span<UInt8>, canonical: borrowing CanonicalTarget, body: [UInt8],
        dropsAuthorization: Bool = false, neutralOnly: Bool
    ) {
        method = head.method
        methodText = bytes.extracting(head.methodText.range).copy()
        var target = Array(canonical.bytes[..<canonical.pathCount])
        if let query = canonical.originalQuery {
            target.append(UInt8(ascii: "?"))
            target.append(bytes.extracting(head.target.range).extracting(query))
        }
        self.target = target
        var lines: [UInt8] = []
        for field in head.fields where !Self.isOwn(field.id) {
            if neutralOnly && !Self.isNeutral(field.id) { continue }
            let name = bytes.extracting(field.name.range)
            if field.id == .other && (Self.isOverride(name) || head.fields.connectionNames(field.name, bytes)) {
                continue
            }
            lines.append(name)
            lines.append(contentsOf: ": ".utf8)
            lines.append(bytes.extracting(field.value.range))
            lines.append(contentsOf: "\r\n".utf8)
        }
        fields = lines
        clientAuthorization =
            dropsAuthorization
            ? nil : head.fields.first(.authorization).map { bytes.extracting($0.value.range).copy() }
        clientUserToken = head.fields.first(.musicUserToken).map { field in
            SecretBytes(bytes.extracting(field.value.range))
        }
        isPersonal = canonical.route.isPersonal
        isConditional =
            !neutralOnly && (head.fields.contains(.ifNoneMatch) || head.fields.contains(.ifModifiedSince))
        asksForRange = !neutralOnly && head.fields.contains(.range)
        self.body = body
    }

    /// The complete head with the credentials of the moment. Holds secrets; it goes to the origin and nowhere else.
    func head(to authority: [UInt8], developerToken: SecretBytes?, userToken: SecretBytes?) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 512 + target.count + fields.count)
        buffer.append(methodText)
        buffer.append(" ")
        buffer.append(target)
        buffer.append(" HTTP/1.1\r\nHost: ")
        buffer.append(authority)
        buffer.append("\r\nAccept-Encoding: identity\r\n")
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
        if !body.isEmpty || method == .post || method == .put || method == .patch {
            buffer.append("Content-Length: ")
            buffer.append(decimal: body.count)
            buffer.append("\r\n")
        }
        buffer.append("Via: 1.1 refrain\r\n\r\n")
        return buffer.copyReadable()
    }

    /// `X-HTTP-Method-Override` and its like make an origin answer another request than the one that is keyed.
    private static func isOverride(_ name: Span<UInt8>) -> Bool {
        let overrides: [StaticString] = [
            "x-http-method-override", "x-http-method", "x-method-override", "x-original-url", "x-rewrite-url",
            "x-forwarded-host", "x-forwarded-proto",
        ]
        return overrides.contains { name.equalsIgnoringCase(0..<name.count, $0) }
    }
}
