/// Rules for a head as a whole, once all its fields are there.
extension RequestHead {
    /// Checks Host, Connection and Expect, and derives their meaning.
    func settle(_ bytes: Span<UInt8>) throws(ParseError) {
        try checkHost(bytes)
        try connection.read(fields, bytes)
        guard !connection.namesFramingField else { throw .connectionOption }
        keepsAlive = connection.persists(version)
        try checkExpectation(bytes)
    }

    /// Exactly one valid Host in HTTP/1.1, at most one in HTTP/1.0 (RFC 9112 3.2). The authority of
    /// an absolute form has to name the same host: RFC 9112 3.2.2 would have us ignore Host then,
    /// but a client that sends two different hosts is trying to make two servers disagree.
    private func checkHost(_ bytes: Span<UInt8>) throws(ParseError) {
        guard let field = fields.first(.host) else {
            guard version == .http10 else { throw .hostMissing }
            return
        }
        guard fields.count(.host) == 1 else { throw .hostRepeated }
        guard let host = Authority(bytes, field.value.range) else { throw .hostInvalid }
        guard let authority, let named = Authority(bytes, authority.range) else { return }
        // "http://" or "https://" is right before the authority.
        let isTLS = ASCII.lowercased(bytes[Int(authority.start) - 4]) == UInt8(ascii: "s")
        guard named.isSame(as: host, in: bytes, defaultPort: isTLS ? 443 : 80) else { throw .authorityMismatch }
    }

    /// The only expectation there is; HTTP/1.0 knows none (RFC 9110 10.1.1).
    private func checkExpectation(_ bytes: Span<UInt8>) throws(ParseError) {
        guard version == .http11, let field = fields.first(.expect) else { return }
        guard fields.count(.expect) == 1, bytes.equalsIgnoringCase(field.value.range, "100-continue") else {
            throw .expectation
        }
        expectsContinue = true
    }
}

extension ResponseHead {
    /// Derives the meaning of Connection.
    mutating func settle(_ bytes: Span<UInt8>) throws(ParseError) {
        try connection.read(fields, bytes)
        keepsAlive = connection.persists(version)
    }
}
