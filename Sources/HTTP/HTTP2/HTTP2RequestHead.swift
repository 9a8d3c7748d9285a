/// Writes the head of an HTTP/2 request as the head of the HTTP/1.1 request that means the same, so
/// that one parser and one set of rules judge both. The checks here are of all that the parser
/// cannot see any more: pseudo-fields, names in lower case, fields that belong to a connection, and
/// every byte that would end a line or a word (RFC 9113 8.2, 8.3).
///
/// Pure. One value serves the heads of a connection, one after the other.
public struct HTTP2RequestHead: ~Copyable {
    /// The values of the pseudo-fields and of Host, one after the other.
    private var values: [UInt8] = []
    private var method: Range<Int>?
    private var scheme: Range<Int>?
    private var path: Range<Int>?
    private var authority: Range<Int>?
    private var host: Range<Int>?
    /// Clients may send a cookie in crumbs, of which HTTP/1.1 wants one line (RFC 9113 8.2.3).
    private var cookies = ByteBuffer(capacity: 0)
    private var contentLength: ContentLength = .untold
    private var hasBegun = false
    private var failure: ParseError?
    private var size = 0
    private let limits: MessageLimits

    private enum ContentLength { case untold, zero, other }

    /// The content that follows a head.
    public enum Content: Equatable, Sendable {
        /// Nothing.
        case none
        /// Content of the length that Content-Length says.
        case counted
        /// Bytes that have to be written as chunks: the client has not said how many there are.
        case chunked
    }

    public init(limits: MessageLimits) { self.limits = limits }

    /// Room kept between two heads, in bytes: ordinary targets and cookies fit.
    private static let keptCapacity = 1 << 10

    /// Forgets the head before. Cookies are credentials, so kept ones are wiped.
    public mutating func reset() {
        if cookies.capacity > Self.keptCapacity { cookies.removeAll(keepingCapacity: false) } else { cookies.wipe() }
        if values.capacity > Self.keptCapacity { values = [] } else { values.removeAll(keepingCapacity: true) }
        (method, scheme, path, authority, host) = (nil, nil, nil, nil, nil)
        (contentLength, hasBegun, failure, size) = (.untold, false, nil, 0)
    }

