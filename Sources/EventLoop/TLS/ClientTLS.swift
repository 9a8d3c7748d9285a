import COpenSSL
import Glibc

/// The client side of TLS: TLS 1.2 or 1.3, certificate chain and host name always verified. There
/// is no way to turn that off; tests bring an authority of their own.
///
/// Sessions are kept per host and port and resumed.
public final class ClientTLS: Sendable {
    /// The trust anchors.
    public enum TrustAnchors: Sendable, Hashable {
        /// The machine's authorities. SSL_CERT_FILE and SSL_CERT_DIR, where they are set and not
        /// empty, name a file and directories (with `:` between them) to be used instead, never
        /// besides.
        case system
        /// A PEM file with one or more certificates.
        case file(String)
        /// Certificates in PEM, in memory.
        case pem(String)
    }

    /// Certificates between a server's own and its authority's, each of which costs a signature:
    /// OpenSSL would go through a hundred. Public chains have one or two.
    private static let longestChain: CInt = 8

    /// Tells the certificates of the file of trust anchors from others; nil for other anchors, and
    /// for a file that is none to be looked at again, such as a pipe.
    public let fingerprint: CertificateFingerprint?
    private let context: TLSContext
    let sessions = TLSSessionCache()

    /// Fails if no trust anchor can be loaded, or if a file or folder that the environment names
    /// cannot be read.
    public convenience init(trustAnchors: TrustAnchors) throws(TLSError) {
        try self.init(trustAnchors: trustAnchors, protocols: ["http/1.1"])
    }

    /// - Parameter protocols: the server chooses one of them (RFC 7301).
    init(
        trustAnchors: TrustAnchors, protocols: [String] = ["http/1.1"],
        environment: (String) -> String? = { name in getenv(name).map { String(cString: $0) } }
    ) throws(TLSError) {
        context = try TLSContext(TLS_client_method())
        fingerprint = try TrustStore.load(trustAnchors, into: context.pointer, environment)
        // No callback: one that returns 1 would switch verification off.
        SSL_CTX_set_verify(context.pointer, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_verify_depth(context.pointer, ClientTLS.longestChain)
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        // Unlike its neighbours this one returns 0 on success.
        guard SSL_CTX_set_alpn_protos(context.pointer, list, CUnsignedInt(list.count)) == 0 else {
            throw .last("ALPN")
        }
        copenssl_ctx_keep_client_sessions(context.pointer)
        SSL_CTX_sess_set_new_cb(context.pointer) { ssl, session in
            guard let session, let owner = TLSSession.of(ssl) else { return 0 }
            return owner.offer(session) ? 1 : 0
        }
    }

    /// A session for one connection to `hostName`, which is a DNS name or a literal IP address.
    func makeSession(hostName: String, port: UInt16, descriptor: CInt) throws(TLSError) -> TLSSession {
        // SSL_set1_host with an empty name, and names cut at a NUL, would silently check something
        // else.
        guard !hostName.isEmpty, !hostName.utf8.contains(0) else { throw TLSError("no host name to verify") }
        ERR_clear_error()
        guard let ssl = SSL_new(context.pointer) else { throw .last("SSL_new") }
        let key = TLSSessionCache.Key(host: hostName.lowercased(), port: port)
        let session = TLSSession(owning: ssl, isClient: true) { [sessions] in sessions.store($0, key) }
        try ClientTLS.expect(hostName, ssl)
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw .last("SSL_set_fd") }
        if let earlier = sessions.take(key) {
            SSL_set_session(ssl, earlier)
            SSL_SESSION_free(earlier)
        }
        return session
    }

    /// Sets the name that the certificate must bear. A literal address is compared with the
    /// certificate's addresses and not sent as server name (RFC 6066, 3).
    private static func expect(_ hostName: String, _ ssl: OpaquePointer) throws(TLSError) {
        SSL_set_hostflags(
            ssl, CUnsignedInt(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT))
        if SocketAddress(host: hostName, port: 0) != nil {
            guard X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), hostName) == 1 else { throw .last(hostName) }
        } else {
            guard SSL_set1_host(ssl, hostName) == 1, copenssl_set_server_name(ssl, hostName) == 1 else {
                throw .last(hostName)
            }
        }
    }
}
