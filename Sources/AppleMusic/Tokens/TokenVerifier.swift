// Checking developer tokens as the origin does: for the simulated API.

import COpenSSL
import Glibc

/// Verifies tokens with the public half of a key.
///
/// `@unchecked Sendable` because its `EVP_PKEY` is not changed after it has been made.
public final class TokenVerifier: @unchecked Sendable {
    private let publicKey: OpaquePointer

    /// Takes the public half alone: a verifier cannot sign.
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

    /// Whether the origin would accept the token, and not answer 401 (APPLE-MUSIC-API 2.1.5).
    /// - Parameter token: the text after `Bearer `.
    /// - Parameter unixSeconds: the time now.
    /// - Parameter origin: the `Origin` of the request, if it had one.
    public func accepts(_ token: Span<UInt8>, at unixSeconds: Int64, origin: String? = nil) -> Bool {
        guard let parts = try? TokenParts(token), let claims = try? TokenClaims(token), claims.algorithm == "ES256",
            claims.keyID?.isEmpty == false, claims.issuer?.isEmpty == false,
            isSigned(token.extracting(0..<parts.signedCount), by: parts.signature),
            let issuedAt = claims.issuedAt, issuedAt <= unixSeconds,
            let expires = claims.expires, expires > unixSeconds
        else { return false }
        let (remaining, overflow) = expires.subtractingReportingOverflow(unixSeconds)
        return !overflow && remaining <= DeveloperTokenSigner.lifetimes.upperBound
            && (claims.origins.isEmpty || origin.map(claims.origins.contains) == true)
    }

    func isSigned(_ message: Span<UInt8>, by signature: [UInt8]) -> Bool {
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
