import COpenSSL
import Glibc

/// One SSL object on a non-blocking descriptor; confined to the stream that owns it.
///
/// Must hold: the error queue is emptied before each call and read right after it, on the same
/// thread; after a fatal error no further call is made, not even to say goodbye.
final class TLSSession {
    /// True while a read waits for room to write.
    private(set) var readWantsWrite = false
    private(set) var isResumed = false
    /// Whether HTTP/2 is offered to the client, and whether the client has chosen it (RFC 7301).
    let offersHTTP2: Bool
    private(set) var speaksHTTP2 = false
    /// True where the last read took all that the socket had: later bytes raise an event.
    private(set) var isDrained = false

    private var ssl: OpaquePointer?
    let isClient: Bool
    private let onNewSession: ((OpaquePointer) -> Void)?
    private var isFinished = false
    private var mayNotify = true
    /// Whether the socket gave less than was asked of it since this was last cleared.
    private var hasReadShort = false

    /// Takes over `ssl`. `onNewSession` is handed each session that the server offers for
    /// resumption, with a reference to own.
    init(
        owning ssl: OpaquePointer, isClient: Bool, offersHTTP2: Bool = false,
        onNewSession: ((OpaquePointer) -> Void)? = nil
    ) {
        (self.ssl, self.offersHTTP2) = (ssl, offersHTTP2)
        (self.isClient, self.onNewSession) = (isClient, onNewSession)
        if isClient { SSL_set_connect_state(ssl) } else { SSL_set_accept_state(ssl) }
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit {
        free()
    }

    /// Releases the SSL object; the descriptor is the stream's.
    func free() {
        guard let ssl else { return }
        SSL_free(ssl)
        self.ssl = nil
    }

    /// The session of an SSL object, in OpenSSL's callbacks.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        guard let ssl, let data = SSL_get_ex_data(ssl, 0) else { return nil }
        return Unmanaged<TLSSession>.fromOpaque(data).takeUnretainedValue()
    }

    /// False to let OpenSSL release the session.
    func offer(_ session: OpaquePointer) -> Bool {
        guard let onNewSession else { return false }
        onNewSession(session)
        return true
    }

    /// Goes on with the handshake: true when it is finished and, for a client, the peer verified;
    /// false where it waits.
    func handshake() -> Result<Bool, StreamError> {
        guard let ssl else { return .success(false) }
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            switch failure(result) {
            case .wouldBlock: return .success(false)
            case .end: return .failure(.truncated)
            case .failed(let error): return .failure(handshakeError(error, ssl))
            }
        }
        isFinished = true
        watchReads(SSL_get_rbio(ssl))
        isResumed = SSL_session_reused(ssl) == 1
        if offersHTTP2 { speaksHTTP2 = TLSSession.chosenProtocol(ssl).elementsEqual("h2".utf8) }
        return isClient ? verifyPeer(ssl) : .success(true)
    }

    private static func chosenProtocol(_ ssl: OpaquePointer) -> UnsafeBufferPointer<UInt8> {
        var (name, count): (UnsafePointer<UInt8>?, CUnsignedInt) = (nil, 0)
        SSL_get0_alpn_selected(ssl, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count))
    }

    /// The host that a client has named in its handshake.
    var serverName: String? {
        guard let ssl, let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name) else { return nil }
        return String(cString: name)
    }

    /// OpenSSL has verified the chain and the name already; this holds on to it for resumed
    /// sessions too, whose certificate is not sent again and may have expired since.
    private func verifyPeer(_ ssl: OpaquePointer) -> Result<Bool, StreamError> {
        guard SSL_get_verify_result(ssl) == X509_V_OK, let certificate = SSL_get1_peer_certificate(ssl) else {
            mayNotify = false
            return .failure(.tls("peer not verified"))
        }
        defer { X509_free(certificate) }
        guard X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 else {
            mayNotify = false
            return .failure(.tls("certificate has expired"))
        }
        return .success(true)
    }

    /// Says why a certificate was refused, where that was the reason.
    private func handshakeError(_ error: StreamError, _ ssl: OpaquePointer) -> StreamError {
        let verdict = SSL_get_verify_result(ssl)
        guard isClient, verdict != X509_V_OK else { return error }
        return .tls("certificate verify failed: \(String(cString: X509_verify_cert_error_string(verdict)))")
    }

    /// OpenSSL does not say whether it emptied the socket; without knowing, every request would
    /// cost a second read that finds nothing.
    private func watchReads(_ socket: OpaquePointer?) {
        BIO_set_callback_arg(socket, Unmanaged.passUnretained(self).toOpaque().assumingMemoryBound(to: CChar.self))
        BIO_set_callback_ex(socket) { socket, operation, _, wanted, _, _, result, count in
            if operation == BIO_CB_READ | BIO_CB_RETURN, let count, count.pointee < wanted,
                let session = BIO_get_callback_arg(socket)
            {
                Unmanaged<TLSSession>.fromOpaque(session).takeUnretainedValue().hasReadShort = true
            }
            return CLong(result)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> ReadResult {
        guard let ssl else { return .wouldBlock }
        (readWantsWrite, isDrained, hasReadShort) = (false, false, false)
        ERR_clear_error()
        let count = SSL_read(ssl, buffer.baseAddress, CInt(clamping: buffer.count))
        guard count <= 0 else {
            isDrained = hasReadShort && SSL_has_pending(ssl) == 0
            return .bytes(Int(count))
        }
        switch failure(count) {
        case .wouldBlock(let wantsWrite):
            readWantsWrite = wantsWrite
            return .wouldBlock
        case .end: return .end
        case .failed(let error): return .failed(error)
        }
    }

    /// Writes one record's content; 0 where it would block. Then the next call must begin with the
    /// same bytes.
    func write(_ bytes: UnsafeRawBufferPointer) -> Result<Int, StreamError> {
        guard let ssl else { return .success(0) }
        ERR_clear_error()
        let count = SSL_write(ssl, bytes.baseAddress, CInt(clamping: bytes.count))
        guard count <= 0 else { return .success(Int(count)) }
        switch failure(count) {
        case .wouldBlock: return .success(0)
        case .end: return .failure(.truncated)
        case .failed(let error): return .failure(error)
        }
    }

    private enum Failure {
        case wouldBlock(wantsWrite: Bool)
        case end
        case failed(StreamError)
    }

    /// Reads why the call that has just returned `result` did not succeed.
    private func failure(_ result: CInt) -> Failure {
        let code = errno
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wouldBlock(wantsWrite: false)
        case SSL_ERROR_WANT_WRITE: return .wouldBlock(wantsWrite: true)
        case SSL_ERROR_ZERO_RETURN: return .end
        case SSL_ERROR_SYSCALL where code != 0:
            mayNotify = false
            return .failed(.system(SystemError(call: "TLS", errno: code)))
        case SSL_ERROR_SYSCALL:
            mayNotify = false
            return .failed(.truncated)
        default:
            mayNotify = false
            let isTruncated = OpenSSLQueue.lastIs(SSL_R_UNEXPECTED_EOF_WHILE_READING)
            let reason = OpenSSLQueue.takeReason()
            return .failed(isTruncated ? .truncated : .tls(reason))
        }
    }

    /// Tells the peer that nothing follows. Best effort: where the socket takes no more, the peer
    /// sees a truncation.
    func sendCloseNotify() {
        guard let ssl, isFinished, mayNotify else { return }
        mayNotify = false
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
    }

    /// No close_notify: the stream is to look cut.
    func forgetClosing() {
        mayNotify = false
    }
}
