import AppleMusic
import Cache
import HTTP
import Server

// In which coding a client gets a stored answer.

extension ProxyService {
    /// The coding of the form that `connection`'s client gets. An answer that has no gzip form and
    /// is wanted in it a second time is compressed behind this one, for those who come after.
    @inline(__always)
    func coding(of stored: StoredResponse, for connection: ClientConnection) -> ContentCoding {
        guard stored.gzip != nil || stored.mayBecomeCoded, connection.preferredCoding == .gzip else { return .identity }
        guard stored.gzip == nil else { return .gzip }
        if stored.noteCodingRequest() { compress(stored) }
        return .identity
    }

    /// Only what everyone shares under an operator's TTL: what follows the origin's rules goes out
    /// as it came in.
    private func compress(_ stored: StoredResponse) {
        guard shared.gzip.isAvailable, !stored.key.isPersonal,
            let resourceClass = ResourceClass(rawValue: stored.classTag), !shared.policy[resourceClass].followsOrigin
        else { return }
        shared.compressions.compress(stored, for: shared.cache, by: shared.gzip)
    }
}

extension ClientConnection {
    /// The coding that the request asks for; worked out once for requests that come again.
    var preferredCoding: ContentCoding {
        repeated?.preferredCoding ?? withHeadBytes { ContentCoding.preferred(by: head.fields, $0) }
    }
}
