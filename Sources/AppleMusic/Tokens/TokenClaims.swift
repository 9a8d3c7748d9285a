import Text

// Claims of a developer token.

/// The text is no JWT: not three parts in base64url, or a header or claims that are no JSON object.
public struct MalformedToken: Error, Sendable, Equatable, CustomStringConvertible {
    public var description: String { "not a JSON Web Token" }
}

/// The header and claims of a developer token (APPLE-MUSIC-API 2.1.1), **not verified**: for
/// showing, and for knowing when it ends.
public struct TokenClaims: Sendable, Equatable {
    /// `alg`: must be `ES256`.
    public let algorithm: String?
    /// `kid`: the id of the key that signed it.
    public let keyID: String?
    /// `iss`: the team.
    public let issuer: String?
    /// `iat` and `exp` in unix seconds; nil too where they are no whole numbers.
    public let issuedAt: Int64?
    public let expires: Int64?
    /// `origin`: if there are any, one of them must be the `Origin` of every request made with the
    /// token.
    public let origins: [String]

    /// Reads a token in secret memory.
    public init(token: SecretBytes) throws(MalformedToken) {
        self = try token.withBytes { bytes throws(MalformedToken) in try TokenClaims(bytes) }
    }

    /// Reads a token as it is after `Bearer `.
    init(_ token: Span<UInt8>) throws(MalformedToken) {
        let parts = try TokenParts(token)
        algorithm = parts.header["alg"]?.stringValue
        keyID = parts.header["kid"]?.stringValue
        issuer = parts.claims["iss"]?.stringValue
        issuedAt = Self.time(parts.claims["iat"])
        expires = Self.time(parts.claims["exp"])
        switch parts.claims["origin"] {
        case .string(let origin): origins = [origin]
        case .array(let elements): origins = elements.compactMap(\.stringValue)
        default: origins = []
        }
    }

    /// Within bounds that leave room to count with it; a token may say anything.
    private static func time(_ claim: JSON?) -> Int64? {
        claim?.intValue.map { Int64(min(max($0, 0), JSON.mostCounted)) }
    }

    /// Whether a value of `Authorization` may hold a token that works for some sites alone: false
    /// for a token that can be read and does not name any.
    public static func mayBeBound(authorization: Span<UInt8>) -> Bool {
        let scheme = "Bearer ".utf8.count
        guard authorization.count > scheme,
            let parts = try? TokenParts(authorization.extracting(scheme..<authorization.count))
        else { return true }
        return parts.claims["origin"] != nil || parts.claims["root_https_origin"] != nil
    }
}

/// A JWT taken apart.
struct TokenParts {
    let header: JSONObject
    let claims: JSONObject
    let signature: [UInt8]
    /// How many bytes of the token are signed: header, dot, claims.
    let signedCount: Int

    init(_ token: Span<UInt8>) throws(MalformedToken) {
        var dots: [Int] = []
        for index in token.indices where token[index] == UInt8(ascii: ".") { dots.append(index) }
        guard dots.count == 2, token.count <= SecretFile.maxBytes,
            let header = TokenParts.object(token.extracting(0..<dots[0])),
            let claims = TokenParts.object(token.extracting(dots[0] + 1..<dots[1])),
            let signature = Base64.url.decode(token.extracting(dots[1] + 1..<token.count))
        else { throw MalformedToken() }
        (self.header, self.claims, self.signature) = (header, claims, signature)
        signedCount = dots[1]
    }

    private static func object(_ part: Span<UInt8>) -> JSONObject? {
        guard let bytes = Base64.url.decode(part) else { return nil }
        return (try? JSON.parse(bytes))?.objectValue
    }
}
