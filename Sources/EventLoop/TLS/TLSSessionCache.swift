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

    /// The addresses of each SSL_SESSION of which the table owns a reference: OpenSSL counts
    /// references atomically, but Swift does not know that the pointer may cross threads.
    private let sessions = Mutex<[Key: [UInt]]>([:])

    deinit {
        sessions.withLock { Self.release($0.values.joined()) }
    }

    private static func release(_ sessions: some Sequence<UInt>) {
        for session in sessions { SSL_SESSION_free(OpaquePointer(bitPattern: session)) }
    }

    var count: Int {
        sessions.withLock { $0.values.reduce(0) { $0 + $1.count } }
    }

    /// Takes over a reference to `session`.
    func store(_ session: OpaquePointer, _ key: Key) {
        let session = UInt(bitPattern: session)
        sessions.withLock { sessions in
            if sessions[key] == nil, sessions.count >= TLSSessionCache.keys {
                Self.release(sessions.values.joined())
                sessions.removeAll()
            }
            var kept = sessions[key, default: []]
            if kept.count >= TLSSessionCache.perKey { Self.release([kept.removeFirst()]) }
            kept.append(session)
            sessions[key] = kept
        }
    }

    /// The newest session of the key, with a reference that the caller owns.
    func take(_ key: Key) -> OpaquePointer? {
        sessions.withLock { sessions -> UInt? in
            while let session = sessions[key]?.popLast() {
                let pointer = OpaquePointer(bitPattern: session)
                guard SSL_SESSION_is_resumable(pointer) == 1 else {
                    SSL_SESSION_free(pointer)
                    continue
                }
                // A TLS 1.2 session may serve any number of connections.
                if SSL_SESSION_get_protocol_version(pointer) < TLS1_3_VERSION {
                    SSL_SESSION_up_ref(pointer)
                    sessions[key]?.append(session)
                }
                return session
            }
            return nil
        }.flatMap { OpaquePointer(bitPattern: $0) }
    }
}
