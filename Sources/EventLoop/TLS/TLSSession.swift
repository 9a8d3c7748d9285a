import COpenSSL
import Glibc

/// An SSL object on a non-blocking descriptor; confined to the stream that owns it.
///
/// Must hold:
/// - the error queue is emptied before each call and read right after it, on the same thread; after
///   a fatal error no further call is made, not even to say goodbye;
/// - no call's work is the peer's to choose. OpenSSL goes on from record to record until one has
///   content: `readsPerCall` bounds the bytes that it gets, `RecordBounds` the records without
///   content among them.
final class TLSSession {
    /// True while a read waits for room to write.
    private(set) var readWantsWrite = false
    private(set) var isResumed = false
    /// Whether HTTP/2 is offered to the client, and whether the client has chosen it (RFC 7301).
    let offersHTTP2: Bool
    private(set) var speaksHTTP2 = false
    /// True where the last read took all that the socket had: later bytes raise an event.
    private(set) var isDrained = false
    /// True where the last call was kept from reading on: the socket may have more, for which no
    /// event comes.
    private(set) var isHeldBack = false

    /// Reads of the socket in one call of the library: one, and one more where that found the
    /// socket empty. Each takes a record of the largest size, 16 KiB.
    private static let readsPerCall = 2

    private var ssl: OpaquePointer?
    let isClient: Bool
    private let onNewSession: ((OpaquePointer) -> Void)?
    /// Keys of the tickets that a server gives.
    let ticketKeys: TicketKeys?
    private var isFinished = false
    private var mayNotify = true
    /// The reads of the socket in the call under way; whether the last gave less than was asked,
    /// and whether it found nothing.
    private var reads = (count: 0, isShort: false, isEmpty: false)
    private var bounds = RecordBounds()
    private var now = Instant(nanoseconds: 0)
    private var isWatched = false
    /// The TLS library's reason for the last failure; nil if it gave none.
    private var tlsReason: CInt?

