import COpenSSL
import Synchronization

/// Sessions that servers have offered, by host and port, for all loops.
///
/// A session is stored only from a connection whose certificate and name were verified, and used
/// only for the same name; so resuming does not widen trust. TLS 1.3 tickets are used once (RFC
/// 8446, C.4).
final class TLSSessionCache: Sendable {
    struct Key: Hashable, Sendable {
        let host: String
        let port: UInt16
    }

    /// Sessions kept for one key, the newest last.
    static let perKey = 8
    /// Keys: a proxy speaks to few origins.
    static let keys = 64

    /// An SSL_SESSION of which the table owns a reference: as an address, because OpenSSL counts
    /// references atomically but Swift does not know that the pointer may cross threads.
    private struct Kept: Sendable {
        let address: UInt

        init(_ pointer: OpaquePointer) {
            address = UInt(bitPattern: pointer)
        }

        var pointer: OpaquePointer? { OpaquePointer(bitPattern: address) }

        func release() {
            SSL_SESSION_free(pointer)
        }
    }

    private let sessions = Mutex<[Key: [Kept]]>([:])

    deinit {
        sessions.withLock { sessions in
            for session in sessions.values.joined() { session.release() }
        }
    }

    var count: Int {
        sessions.withLock { $0.values.reduce(0) { $0 + $1.count } }
    }

    /// Takes over a reference to `session`.
    func store(_ session: OpaquePointer, _ key: Key) {
        let session = Kept(session)
        sessions.withLock { sessions in
            if sessions[key] == nil, sessions.count >= TLSSessionCache.keys {
                for session in sessions.values.joined() { session.release() }
                sessions.removeAll()
            }
            var kept = sessions[key, default: []]
            if kept.count >= TLSSessionCache.perKey { kept.removeFirst().release() }
            kept.append(session)
            sessions[key] = kept
        }
    }

    /// The newest session of the key, with a reference that the caller owns.
    func take(_ key: Key) -> OpaquePointer? {
        sessions.withLock { sessions -> Kept? in
            while let session = sessions[key]?.popLast() {
                guard SSL_SESSION_is_resumable(session.pointer) == 1 else {
                    session.release()
                    continue
                }
                // A TLS 1.2 session may serve any number of connections.
                if SSL_SESSION_get_protocol_version(session.pointer) < TLS1_3_VERSION {
                    SSL_SESSION_up_ref(session.pointer)
                    sessions[key]?.append(session)
                }
                return session
            }
            return nil
        }?.pointer
    }
}
