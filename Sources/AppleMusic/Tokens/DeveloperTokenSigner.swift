// Making developer tokens: Apple's claims and lifetimes.

import COpenSSL
import Text

/// Why tokens cannot be signed with these settings.
public enum SignerError: Error, Sendable, Equatable {
    /// The id is not 1 to 32 letters, digits, `-` or `_`. Apple's have ten characters.
    case malformedKeyID, malformedTeamID
    /// Outside ``DeveloperTokenSigner/lifetimes``.
    case lifetime
}

/// Signs developer tokens with ES256 (APPLE-MUSIC-API 2.1).
public struct DeveloperTokenSigner: Sendable {
    /// The lifetimes of a token, in seconds: Apple takes at most 15777000, and refuses that much
    /// counted from now, so the lifetime is counted from an `iat` in the past.
    public static let lifetimes = 120...15_777_000

    /// How far in the past `iat` is, in seconds, for clocks that differ.
    static let issuedInPast = 60

    let key: SigningKey
    let keyID: String
    let teamID: String
    /// From `iat` to `exp`, in seconds.
    let lifetime: Int

    /// - Parameter keyID: `kid`, the id of the key at Apple.
    /// - Parameter teamID: `iss`, the team the key belongs to.
    /// - Parameter lifetime: from `iat` to `exp`, in seconds.
    public init(key: SigningKey, keyID: String, teamID: String, lifetime: Int) throws(SignerError) {
        guard DeveloperTokenSigner.isIdentifier(keyID) else { throw .malformedKeyID }
        guard DeveloperTokenSigner.isIdentifier(teamID) else { throw .malformedTeamID }
        guard DeveloperTokenSigner.lifetimes.contains(lifetime) else { throw .lifetime }
        (self.key, self.keyID, self.teamID, self.lifetime) = (key, keyID, teamID, lifetime)
    }

    /// A new token.
    /// - Parameter unixSeconds: the time now.
    func token(at unixSeconds: Int64) throws(SigningKeyError) -> SecretBytes {
        let issuedAt = unixSeconds - Int64(DeveloperTokenSigner.issuedInPast)
        let header: JSON = ["alg": "ES256", "kid": .string(keyID)]
        let claims: JSON = [
            "iss": .string(teamID), "iat": .integer(Int(issuedAt)), "exp": .integer(Int(issuedAt) + lifetime),
        ]
        return try sign(header: header, claims: claims)
    }

    /// A token with any header and claims: tests need those that must be refused.
    func sign(header: JSON, claims: JSON) throws(SigningKeyError) -> SecretBytes {
        let signed = Base64.url.encode(header.bytes) + [UInt8(ascii: ".")] + Base64.url.encode(claims.bytes)
        var signature = try key.signature(of: signed)
        defer { OPENSSL_cleanse(&signature, signature.count) }
        // The signed text is worthless without the signature, which exists in secret memory only.
        return SecretBytes(capacity: signed.count + 1 + Base64.url.encodedCount(signature.count)) { memory in
            memory.copyBytes(from: signed)
            memory[signed.count] = UInt8(ascii: ".")
            var end = signed.count + 1
            Base64.url.encode(signature) { character in
                memory[end] = character
                end += 1
            }
            return end
        }
    }

    static func isIdentifier(_ text: String) -> Bool {
        (1...32).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                ASCIISet.unreserved.contains($0) && $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "~")
            }
    }
}