    /// Takes the next field. A fault in it is reported at the end, because the connection needs
    /// every field of a head to be decoded.
    /// - Parameter head: the buffer to write to.
    public mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>, to head: inout ByteBuffer) {
        guard failure == nil else { return }
        do throws(ParseError) {
            size += name.count + value.count + ": \r\n".utf8.count
            guard size <= limits.maxHeadBytes else { throw .headTooLarge }
            try Self.checkValue(value)
            if name.count > 0, name[0] == UInt8(ascii: ":") {
                try addPseudoField(name, value)
            } else {
                try addField(name, value, to: &head)
            }
        } catch {
            failure = error
        }
    }

    /// Completes the head.
    ///
    /// - Parameters:
    ///   - isLast: whether no content follows.
    ///   - serverName: the host that the TLS handshake has named, in lower case; nil where it has
    ///     not.
    public mutating func end(
        isLast: Bool, serverName: [UInt8]?, to head: inout ByteBuffer
    ) throws(ParseError) -> Content {
        if let failure { throw failure }
        if !hasBegun { try begin(&head) }
        try checkServerName(serverName)
        if !cookies.isEmpty {
            head.append("cookie: ")
            cookies.withReadable { head.append($0) }
            head.append("\r\n")
        }
        if isLast {
            guard contentLength != .other else { throw .contentLength }
        } else if contentLength == .untold {
            head.append("transfer-encoding: chunked\r\n")
        }
        head.append("\r\n")
        return isLast ? .none : contentLength == .untold ? .chunked : .counted
    }

    // MARK: - Pseudo-fields

    private mutating func addPseudoField(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(ParseError) {
        guard !hasBegun else { throw .pseudoField }
        let range = keep(value)
        let all = 0..<name.count
        if name.equals(all, ":path"), path == nil {
            path = range
        } else if name.equals(all, ":method"), method == nil {
            method = range
        } else if name.equals(all, ":scheme"), scheme == nil {
            scheme = range
        } else if name.equals(all, ":authority"), authority == nil {
            authority = range
        } else {
            throw .pseudoField
        }
    }

    private mutating func keep(_ value: Span<UInt8>) -> Range<Int> {
        let start = values.count
        values.append(value)
        return start..<values.count
    }

    /// Writes the request line and Host by the pseudo-fields, which come before all others.
    private mutating func begin(_ head: inout ByteBuffer) throws(ParseError) {
        hasBegun = true
        guard let method else { throw .pseudoField }
        guard !values.span.equals(method, "CONNECT") else { throw .connect }
        guard let path, let scheme else { throw .pseudoField }
        let bytes = values.span
        guard bytes.equalsIgnoringCase(scheme, "https") || bytes.equalsIgnoringCase(scheme, "http") else {
            throw .pseudoField
        }
        guard bytes.isToken(method) else { throw .method }
        // A target in absolute form would name a second authority.
        guard !path.isEmpty, bytes[path.lowerBound] == UInt8(ascii: "/") else { throw .target }
        for index in path where bytes[index] <= 0x20 { throw .target }
        head.append(bytes.extracting(method))
        head.append(" ")
        head.append(bytes.extracting(path))
        head.append(" HTTP/1.1\r\n")
        guard let authority else { return }
        head.append("host: ")
        head.append(bytes.extracting(authority))
        head.append("\r\n")
    }

    /// Throws for an authority that is not the server name of TLS, even if the certificate is good
    /// for both: such requests are misdirected (RFC 9110 7.4, 15.5.20).
    private func checkServerName(_ serverName: [UInt8]?) throws(ParseError) {
        guard let serverName, let named = authority ?? host else { return }
        let bytes = values.span
        guard let authority = Authority(bytes, named) else { throw .hostInvalid }
        let wanted = Authority.name(serverName.span, serverName.indices)
        guard bytes.equalsIgnoringCase(Authority.name(bytes, authority.host), serverName.span, wanted) else {
            throw .misdirected
        }
    }

    // MARK: - Fields

    private mutating func addField(
        _ name: Span<UInt8>, _ value: Span<UInt8>, to head: inout ByteBuffer
    ) throws(ParseError) {
        if !hasBegun { try begin(&head) }
        try Self.checkName(name)
        switch FieldName.named(name, 0..<name.count) {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade: throw .connectionField
        case .te where !value.equalsIgnoringCase(0..<value.count, "trailers"): throw .connectionField
        case .host:
            guard authority == nil else {
                guard isAuthority(value) else { throw .authorityMismatch }
                return
            }
            if host == nil { host = keep(value) }
        case .cookie:
            if !cookies.isEmpty { cookies.append("; ") }
            return cookies.append(value)
        case .contentLength: contentLength = value.equals(0..<value.count, "0") ? .zero : .other
        default: break
        }
        head.append(name)
        head.append(": ")
        head.append(value)
        head.append("\r\n")
    }

    private func isAuthority(_ value: Span<UInt8>) -> Bool {
        guard let authority else { return false }
        return value.equalsIgnoringCase(0..<value.count, values.span, authority)
    }

    /// A token without capitals.
    private static func checkName(_ name: Span<UInt8>) throws(ParseError) {
        guard !name.isEmpty else { throw .fieldName }
        for index in name.indices where !ASCII.isToken(name[index]) || 0x41...0x5A ~= name[index] { throw .fieldName }
    }

    /// Nothing that could end a line, and no white space around it (RFC 9113 8.2.1).
    private static func checkValue(_ value: Span<UInt8>) throws(ParseError) {
        guard value.trimmingWhitespace(value.indices) == value.indices else { throw .fieldWhitespace }
        for index in value.indices where value[index] < 0x20 && value[index] != 0x09 || value[index] == 0x7F {
            throw .controlCharacter
        }
    }
}