    /// Takes over `ssl`. `onNewSession` is handed each session that the server offers for
    /// resumption, with a reference to own.
    init(
        owning ssl: OpaquePointer, isClient: Bool, offersHTTP2: Bool = false, ticketKeys: TicketKeys? = nil,
        onNewSession: ((OpaquePointer) -> Void)? = nil
    ) {
        (self.ssl, self.offersHTTP2, self.ticketKeys) = (ssl, offersHTTP2, ticketKeys)
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
    func handshake(at now: Instant) -> Result<Bool, StreamError> {
        guard let ssl else { return .success(false) }
        watch(ssl)
        begin(at: now)
        let result = SSL_do_handshake(ssl)
        guard result == 1 else {
            switch failure(result) {
            case .wouldBlock: return .success(false)
            case .end: return .failure(.truncated)
            case .failed(let error): return .failure(handshakeError(error, ssl))
            }
        }
        isFinished = true
        bounds.establish()
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

    /// Describes why the handshake of a client failed.
    func failure(of error: StreamError) -> HandshakeFailure {
        switch error {
        case .truncated: return HandshakeFailure(.closed)
        case .system(let error): return HandshakeFailure(.closed, reason: error.description)
        case .handshakeTimedOut: return HandshakeFailure(.late)
        case .recordFlood: return HandshakeFailure(.other, reason: "too many records without content")
        case .tls(let reason):
            let kind = tlsReason.map { HandshakeFailure.Kind(ofTLSReason: $0) } ?? .other
            guard kind == .untrusted, let host = unnamedHost else { return HandshakeFailure(kind, reason: reason) }
            return HandshakeFailure(.name, reason: reason, host: host)
        }
    }

    /// The host that the client asked for, if this side's certificate does not name it.
    private var unnamedHost: String? {
        guard let ssl, let certificate = SSL_get_certificate(ssl), let name = serverName, !name.isEmpty,
            X509_check_host(certificate, name, name.utf8.count, 0, nil) != 1,
            X509_check_ip_asc(certificate, name, 0) != 1
        else { return nil }
        return String(decoding: name.utf8.prefix(128).map { (0x21..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
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

    /// Begins a call of the library.
    private func begin(at now: Instant) {
        (self.now, isHeldBack, reads) = (now, false, (0, false, false))
        ERR_clear_error()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at now: Instant) -> ReadResult {
        guard let ssl else { return .wouldBlock }
        (readWantsWrite, isDrained) = (false, false)
        begin(at: now)
        let count = SSL_read(ssl, buffer.baseAddress, CInt(clamping: buffer.count))
        guard count <= 0 else {
            bounds.noteContent()
            isDrained = reads.isShort && SSL_has_pending(ssl) == 0
            return .bytes(Int(count))
        }
        switch failure(count) {
        case .wouldBlock(let wantsWrite):
            readWantsWrite = wantsWrite
            isDrained = !wantsWrite && reads.isEmpty && !isHeldBack
            return .wouldBlock
        case .end: return .end
        case .failed(let error): return .failed(error)
        }
    }

    /// Writes one record's content; 0 where it would block. Then the next call must begin with the
    /// same bytes.
    func write(_ bytes: UnsafeRawBufferPointer, at now: Instant) -> Result<Int, StreamError> {
        guard let ssl else { return .success(0) }
        begin(at: now)
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
        guard !bounds.areExceeded else {
            mayNotify = false
            return .failed(.recordFlood)
        }
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
            tlsReason = OpenSSLQueue.lastTLSReason
            let isTruncated = tlsReason == SSL_R_UNEXPECTED_EOF_WHILE_READING
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

// MARK: - Watching what the library reads

extension TLSSession {
    /// OpenSSL says neither whether it emptied the socket, without which every request would cost a
    /// second read that finds nothing, nor how many records it has passed over.
    private func watch(_ ssl: OpaquePointer) {
        guard !isWatched else { return }
        isWatched = true
        let owner = Unmanaged.passUnretained(self).toOpaque()
        let socket = SSL_get_rbio(ssl)
        BIO_set_callback_arg(socket, owner.assumingMemoryBound(to: CChar.self))
        BIO_set_callback_ex(socket) { socket, operation, _, wanted, _, _, result, count in
            guard let owner = BIO_get_callback_arg(socket) else { return CLong(result) }
            switch operation {
            case BIO_CB_READ:
                guard !Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().mayRead() else { break }
                copenssl_bio_would_block(socket)
                return -1
            case BIO_CB_READ | BIO_CB_RETURN:
                let read = result > 0 ? count?.pointee ?? 0 : 0
                let isEmpty = read == 0 && BIO_test_flags(socket, BIO_FLAGS_SHOULD_RETRY) != 0
                Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue()
                    .noteRead(isShort: read < wanted, isEmpty: isEmpty)
            default: break
            }
            return CLong(result)
        }
        SSL_ctrl(ssl, SSL_CTRL_SET_MSG_CALLBACK_ARG, 0, owner)
        SSL_set_msg_callback(ssl) { isWritten, _, kind, _, _, _, owner in
            guard isWritten == 0, let owner else { return }
            Unmanaged<TLSSession>.fromOpaque(owner).takeUnretainedValue().note(kind)
        }
    }

    private func mayRead() -> Bool {
        isHeldBack = reads.count > 0 && !reads.isShort || reads.count >= Self.readsPerCall
        return !isHeldBack
    }

    private func noteRead(isShort: Bool, isEmpty: Bool) {
        reads = (reads.count + 1, isShort, isEmpty)
    }

    /// The head of a record, or a message, has come.
    private func note(_ kind: CInt) {
        switch kind {
        case SSL3_RT_HEADER: bounds.noteRecord(at: now)
        case SSL3_RT_HANDSHAKE: bounds.noteMessage(at: now)
        default: return
        }
        // The library has no call to break another off; but it reads nothing more of a peer that
        // has said goodbye.
        if bounds.areExceeded { SSL_set_shutdown(ssl, SSL_get_shutdown(ssl) | SSL_RECEIVED_SHUTDOWN) }
    }
}
