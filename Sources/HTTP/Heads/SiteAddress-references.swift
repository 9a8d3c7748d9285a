// References of an answer to the server that gave it, as nginx's `proxy_redirect default` rewrites
// them: a client that follows one must come back to the proxy, because only the proxy has the
// developer token and the cache.
// Must hold: the result names neither scheme nor host, so that it is right behind every listener
// and balancer; it never becomes a reference to another host; other references stay byte for byte.

extension SiteAddress {
    /// Whether a field of this name may hold a reference that `rewriting` looks at; a test that
    /// costs nothing.
    @inlinable
    public static func mayRefer(_ id: FieldName, nameCount: Int) -> Bool {
        switch id {
        case .location, .contentLocation: true
        case .other: nameCount == 4 || nameCount == 7
        default: false
        }
    }

    /// The value of a field in which references to this site lead to the server that passes the
    /// field on; nil where there is none.
    ///
    /// - Parameters:
    ///   - id: of a name for which `mayRefer` holds: `Location`, `Content-Location` (RFC 9110
    ///     10.2.2, 8.7), `Link` (RFC 8288) and `Refresh` have references, all others none.
    public func rewriting(_ id: FieldName, _ name: Span<UInt8>, _ value: Span<UInt8>) -> [UInt8]? {
        var (result, done, isChanged) = ([UInt8](), 0, false)
        for place in Self.references(id, name, value) {
            guard let path = path(of: value.extracting(place)) else { continue }
            result.append(value.extracting(done..<place.lowerBound))
            result += path
            (done, isChanged) = (place.upperBound, true)
        }
        guard isChanged else { return nil }
        result.append(value.extracting(done..<value.count))
        return result
    }

    /// The path, query and fragment of an absolute or network-path reference to this site, as a
    /// reference without host (RFC 3986 4.2); nil for all others.
    private func path(of reference: Span<UInt8>) -> [UInt8]? {
        let isNetworkPath = reference.count > 2 && reference.equals(0..<2, "//")
        guard let (scheme, start) = isNetworkPath ? (isTLS, 2) : Self.scheme(of: reference) else { return nil }
        let end = (start..<reference.count).first { Self.endsAuthority(reference[$0]) } ?? reference.count
        // User information is no part of the site, and would be for its own server.
        let at = (start..<end).last { reference[$0] == UInt8(ascii: "@") }
        guard SiteAddress(reference, (at.map { $0 + 1 } ?? start)..<end, isTLS: scheme) == self else { return nil }
        let rest = reference.extracting(end..<reference.count).copy()
        guard rest.first == UInt8(ascii: "/") else { return [UInt8(ascii: "/")] + rest }
        return rest.count > 1 && Self.mayBeginHost(rest[1]) ? Array("/.".utf8) + rest : rest
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// Whether a path with this byte after its first slash would be read as a host: browsers take
    /// `\` for `/` and skip a tab (URL standard, 4.4).
    private static func mayBeginHost(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") || byte <= ASCII.space
    }

    // MARK: The fields that have references

    private static func references(_ id: FieldName, _ name: Span<UInt8>, _ value: Span<UInt8>) -> [Range<Int>] {
        switch id {
        case .location, .contentLocation: [0..<value.count]
        case .other where name.equalsIgnoringCase(0..<name.count, "link"): links(value)
        case .other where name.equalsIgnoringCase(0..<name.count, "refresh"): refresh(value)
        default: []
        }
    }

    /// Between `<` and `>`, outside of quoted parameters.
    private static func links(_ value: Span<UInt8>) -> [Range<Int>] {
        var (places, start) = ([Range<Int>](), 0)
        while let open = value.firstUnquoted(UInt8(ascii: "<"), in: start..<value.count, escaping: true),
            open < value.count
        {
            let end = value.first(UInt8(ascii: ">"), in: open..<value.count)
            places.append(open + 1..<end)
            start = min(end + 1, value.count)
        }
        return places
    }

    /// After the seconds and `url=`, in quotes or not (HTML standard, "shared declarative refresh
    /// steps").
    private static func refresh(_ value: Span<UInt8>) -> [Range<Int>] {
        let mark = value.indices.first { value[$0] == UInt8(ascii: ";") || value[$0] == UInt8(ascii: ",") }
        guard let mark else { return [] }
        var place = value.trimmingWhitespace(mark + 1..<value.count)
        if place.count >= 3, value.equalsIgnoringCase(place.lowerBound..<place.lowerBound + 3, "url") {
            let equals = value.trimmingWhitespace(place.lowerBound + 3..<place.upperBound)
            guard let first = equals.first, value[first] == UInt8(ascii: "=") else { return [place] }
            place = value.trimmingWhitespace(first + 1..<place.upperBound)
        }
        guard let quote = place.first.map({ value[$0] }), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { return [place] }
        return [place.lowerBound + 1..<value.first(quote, in: place.lowerBound + 1..<place.upperBound)]
    }
}
