import COpenSSL

/// The server side of TLS: one certificate, TLS 1.2 and 1.3 by Mozilla's intermediate profile,
/// HTTP/1.1 and, where it is wanted, HTTP/2.
///
/// Files are read once. A renewed certificate takes another `ServerTLS`, which continues the
/// tickets of the former if the key is the same.
public final class ServerTLS: Sendable {
    private enum Source: Sendable {
        case files(certificate: String, key: String)
        case leaf(ThrowawayAuthority.Leaf)
    }

    package let offersHTTP2: Bool
    /// When the first of the certificates that clients are shown ends, in Unix seconds.
    public let certificateEnd: Int64?
    /// Tells the certificates that clients are shown from others.
    public let fingerprint: CertificateFingerprint
    /// The keys of its tickets.
    public let ticketKeys: TicketKeys
    private let context: TLSContext

    /// Reads a PEM chain, leaf first, and the leaf's key. The key file must be a regular file
    /// that belongs to this user or root and that no other user can read.
    /// - Parameters:
    ///   - offersHTTP2: whether clients may choose HTTP/2, which they then are given.
    ///   - former: the ticket keys until now, which go on if they are of this certificate's key.
    public convenience init(
        certificateFile: String, keyFile: String, offersHTTP2: Bool = false, continuing former: TicketKeys? = nil
    ) throws(TLSError) {
        try self.init(
            .files(certificate: certificateFile, key: keyFile), offersHTTP2: offersHTTP2, continuing: former)
    }

    /// Throws the error that the initializer would throw for these files, and makes nothing.
    public static func check(certificateFile: String, keyFile: String) throws(TLSError) {
        _ = try load(.files(certificate: certificateFile, key: keyFile))
    }

    /// A certificate of a throwaway authority for DNS names and literal addresses.
    public convenience init(
        authority: ThrowawayAuthority, hosts: [String], offersHTTP2: Bool = false
    ) throws(TLSError) {
        try self.init(.leaf(try authority.issue(hosts: hosts)), offersHTTP2: offersHTTP2)
    }

    /// `weaken` makes the bad servers that tests of the client need.
    convenience init(
        leaf: ThrowawayAuthority.Leaf, continuing former: TicketKeys? = nil,
        weaken: (OpaquePointer) -> Void = { _ in }
    ) throws(TLSError) {
        try self.init(.leaf(leaf), continuing: former, weaken: weaken)
    }

    private init(
        _ source: Source, offersHTTP2: Bool = false, continuing former: TicketKeys? = nil,
        weaken: (OpaquePointer) -> Void = { _ in }
    ) throws(TLSError) {
        let chain: [Certificate]
        (context, chain) = try Self.load(source, weaken)
        let identity = chain.first.map { TicketKeys.identity(of: $0) } ?? []
        if let former, former.identity == identity {
            ticketKeys = former
        } else {
            ticketKeys = try TicketKeys(identity: identity)
        }
        try Self.configure(context.pointer, identity)
        SSL_CTX_set_alpn_select_cb(
            context.pointer, { chooseProtocol($1, $2, $3, $4, $5) },
            offersHTTP2 ? UnsafeMutableRawPointer(context.pointer) : nil)
        self.offersHTTP2 = offersHTTP2
        certificateEnd = CertificateValidity.all(of: chain).map(\.ends).min()
        fingerprint = CertificateFingerprint(chain)
    }

    /// A session for one accepted connection.
    func makeSession(descriptor: CInt) throws(TLSError) -> TLSSession {
        ERR_clear_error()
        guard let ssl = SSL_new(context.pointer) else { throw .last("SSL_new") }
        let session = TLSSession(owning: ssl, isClient: false, offersHTTP2: offersHTTP2, ticketKeys: ticketKeys)
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw .last("SSL_set_fd") }
        return session
    }

    /// A context with certificate and key, and the chain.
    private static func load(
        _ source: Source, _ weaken: (OpaquePointer) -> Void = { _ in }
    ) throws(TLSError) -> (TLSContext, [Certificate]) {
        let (chain, key) = try read(source)
        let context = try TLSContext(TLS_server_method())
        weaken(context.pointer)
        try use(chain, key, context.pointer)
        return (context, chain)
    }

    private static func read(_ source: Source) throws(TLSError) -> ([Certificate], PrivateKey) {
        switch source {
        case .files(let certificatePath, let keyPath):
            let chain = PEM.certificates(try KeyFile.certificates(certificatePath))
            guard !chain.isEmpty else { throw TLSError("\(certificatePath): no certificate found") }
            let key = try KeyFile.privateKey(keyPath)
            if let fault = KeyOwner.fault(chain, certificatePath, key, keyPath) { throw fault }
            return (chain, key)
        case .leaf(let leaf):
            guard let key = Array(leaf.keyPEM.utf8).withUnsafeBytes(PEM.privateKey) else {
                throw .last("private key")
            }
            return (PEM.certificates(Array(leaf.certificatePEM.utf8)), key)
        }
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

    private static func configure(_ context: OpaquePointer, _ identity: [UInt8]) throws(TLSError) {
        copenssl_ctx_disable_session_cache(context)
        TicketKeys.install(in: context)
        guard SSL_CTX_set_session_id_context(context, identity, CUnsignedInt(identity.count)) == 1 else {
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
