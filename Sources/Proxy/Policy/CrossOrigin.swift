import HTTP

/// Sites that may read answers from a browser (`cors_origin`); the Fetch standard's CORS protocol.
///
/// The proxy answers for itself: the origin's own CORS fields are dropped, because they are for one
/// site and would be stored for all (APPLE-MUSIC-API 9.7).
public enum CrossOrigin: Sendable, Equatable {
    /// Every site.
    case any
    /// The pages that one of these names.
    case only([PageOrigin])

    /// Writes the fields for a browser at the request's `Origin`; nothing for requests that come
    /// from no page.
    func write(for head: RequestHead, _ bytes: Span<UInt8>, to buffer: inout ByteBuffer) {
        guard let origin = head.fields.first(.origin) else {
            if case .only = self { buffer.append("Vary: Origin\r\n") }
            return
        }
        switch self {
        case .any: buffer.append("Access-Control-Allow-Origin: *\r\n")
        case .only(let origins):
            buffer.append("Vary: Origin\r\n")
            let value = bytes.extracting(origin.value.range)
            guard origins.contains(where: { $0.matches(value) }) else { return }
            buffer.append("Access-Control-Allow-Origin: ")
            buffer.append(value)
            buffer.append("\r\n")
        }
        Self.writeReadable(to: &buffer)
    }

    /// Writes the fields for a request that could not be read, so that a page learns the cause,
    /// where every page may.
    func writeForUnread(to buffer: inout ByteBuffer) {
        guard case .any = self else { return }
        buffer.append("Access-Control-Allow-Origin: *\r\n")
        Self.writeReadable(to: &buffer)
    }

    private static func writeReadable(to buffer: inout ByteBuffer) {
        buffer.append(
            "Access-Control-Expose-Headers: Age, Cache-Status, Content-Range, Date, ETag, Retry-After, Via\r\n")
    }

    /// Whether this very site is named; `*` names none.
    func names(_ origin: Span<UInt8>) -> Bool {
        guard case .only(let origins) = self else { return false }
        return origins.contains { $0.matches(origin) }
    }
}
