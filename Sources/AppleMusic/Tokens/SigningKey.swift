// The private key that developer tokens are signed with.

import COpenSSL
import EventLoop
import Glibc

/// Why a key cannot be used. Never holds anything of the key.
public enum SigningKeyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No unencrypted private key in PEM, or a damaged one.
    case notPrivateKey
    /// No public key in PEM; `isPrivate`: a private one, which is no file for this.
    case notPublicKey(isPrivate: Bool)
    /// A key for something other than elliptic curves.
    case wrongAlgorithm
    /// A curve other than P-256, the only one of ES256.
    case wrongCurve
    /// libcrypto failed in this call.
    case libcrypto(String)

    public var description: String {
        switch self {
        case .notPrivateKey: "not an unencrypted private key in PEM (the .p8 file from Apple)"
        case .notPublicKey(isPrivate: false): "not a public key in PEM, as openssl pkey -pubout writes it"
        case .notPublicKey(isPrivate: true):
            "a private key; extract the public key: openssl pkey -in KEY.p8 -pubout -out PUBLIC.pem"
        case .wrongAlgorithm: "not an elliptic curve key"
        case .wrongCurve: "not on the curve P-256, which ES256 needs"
        case .libcrypto(let call): "libcrypto failed in \(call)"
        }
    }
}

/// A P-256 key pair. Only libcrypto's own copy stays; the PEM text can be let go.
///
/// `@unchecked Sendable` because an `EVP_PKEY` is not changed after it has been made, and libcrypto
/// allows signing with one from several threads.
public final class SigningKey: @unchecked Sendable {
    private let key: PrivateKey
    var handle: OpaquePointer { key.pointer }

    /// - Parameter pem: a PKCS#8 private key as in Apple's `.p8` files; unencrypted.
    public init(pem: SecretBytes) throws(SigningKeyError) {
        ERR_clear_error()
        guard let key = pem.withUnsafeBytes(PEM.privateKey) else {
            ERR_clear_error()
            throw .notPrivateKey
        }
        if let refusal = SigningKey.refusal(of: key.pointer) { throw refusal }
        self.key = key
    }

    /// A fresh key in PEM (PKCS#8), in memory: for demonstrations and tests.
    public static func generatePEM(curve: String = "P-256") throws(SigningKeyError) -> SecretBytes {
        ERR_clear_error()
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw .libcrypto("EVP_PKEY_CTX_new_id") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, curve) == 1,
            EVP_PKEY_generate(context, &key) == 1
        else { throw .libcrypto("EVP_PKEY_generate") }
        defer { EVP_PKEY_free(key) }
        guard let bio = BIO_new(BIO_s_secmem()) else { throw .libcrypto("BIO_new") }
        defer { BIO_free(bio) }
        guard PEM_write_bio_PKCS8PrivateKey(bio, key, nil, nil, 0, nil, nil) == 1 else {
            throw .libcrypto("PEM_write_bio_PKCS8PrivateKey")
        }
        return SecretBytes(capacity: Int(BIO_ctrl_pending(bio))) { memory in
            max(0, Int(BIO_read(bio, memory.baseAddress, CInt(memory.count))))
        }
    }

    /// The ES256 signature of some bytes: r and s, 64 bytes in all (RFC 7518 3.4). Differs from
    /// call to call.
    func signature(of message: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        ERR_clear_error()
        guard let context = EVP_MD_CTX_new() else { throw .libcrypto("EVP_MD_CTX_new") }
        defer { EVP_MD_CTX_free(context) }
        var count = 0
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, handle) == 1,
            EVP_DigestSign(context, nil, &count, message, message.count) == 1
        else { throw .libcrypto("EVP_DigestSignInit") }
        var der = [UInt8](repeating: 0, count: count)
        defer { OPENSSL_cleanse(&der, der.count) }
        guard EVP_DigestSign(context, &der, &count, message, message.count) == 1 else {
            throw .libcrypto("EVP_DigestSign")
        }
        guard let raw = ECDSASignature.raw(der: Array(der[..<count])) else { throw .libcrypto("d2i_ECDSA_SIG") }
        return raw
    }

    private static func refusal(of key: OpaquePointer) -> SigningKeyError? {
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else { return .wrongAlgorithm }
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return .wrongCurve }
        return name[..<count].elementsEqual("prime256v1".utf8.map { CChar(truncatingIfNeeded: $0) }) ? nil : .wrongCurve
    }
}
