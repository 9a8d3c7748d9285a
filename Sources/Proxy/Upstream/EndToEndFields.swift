import HTTP

/// Which fields of an answer go further than the connection they came on. Pure.
enum EndToEndFields {
    /// Copies them out of a received head. Framing must have been decided before (HARDENING, `Connection:
    /// Content-Length`).
    static func copy(from head: borrowing ResponseHead, _ bytes: Span<UInt8>) -> UpstreamFields {
        var result = UpstreamFields()
        result.reserve(bytes: head.byteCount, lines: head.fields.count)
        for field in head.fields where !isHopByHop(field.id) {
            let name = bytes.extracting(field.name.range)
            guard isForEveryRecipient(field.id) || !isNamed(name, byConnectionOf: head, bytes) else { continue }
            result.append(field.id, name: name, value: bytes.extracting(field.value.range))
        }
        return result
    }

    /// RFC 9110, 7.6.1 and the older names; and the framing, which is the next sender's own.
    private static func isHopByHop(_ id: FieldName) -> Bool {
        switch id {
        case .connection, .keepAlive, .proxyConnection, .proxyAuthenticate, .proxyAuthorization, .te, .trailer,
            .transferEncoding, .upgrade, .contentLength:
            true
        default:
            false
        }
    }

    /// Fields that `Connection` cannot take away, because a sender must not list them (RFC 9110, 7.6.1): without them
    /// a private answer could look storable, or its content be taken for something else.
    private static func isForEveryRecipient(_ id: FieldName) -> Bool {
        switch id {
        case .cacheControl, .cdnCacheControl, .pragma, .expires, .date, .age, .etag, .lastModified, .vary, .setCookie,
            .contentType, .contentEncoding, .contentRange, .retryAfter:
            true
        default:
            false
        }
    }

    private static func isNamed(
        _ name: Span<UInt8>, byConnectionOf head: borrowing ResponseHead, _ bytes: Span<UInt8>
    ) -> Bool {
        for field in head.fields where field.id == .connection {
            var options = ListElements(field.value)
            while let option = options.next(in: bytes) {
                if isEqual(bytes.extracting(option.range), name) { return true }
            }
        }
        return false
    }

    private static func isEqual(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        for index in a.indices where lowercased(a[index]) != lowercased(b[index]) { return false }
        return true
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
