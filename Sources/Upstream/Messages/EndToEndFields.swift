import HTTP

/// Which fields of an answer go further than the connection they came on. Pure.
enum EndToEndFields {
    /// Copies them out of a received head. Framing must have been decided before (FRAMING 5.8).
    static func copy(from head: borrowing ResponseHead, _ bytes: Span<UInt8>) -> UpstreamFields {
        var result = UpstreamFields()
        result.reserve(bytes: head.byteCount, lines: head.fields.count)
        for field in head.fields where !isHopByHop(field.id) {
            guard isForEveryRecipient(field.id) || !head.connection.names(field.name, bytes) else { continue }
            let (name, value) = (bytes.extracting(field.name.range), bytes.extracting(field.value.range))
            result.append(field.id, name: name, value: value)
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

    /// Fields that `Connection` cannot take away, because a sender must not list them (RFC 9110,
    /// 7.6.1): without them a private answer could look storable, or its content be taken for
    /// something else.
    private static func isForEveryRecipient(_ id: FieldName) -> Bool {
        switch id {
        case .cacheControl, .cdnCacheControl, .pragma, .expires, .date, .age, .etag, .lastModified, .vary, .setCookie,
            .contentType, .contentEncoding, .contentRange, .retryAfter:
            true
        default:
            false
        }
    }
}
