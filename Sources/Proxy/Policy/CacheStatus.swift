import Freshness
import HTTP

/// What the field `Cache-Status` says of one answer (RFC 9211).
enum CacheStatus {
    /// From the cache; `ttl` in seconds, negative for a stale answer, whose reason is the detail.
    case hit(ttl: Int, detail: Reason?)
    case forwarded(Forwarded)
    /// Neither from the cache nor from the origin.
    case refused(Reason)

    /// Of a request that went to the origin.
    struct Forwarded {
        enum Storing {
            /// `ttl` in seconds; the detail says that it was confirmed by a 304, or how it was
            /// composed.
            case stored(ttl: Int, detail: Reason?)
            /// Why the answer was not stored, or was not the origin's.
            case no(Reason)
        }

        /// Why the origin was asked.
        let reason: Reason
        /// The origin's status; nil when it gave none.
        let status: Int?
        let storing: Storing
        /// Whether another client's request brought the answer.
        var isCollapsed = false
    }

    func write(to buffer: inout ByteBuffer) {
        buffer.append("Cache-Status: refrain; ")
        switch self {
        case .hit(let ttl, let detail):
            buffer.append("hit; ttl=")
            if ttl < 0 { buffer.append("-") }
            buffer.append(decimal: abs(ttl))
            if let detail { Self.write(detail, to: &buffer) }
        case .forwarded(let forwarded):
            forwarded.write(to: &buffer)
        case .refused(let reason):
            buffer.append("detail=")
            buffer.append(reason.word)
        }
        buffer.append("\r\n")
    }

    fileprivate static func write(_ detail: Reason, to buffer: inout ByteBuffer) {
        buffer.append("; detail=")
        buffer.append(detail.word)
    }
}

extension CacheStatus.Forwarded {
    fileprivate func write(to buffer: inout ByteBuffer) {
        buffer.append("fwd=")
        buffer.append(reason.forward)
        if let status {
            buffer.append("; fwd-status=")
            buffer.append(decimal: status)
        }
        if isCollapsed { buffer.append("; collapsed") }
        switch storing {
        case .stored(let ttl, let detail):
            buffer.append("; stored; ttl=")
            if ttl < 0 { buffer.append("-") }
            buffer.append(decimal: abs(ttl))
            if let detail { CacheStatus.write(detail, to: &buffer) }
        case .no(let detail):
            CacheStatus.write(detail, to: &buffer)
        }
    }
}
