import HTTP

// The field lines of a stored response: which of the origin's are kept, and the head that goes out on every hit.
// Must hold: framing, connection fields, cookies and what varies from hit to hit (Age, Date, Cache-Status) are never kept,
// whoever calls; a line that is no field line is dropped, so nothing stored can split a response.

/// Field lines as bytes: `Name: value` CR LF, repeated.
enum StoredFields {
    /// Fields that describe one message or one user rather than the content (RFC 9110 7.6.1, RFC 9111 3.1, HARDENING 3).
    private static let dropped: [StaticString] = [
        "connection", "content-length", "transfer-encoding", "keep-alive", "te", "trailer", "upgrade",
        "proxy-connection", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "set-cookie", "set-cookie2", "authorization", "music-user-token", "age", "date", "cache-status",
    ]

    /// The lines of `fields` that may be stored.
    static func storable(_ fields: Span<UInt8>) -> [UInt8] {
        var kept: [UInt8] = []
        kept.reserveCapacity(fields.count)
        forEachLine(fields) { line, name in
            guard !dropped.contains(where: { fields.equalsIgnoringCase(name, $0) }) else { return }
            for index in line { kept.append(fields[index]) }
        }
        return kept
    }

    /// Whether a line of this name is among `fields`; `name` in lower case.
    static func contains(_ fields: Span<UInt8>, _ name: StaticString) -> Bool {
        var isFound = false
        forEachLine(fields) { _, other in
            if fields.equalsIgnoringCase(other, name) { isFound = true }
        }
        return isFound
    }

    /// A strong entity tag over the content (RFC 9110 8.8.1): the first 128 bits of its SHA-256.
    static func entityTagLine(_ body: [UInt8]) -> [UInt8] {
        guard let digest = body.withUnsafeBytes({ Digest.sha256($0) }) else { return [] }
        var line = Array("ETag: \"".utf8)
        line.appendHexadecimal(Digest.bigEndian(digest, from: 0))
        line.appendHexadecimal(Digest.bigEndian(digest, from: 8))
        line.append(contentsOf: "\"\r\n".utf8)
        return line
    }

    /// Status line, `fields`, Content-Length; the lines that vary and the empty line follow when it is sent. Also where the
    /// fields stand in it. 204 has no Content-Length (RFC 9110 8.6).
    static func head(status: Int, fields: [UInt8], bodyCount: Int) -> (bytes: [UInt8], fields: Range<Int>) {
        var head = Array("HTTP/1.1 \(status) \(reasonPhrase(status))\r\n".utf8)
        let start = head.count
        head.append(contentsOf: fields)
        let end = head.count
        if status != 204 { head.append(contentsOf: "Content-Length: \(bodyCount)\r\n".utf8) }
        return (head, start..<end)
    }

    /// Calls `body` with the range of each whole line, line end included, and of its name.
    private static func forEachLine(_ fields: Span<UInt8>, _ body: (Range<Int>, Range<Int>) -> Void) {
        var start = 0
        var colon: Int?
        for index in fields.indices {
            switch fields[index] {
            case UInt8(ascii: ":"):
                if colon == nil { colon = index }
            case UInt8(ascii: "\n"):
                if let colon, colon > start, fields[index - 1] == UInt8(ascii: "\r") {
                    body(start..<(index + 1), start..<colon)
                }
                start = index + 1
                colon = nil
            default: break
            }
        }
    }
}
