import COpenSSL
import Glibc
import TestSupport
import Testing

@testable import EventLoop

/// A TLS client that keeps to the protocol and overdoes it: its records are made in memory, and
/// sent as the test wants. It blocks.
final class TLSPeer: @unchecked Sendable {  // because a test uses each from one thread at a time
    private let context: OpaquePointer
    private let ssl: OpaquePointer
    private let (input, output): (OpaquePointer, OpaquePointer)
    let socket: RawClient

    /// The server has closed during the handshake.
    struct Closed: Error {}

    /// Records of the server that have come, handshake excluded.
    private(set) var received: [UInt8] = []

    /// - Parameter session: offered to the server, and released.
    init(port: UInt16, version: CInt = TLS1_3_VERSION, resuming session: OpaquePointer? = nil) throws {
        context = try #require(SSL_CTX_new(TLS_client_method()))
        _ = copenssl_ctx_set_max_proto_version(context, version)
        ssl = try #require(SSL_new(context))
        (input, output) = (try #require(BIO_new(BIO_s_mem())), try #require(BIO_new(BIO_s_mem())))
        SSL_set_bio(ssl, input, output)
        SSL_set_connect_state(ssl)
        if let session {
            SSL_set_session(ssl, session)
            SSL_SESSION_free(session)
        }
        socket = try RawClient(port: port)
    }

    /// Whether the server has resumed the session that it was offered.
    var isResumed: Bool { SSL_session_reused(ssl) == 1 }

    /// A session to be offered later, which the caller has to release. By TLS 1.3 it comes with the
    /// first content.
    func takeSession() -> OpaquePointer? {
        // SSL_free(3) makes the session of a connection useless that was not shut down.
        SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        return SSL_get1_session(ssl)
    }

    deinit {
        SSL_free(ssl)
        SSL_CTX_free(context)
    }

    /// Begins the handshake.
    func sayHello() throws {
        SSL_do_handshake(ssl)
        try socket.send(takeOutput())
    }

    /// The handshake, with its records changed by `change` as they leave.
    func shakeHands(_ change: ([UInt8]) -> [UInt8] = { $0 }) throws {
        while true {
            let result = SSL_do_handshake(ssl)
            let bytes = change(takeOutput())
            if !bytes.isEmpty { try socket.send(bytes) }
            guard result != 1 else { return }
            let answer = socket.readSome()
            guard !answer.isEmpty else { throw Closed() }
            BIO_write(input, answer, CInt(answer.count))
        }
    }

    private func takeOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while case let count = BIO_read(output, &buffer, CInt(buffer.count)), count > 0 {
            bytes += buffer[..<Int(count)]
        }
        return bytes
    }

    /// The record of a message that asks the server to change its key, or only says that ours has.
    func keyUpdate(asking: Bool = true) -> [UInt8] {
        SSL_key_update(ssl, asking ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED)
        SSL_do_handshake(ssl)
        return takeOutput()
    }

    /// A record of content.
    func record(_ content: [UInt8]) -> [UInt8] {
        SSL_write(ssl, content, CInt(content.count))
        return takeOutput()
    }

    /// Reads the server's content, as many bytes, or to its end.
    func read(_ count: Int) -> [UInt8] {
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while content.count < count {
            let some = SSL_read(ssl, &buffer, CInt(buffer.count))
            if some > 0 {
                content += buffer[..<Int(some)]
                continue
            }
            let bytes = socket.readSome()
            guard !bytes.isEmpty else { break }
            BIO_write(input, bytes, CInt(bytes.count))
        }
        return content
    }
}

/// Cuts each record of a handshake into records with as many bytes (RFC 8446 5.1 allows it).
func fragmented(_ records: [UInt8], into size: Int) -> [UInt8] {
    var (rest, cut): (ArraySlice<UInt8>, [UInt8]) = (records[...], [])
    while rest.count > 5 {
        let head = Array(rest.prefix(5))
        let content = rest.dropFirst(5).prefix(Int(head[3]) << 8 | Int(head[4]))
        rest = rest.dropFirst(5 + content.count)
        for start in stride(from: content.startIndex, to: content.endIndex, by: size) {
            let part = content[start..<min(start + size, content.endIndex)]
            cut += head[..<3] + [UInt8(part.count >> 8), UInt8(part.count & 255)] + part
        }
    }
    return cut
}
