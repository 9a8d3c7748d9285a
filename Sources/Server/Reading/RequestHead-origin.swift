import EventLoop
import HTTP

// The client that a head names; `bytes` are those that its ranges count in.

extension RequestHead {
    /// Range of the token of `Authorization: Bearer TOKEN`; nil for another scheme, or none (RFC
    /// 6750 2.1).
    public func bearerToken(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard let field = fields.first(.authorization) else { return nil }
        let value = field.value.range
        guard value.count > 7, bytes.equalsIgnoringCase(value.lowerBound..<value.lowerBound + 7, "bearer ") else {
            return nil
        }
        return value.lowerBound + 7..<value.upperBound
    }

    /// Whether `Host` is a loopback name or address: a page that reaches this listener by rebinding
    /// its own name sends that name. Only digits and dots may follow 127, because anyone can
    /// register `127.example.com`.
    public func addressesLoopback(_ bytes: Span<UInt8>) -> Bool {
        guard let name = hostName(bytes) else { return true }
        let start = name.lowerBound
        if bytes.equalsIgnoringCase(name, "localhost") || bytes.equals(name, "[::1]") { return true }
        guard name.count > 4, bytes.equals(start..<start + 4, "127.") else { return false }
        return name.allSatisfy { bytes[$0] == UInt8(ascii: ".") || 0x30...0x39 ~= bytes[$0] }
    }

    /// The host in `Host`, without its port and the dot that ends an absolute name; nil where there
    /// is no such field.
    private func hostName(_ bytes: Span<UInt8>) -> Range<Int>? {
        guard let host = fields.first(.host)?.value.range else { return nil }
        var end = host.upperBound
        if let colon = host.last(where: { bytes[$0] == UInt8(ascii: ":") }), bytes[end - 1] != UInt8(ascii: "]") {
            end = colon
        }
        return Authority.name(bytes, host.lowerBound..<end)
    }

    /// Whether `Host` says where the connection leads: a loopback name or address, or the address
    /// that the client has reached.
    package func addresses(_ local: SocketAddress?, _ bytes: Span<UInt8>) -> Bool {
        if addressesLoopback(bytes) { return true }
        guard let local, let name = hostName(bytes) else { return false }
        let text = String(decoding: bytes.extracting(name).copy(), as: UTF8.self)
        return text == (local.isIPv6 ? "[\(local.host)]" : local.host)
    }

    /// Whether a browser says that another site's page sent it (Fetch Metadata 2.3); not for
    /// requests of the user (`none`) or of a page of this listener.
    package func comesFromAnotherSite(_ bytes: Span<UInt8>) -> Bool { fetchSite(bytes) == .another }

    /// The page that had a browser send the request, as `Sec-Fetch-Site` tells it.
    private func fetchSite(_ bytes: Span<UInt8>) -> FetchSite? {
        var site: FetchSite?
        for field in fields where field.id == .other && bytes.equalsIgnoringCase(field.name.range, "sec-fetch-site") {
            let value = field.value.range
            let isOwn = bytes.equalsIgnoringCase(value, "none") || bytes.equalsIgnoringCase(value, "same-origin")
            // A browser writes it once.
            site = site == nil && isOwn ? .own : .another
        }
        return site
    }

    /// Whether the request comes from a page of the host that it asks, or from the user without a
    /// page, by a browser's own word, which no page can write: `Sec-Fetch-Site`, or, from browsers
    /// that do not send that (older ones, and all to plain HTTP), an `Origin` of this `Host`.
    ///
    /// - Parameter isTLS: whether the connection is TLS, so that a page by plain HTTP is another
    ///   site's. Without TLS here a server in front may have it, and the scheme is left open.
    package func comesFromOwnPage(_ bytes: Span<UInt8>, isTLS: Bool) -> Bool {
        if let site = fetchSite(bytes) { return site == .own }
        guard fields.count(.origin) == 1, let field = fields.first(.origin), let host = fields.first(.host),
            let origin = SiteAddress(origin: bytes.extracting(field.value.range))
        else { return false }
        return (origin.isTLS || !isTLS) && origin.isNamed(byHost: bytes.extracting(host.value.range))
    }
}

/// The site of a page, seen from the site that is asked.
private enum FetchSite {
    /// A page of the same origin, or the user without a page.
    case own
    /// A page of another origin, be it of the same site in the words of browsers.
    case another
}
