import EventLoop
import HTTP

/// The load balancers whose `Forwarded` (RFC 7239) or `X-Forwarded-For` names the client
/// (`trusted_proxy`).
///
/// Must hold: no client chooses its own address. Each proxy appends the address that it got a
/// request from, so the list counts from its end, and only as far as proxies are trusted; where a
/// request has both fields and they disagree, a client may have written either.
public struct TrustedProxies: Sendable, Equatable {
    private let ranges: [AddressRange]

    /// - Parameter ranges: none, and nothing is believed.
    public init(_ ranges: [AddressRange] = []) {
        self.ranges = ranges
    }

    /// The list itself; nil where it is empty.
    package var orNone: TrustedProxies? { ranges.isEmpty ? nil : self }

    func contains(_ address: SocketAddress) -> Bool { ranges.contains { $0.contains(address) } }

    /// The client of a request that came from `peer`, without a port; nil where the peer is no
    /// trusted proxy or names none. It is the peer itself where its word cannot be understood.
    func client(of head: RequestHead, _ bytes: Span<UInt8>, from peer: SocketAddress) -> SocketAddress? {
        guard contains(peer) else { return nil }
        let peer = peer.unmapped.with(port: 0)
        let named = [FieldName.forwarded, .xForwardedFor].filter { head.fields.contains($0) }.map { id in
            client(namedBy: id, head, bytes, from: peer)
        }
        guard let first = named.first else { return nil }
        return named.allSatisfy { $0 == first } ? first : peer
    }

    private func client(
        namedBy id: FieldName, _ head: RequestHead, _ bytes: Span<UInt8>, from peer: SocketAddress
    ) -> SocketAddress {
        // The last ones alone, in a ring: a client may write very many before them.
        var nodes = InlineArray<8, ByteRange>(repeating: ByteRange())
        var count = 0
        for field in head.fields where field.id == id {
            var elements = ListElements(field.value)
            while let element = elements.next(in: bytes) {
                nodes[count % Self.mostNodes] = element
                count += 1
            }
        }
        var (client, left) = (peer, min(count, Self.mostNodes))
        while left > 0, contains(client) {
            count -= 1
            left -= 1
            let node = nodes[count % Self.mostNodes]
            let range = id == .forwarded ? Self.node(of: node.range, bytes) : node.range
            guard let range, let address = Self.address(bytes.extracting(range)) else { break }
            client = address
        }
        return client
    }

    /// The value of `for` in an element of `Forwarded`, without quotes; nil where there is none,
    /// and where a quoted value of the element is not whole.
    private static func node(of element: Range<Int>, _ bytes: Span<UInt8>) -> Range<Int>? {
        var (start, found) = (element.lowerBound, Range<Int>?.none)
        while start < element.upperBound {
            let end = bytes.firstUnquoted(UInt8(ascii: ";"), in: start..<element.upperBound)
            let pair = bytes.trimmingWhitespace(start..<end)
            guard isWhole(pair, bytes) else { return nil }
            let value = pair.lowerBound + 4
            if found == nil, value <= pair.upperBound, bytes.equalsIgnoringCase(pair.lowerBound..<value, "for=") {
                let isQuoted = pair.upperBound - value >= 2 && bytes[value] == UInt8(ascii: "\"")
                found = isQuoted ? value + 1..<pair.upperBound - 1 : value..<pair.upperBound
            }
            start = end + 1
        }
        return found
    }

    /// Whether a value with quotes has two, its first and its last byte. A quote that a client
    /// leaves open takes in the element that its proxy appends, and hides it.
    private static func isWhole(_ pair: Range<Int>, _ bytes: Span<UInt8>) -> Bool {
        var (first, count) = (0, 0)
        for index in pair where bytes[index] == UInt8(ascii: "\"") {
            count += 1
            if count == 1 { first = index }
        }
        guard count > 0 else { return true }
        return count == 2 && first > pair.lowerBound && bytes[first - 1] == UInt8(ascii: "=")
            && bytes[pair.upperBound - 1] == UInt8(ascii: "\"")
    }

    /// Reads `1.2.3.4`, `1.2.3.4:567`, `2001:db8::1` or `[2001:db8::1]:567`; nil for other names,
    /// such as `unknown`.
    private static func address(_ node: Span<UInt8>) -> SocketAddress? {
        guard (1...longestNode).contains(node.count) else { return nil }
        var text = String(decoding: node.copy(), as: UTF8.self)[...]
        if text.first == "[" {
            guard let bracket = text.firstIndex(of: "]") else { return nil }
            text = text[..<bracket].dropFirst()
        } else if let colon = text.firstIndex(of: ":"), text.lastIndex(of: ":") == colon {
            text = text[..<colon]
        }
        return SocketAddress(host: String(text), port: 0)?.unmapped
    }

    /// The elements from a list's end that are looked at, of each request: a chain of load
    /// balancers has one for each. Beyond it the farthest of them is the client.
    private static let mostNodes = 8
    /// Longer than any address with a port.
    private static let longestNode = 64
}
