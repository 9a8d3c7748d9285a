// Checking developer tokens as the origin does: for the simulated API.

import COpenSSL
import Glibc

/// Why a developer token is refused. The origin answers 401 to all of these
/// (APPLE-MUSIC-API 2.1.5).
public enum TokenRejection: Error, Sendable, Equatable, CaseIterable {
    /// Not three parts in base64url with two JSON objects.
    case malformed
    /// `alg` is not ES256.
    case wrongAlgorithm
    /// No `kid`.
    case missingKeyID
    case badSignature
    /// No `iss`, or an empty one.
    case missingIssuer
    /// `iat` is missing or in the future.
    case notYetValid
    /// `exp` is missing or past.
    case expired
    /// `exp` is more than 15777000 s from now.
    case lifetimeTooLong
    /// The token names origins, and the request comes from none of them.
    case wrongOrigin
}

/// Verifies tokens with the public half of a key.
///
/// `@unchecked Sendable` because its `EVP_PKEY` is not changed after it has been made.
public final class TokenVerifier: @unchecked Sendable {
    private let publicKey: OpaquePointer

    /// Takes the public half alone: what can verify cannot sign.
    public init(publicKeyOf key: SigningKey) throws(SigningKeyError) {
        ERR_clear_error()
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key.handle, &encoded)
        guard count > 0, let encoded else { throw .libcrypto("i2d_PUBKEY") }
        defer { CRYPTO_free(encoded, #fileID, #line) }
        var position: UnsafePointer<UInt8>? = UnsafePointer(encoded)
        guard let publicKey = d2i_PUBKEY(nil, &position, CLong(count)) else { throw .libcrypto("d2i_PUBKEY") }
        self.publicKey = publicKey
    }

    /// - Parameter publicKeyPEM: a public key as `openssl pkey -pubout` writes it; P-256 or no
    ///   token will verify.
    public init(publicKeyPEM: [UInt8]) throws(SigningKeyError) {
        ERR_clear_error()
        let publicKey = publicKeyPEM.withUnsafeBytes { bytes in
            let memory = BIO_new_mem_buf(bytes.baseAddress, CInt(bytes.count))
            defer { BIO_free(memory) }
            return PEM_read_bio_PUBKEY(memory, nil, nil, nil)
        }
        guard let publicKey else {
            ERR_clear_error()
            throw .notPublicKey(isPrivate: publicKeyPEM.contains("PRIVATE KEY-----".utf8))
        }
        self.publicKey = publicKey
    }

    deinit { EVP_PKEY_free(publicKey) }

    /// The token's claims, if all of them hold.
    /// - Parameter token: what stands behind `Bearer `.
    /// - Parameter unixSeconds: the time now.
    /// - Parameter origin: the `Origin` of the request, if it had one.
    @discardableResult
    public func verify(
        _ token: Span<UInt8>, at unixSeconds: Int64, origin: String? = nil
    ) throws(TokenRejection) -> TokenClaims {
        guard let parts = try? TokenParts(token), let claims = try? TokenClaims(token) else { throw .malformed }
        guard claims.algorithm == "ES256" else { throw .wrongAlgorithm }
        guard claims.keyID?.isEmpty == false else { throw .missingKeyID }
        guard isSigned(token.extracting(0..<parts.signedCount), by: parts.signature) else { throw .badSignature }
        guard claims.issuer?.isEmpty == false else { throw .missingIssuer }
        guard let issuedAt = claims.issuedAt, issuedAt <= unixSeconds else { throw .notYetValid }
        guard let expires = claims.expires, expires > unixSeconds else { throw .expired }
        let (remaining, overflow) = expires.subtractingReportingOverflow(unixSeconds)
        guard !overflow, remaining <= DeveloperTokenSigner.lifetimes.upperBound else { throw .lifetimeTooLong }
        guard claims.origins.isEmpty || origin.map(claims.origins.contains) == true else { throw .wrongOrigin }
        return claims
    }

    /// Whether the signature is of this key, whatever the header and claims say.
    func hasValidSignature(_ token: Span<UInt8>) -> Bool {
        guard let parts = try? TokenParts(token) else { return false }
        return isSigned(token.extracting(0..<parts.signedCount), by: parts.signature)
    }

    private func isSigned(_ message: Span<UInt8>, by signature: [UInt8]) -> Bool {
        guard let der = ECDSASignature.der(raw: signature), let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        ERR_clear_error()
        defer { ERR_clear_error() }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, publicKey) == 1 else { return false }
        return message.withUnsafeBufferPointer { bytes in
            EVP_DigestVerify(context, der, der.count, bytes.baseAddress, bytes.count) == 1
        }
    }
}
