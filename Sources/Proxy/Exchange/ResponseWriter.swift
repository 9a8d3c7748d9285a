import Cache
import HTTP

/// Writes the fields that differ from answer to answer behind a head that is the same each time.
enum ResponseWriter {
    /// A stored answer: its prepared head and `Age` (RFC 9111 5.1).
    static func writeStored(_ stored: StoredResponse, age: Int, to buffer: inout ByteBuffer) {
        buffer.append(stored.head)
        buffer.append("Age: ")
        buffer.append(decimal: age)
        buffer.append("\r\n")
    }

    /// `Cache-Status` (RFC 9211) of a hit.
    static func writeHit(ttl: Int, to buffer: inout ByteBuffer) {
        buffer.append("Cache-Status: refrain; hit; ttl=")
        buffer.append(decimal: ttl)
        buffer.append("\r\n")
    }

    /// `Cache-Status: refrain; fwd=...; fwd-status=...; stored|detail=...`.
    static func writeForwarded(_ forwarded: ForwardedStatus, to buffer: inout ByteBuffer) {
        buffer.append("Cache-Status: refrain; fwd=")
        buffer.append(forwarded.reason.forward)
        if let status = forwarded.status {
            buffer.append("; fwd-status=")
            buffer.append(decimal: status)
        }
        switch forwarded.storing {
        case .stored(let ttl):
            buffer.append("; stored; ttl=")
            buffer.append(decimal: ttl)
        case .notStored(let detail):
            buffer.append("; detail=")
            buffer.append(detail.word)
        }
        buffer.append("\r\n")
    }
}

/// What `Cache-Status` says of a request that went to the origin.
struct ForwardedStatus {
    enum Storing {
        case stored(ttl: Int)
        /// Why the answer was not stored, or why it was not looked for.
        case notStored(Reason)
    }

    let reason: Reason
    /// The origin's status; nil when it gave none.
    let status: Int?
    let storing: Storing
}
