import COpenSSL
import Synchronization

/// The server side of TLS: one certificate, TLS 1.2 and 1.3 by Mozilla's intermediate profile,
/// HTTP/1.1 and, where it is wanted, HTTP/2.
///
/// Tickets are sealed with keys that OpenSSL makes at random for each context; the context, and
/// with it those keys, is made anew after a day, and whenever the certificate is read again. A
/// ticket of an older context costs its client a full handshake.
public final class ServerTLS: Sendable {
    /// The life of a context's ticket keys.
    static let contextLifetime: Duration = .seconds(24 * 3600)

    private struct Current: Sendable {
        var context: TLSContext
        var certificateEnd: Int64?
        var fingerprint: CertificateFingerprint
        var madeAt: Instant
    }

    private enum Source: Sendable {
        case files(certificate: String, key: String)
        case leaf(ThrowawayAuthority.Leaf)
    }

    package let offersHTTP2: Bool
    private let source: Source
    private let current: Mutex<Current>

    /// Reads a PEM chain, leaf first, and the leaf's key. The key file must be a regular file
    /// that belongs to this user or root and that no other user can read.
    /// - Parameter offersHTTP2: whether clients may choose HTTP/2, which they then are given.
    public convenience init(certificateFile: String, keyFile: String, offersHTTP2: Bool = false) throws(TLSError) {
        try self.init(.files(certificate: certificateFile, key: keyFile), offersHTTP2: offersHTTP2)
    }

    /// A certificate of a throwaway authority for DNS names and literal addresses.
    public convenience init(
        authority: ThrowawayAuthority, hosts: [String], offersHTTP2: Bool = false
    ) throws(TLSError) {
        try self.init(.leaf(try authority.issue(hosts: hosts)), offersHTTP2: offersHTTP2)
    }

    /// `weaken` makes the bad servers that tests of the client need.
    convenience init(
        leaf: ThrowawayAuthority.Leaf, weaken: (OpaquePointer) -> Void = { _ in }
    ) throws(TLSError) {
        try self.init(.leaf(leaf), weaken: weaken)
    }

    private init(
        _ source: Source, offersHTTP2: Bool = false, weaken: (OpaquePointer) -> Void = { _ in }
    ) throws(TLSError) {
        (self.source, self.offersHTTP2) = (source, offersHTTP2)
        current = Mutex(try ServerTLS.makeContext(source, offersHTTP2: offersHTTP2, weaken))
    }

    /// When the first of the certificates that clients are shown ends, in Unix seconds.
    public var certificateEnd: Int64? { current.withLock(\.certificateEnd) }

    /// Of the certificates that clients are shown.
    public var fingerprint: CertificateFingerprint { current.withLock(\.fingerprint) }

    /// Reads the files again. New connections use the new certificate; if it cannot be used, the
    /// old one stays and the error says why.
    func reload() throws(TLSError) {
        let renewed = try ServerTLS.makeContext(source, offersHTTP2: offersHTTP2)
        current.withLock { $0 = renewed }
    }

    /// A session for one accepted connection.
    func makeSession(descriptor: CInt, now: Instant = .now()) throws(TLSError) -> TLSSession {
        let (context, isOld) = current.withLock { current in
            let isOld = now - current.madeAt > ServerTLS.contextLifetime
            // One thread tries, once a day.
            if isOld { current.madeAt = now }
            return (current.context, isOld)
        }
        // Files that cannot be read today must not stop a server that runs: the old keys then live
        // longer.
        if isOld { try? reload() }
        ERR_clear_error()
        guard let ssl = SSL_new(context.pointer) else { throw .last("SSL_new") }
        let session = TLSSession(owning: ssl, isClient: false, offersHTTP2: offersHTTP2)
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw .last("SSL_set_fd") }
        return session
    }

    private static func makeContext(
        _ source: Source, offersHTTP2: Bool, _ weaken: (OpaquePointer) -> Void = { _ in }
    ) throws(TLSError) -> Current {
        let chain: [Certificate]
        let key: PrivateKey
        switch source {
        case .files(let certificatePath, let keyPath):
            chain = PEM.certificates(try KeyFile.certificates(certificatePath))
            guard !chain.isEmpty else { throw TLSError("\(certificatePath): no certificate found") }
            key = try KeyFile.privateKey(keyPath)
        case .leaf(let leaf):
            chain = PEM.certificates(Array(leaf.certificatePEM.utf8))
            guard let leafKey = Array(leaf.keyPEM.utf8).withUnsafeBytes(PEM.privateKey) else {
                throw .last("private key")
            }
            key = leafKey
        }
        let context = try TLSContext(TLS_server_method())
        weaken(context.pointer)
        try use(chain, key, context.pointer)
        try configure(context.pointer)
        SSL_CTX_set_alpn_select_cb(
            context.pointer, { chooseProtocol($1, $2, $3, $4, $5) },
            offersHTTP2 ? UnsafeMutableRawPointer(context.pointer) : nil)
        let end = CertificateValidity.all(of: chain).map(\.ends).min()
        return Current(
            context: context, certificateEnd: end, fingerprint: CertificateFingerprint(chain), madeAt: .now())
    }

    private static func use(_ chain: [Certificate], _ key: PrivateKey, _ context: OpaquePointer) throws(TLSError) {
        guard let leaf = chain.first, SSL_CTX_use_certificate(context, leaf.pointer) == 1 else {
            throw .last("certificate")
        }
        guard SSL_CTX_use_PrivateKey(context, key.pointer) == 1, SSL_CTX_check_private_key(context) == 1 else {
            throw .last("private key")
        }
        for certificate in chain.dropFirst() {
            guard copenssl_ctx_add_chain_certificate(context, certificate.pointer) == 1 else {
                throw .last("certificate chain")
            }
        }
    }

    private static func configure(_ context: OpaquePointer) throws(TLSError) {
        copenssl_ctx_disable_session_cache(context)
        let identifier = Array("refrain".utf8)
        guard SSL_CTX_set_session_id_context(context, identifier, CUnsignedInt(identifier.count)) == 1 else {
            throw .last("session id context")
        }
    }
}

/// Chooses the first of ours that is in the client's list, and refuses a list without any
/// (RFC 7301, 3.2). The argument is there where HTTP/2 is among ours.
private func chooseProtocol(
    _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ chosenCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ offeredCount: CUnsignedInt, _ argument: UnsafeMutableRawPointer?
) -> CInt {
    let ours: StaticString = argument == nil ? "\u{8}http/1.1" : "\u{2}h2\u{8}http/1.1"
    var found: UnsafeMutablePointer<UInt8>?
    let status = SSL_select_next_proto(
        &found, chosenCount, ours.utf8Start, CUnsignedInt(ours.utf8CodeUnitCount), offered, offeredCount)
    guard status == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    chosen?.pointee = UnsafePointer(found)
    return SSL_TLSEXT_ERR_OK
}
