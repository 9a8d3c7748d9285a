import COpenSSL

/// An SSL_CTX with the settings of both sides. Configured before it is shared, and never after.
///
/// `@unchecked Sendable` because OpenSSL counts references to an SSL_CTX atomically and locks the
/// parts that connections of different threads touch (openssl-threads(7)).
final class TLSContext: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Mozilla's intermediate profile 5.7 without the DHE suites.
    private static let ciphers = [
        "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305",
    ].joined(separator: ":")
    private static let suites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
    private static let groups = "X25519:P-256:P-384"
    /// 112 bits: refuses RSA below 2048 bits and SHA-1 signatures.
    private static let securityLevel: CInt = 2

    init(_ method: OpaquePointer?) throws(TLSError) {
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(method) else { throw .last("SSL_CTX_new") }
        self.pointer = pointer
        copenssl_ctx_set_nonblocking_modes(pointer)
        SSL_CTX_set_security_level(pointer, TLSContext.securityLevel)
        guard copenssl_ctx_set_min_proto_version(pointer, TLS1_2_VERSION) == 1,
            SSL_CTX_set_cipher_list(pointer, TLSContext.ciphers) == 1,
            SSL_CTX_set_ciphersuites(pointer, TLSContext.suites) == 1,
            copenssl_ctx_set_groups(pointer, TLSContext.groups) == 1
        else { throw .last("TLS parameters") }
    }

    deinit {
        SSL_CTX_free(pointer)
    }
}
