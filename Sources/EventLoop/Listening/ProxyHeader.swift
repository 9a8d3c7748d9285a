// The header of the PROXY protocol, in which a load balancer names the client of a connection:
// versions 1 and 2 as in https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt, of TCP alone.
// Pure.
// Must hold: malformed bytes stay malformed whatever follows, and more bytes are asked for only
// where they can complete a header. So a header may come in pieces, and malformed input is refused
// at once.

/// A header that was read.
struct ProxyHeader: Equatable, Sendable {
    /// The client's address; nil where it is the load balancer's own, or it does not know.
    let client: SocketAddress?
    /// How many bytes the header has.
    let byteCount: Int

    /// Kinds of bytes at the beginning of a connection.
    enum Reading: Equatable, Sendable {
        case complete(ProxyHeader)
        /// The beginning of a header.
        case incomplete
        case malformed
    }

    /// The longest header of version 1 (2.1 of the specification), and of version 2, which fits
    /// into the smallest TCP segment (2.2).
    static let maxTextBytes = 107
    static let maxBinaryBytes = 536

    static let text = Array("PROXY ".utf8)
    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]

    /// Reads a header off the beginning of `bytes`.
    static func read(_ bytes: [UInt8]) -> Reading {
        guard let first = bytes.first else { return .incomplete }
        let start = first == text[0] ? text : signature
        guard bytes.prefix(start.count).elementsEqual(start.prefix(bytes.count)) else { return .malformed }
        guard bytes.count >= start.count else { return .incomplete }
        return first == text[0] ? readText(bytes) : readBinary(bytes)
    }
}

// MARK: - Version 1

extension ProxyHeader {
    private static func readText(_ bytes: [UInt8]) -> Reading {
        let line = bytes.prefix(maxTextBytes)
        guard let end = line.firstIndex(where: { $0 == 0x0D || $0 == 0x0A }) else {
            return line.count < maxTextBytes ? .incomplete : .malformed
        }
        guard bytes[end] == 0x0D, end + 1 < maxTextBytes else { return .malformed }
        guard end + 1 < bytes.count else { return .incomplete }
        guard bytes[end + 1] == 0x0A else { return .malformed }
        return readWords(bytes[text.count..<end], byteCount: end + 2)
    }

    private static func readWords(_ line: ArraySlice<UInt8>, byteCount: Int) -> Reading {
        let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
        // Whatever follows is to be ignored.
        if words[0].elementsEqual("UNKNOWN".utf8) {
            return .complete(ProxyHeader(client: nil, byteCount: byteCount))
        }
        guard words.count == 5, let isIPv6 = isIPv6(words[0]),
            let client = address(words[1], port: words[3], isIPv6),
            address(words[2], port: words[4], isIPv6) != nil
        else { return .malformed }
        return .complete(ProxyHeader(client: client, byteCount: byteCount))
    }

    private static func isIPv6(_ family: ArraySlice<UInt8>) -> Bool? {
        if family.elementsEqual("TCP4".utf8) { return false }
        return family.elementsEqual("TCP6".utf8) ? true : nil
    }

    private static func address(_ host: ArraySlice<UInt8>, port: ArraySlice<UInt8>, _ isIPv6: Bool) -> SocketAddress? {
        guard (1...5).contains(port.count), port.allSatisfy({ (0x30...0x39).contains($0) }),
            port.first != 0x30 || port.count == 1, let number = UInt16(String(decoding: port, as: UTF8.self)),
            let host = String(validating: host, as: UTF8.self), let address = SocketAddress(host: host, port: number)
        else { return nil }
        return address.isIPv6 == isIPv6 ? address : nil
    }
}

// MARK: - Version 2

extension ProxyHeader {
    /// Up to the addresses: the signature, version and command, family and transport, the length of
    /// the rest.
    private static let fixedBytes = 16

    private static func readBinary(_ bytes: [UInt8]) -> Reading {
        // The high half is the version, 2; 0 in the low one is the sender's own connection.
        if bytes.count > 12, bytes[12] != 0x20, bytes[12] != 0x21 { return .malformed }
        guard bytes.count >= fixedBytes else { return .incomplete }
        let end = fixedBytes + Int(bytes[14]) << 8 + Int(bytes[15])
        let isOwn = bytes[12] == 0x20
        guard end <= maxBinaryBytes, let addressBytes = isOwn ? 0 : addressBytes(of: bytes[13]),
            fixedBytes + addressBytes <= end
        else { return .malformed }
        guard bytes.count >= end else { return .incomplete }
        guard !isOwn else { return .complete(ProxyHeader(client: nil, byteCount: end)) }
        guard isExtensionList(bytes[(fixedBytes + addressBytes)..<end]) else { return .malformed }
        return .complete(ProxyHeader(client: client(bytes, addressBytes), byteCount: end))
    }

    /// Size of both addresses; nil where no stream comes over such a family.
    private static func addressBytes(of family: UInt8) -> Int? {
        switch family {
        case 0x00: 0
        case 0x11: 12
        case 0x21: 36
        case 0x31: 216
        default: nil
        }
    }

    /// Source and destination, then their ports. Unix-socket peers have no address.
    private static func client(_ bytes: [UInt8], _ addressBytes: Int) -> SocketAddress? {
        guard addressBytes == 12 || addressBytes == 36 else { return nil }
        let count = (addressBytes - 4) / 2
        let port = fixedBytes + 2 * count
        return SocketAddress(
            bytes: bytes[fixedBytes..<(fixedBytes + count)], port: UInt16(bytes[port]) << 8 | UInt16(bytes[port + 1]))
    }

    /// Whether these are elements of a type, a length and a value, which may hold more; nothing
    /// here reads any of them.
    private static func isExtensionList(_ bytes: ArraySlice<UInt8>) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            guard rest.count >= 3 else { return false }
            let count = 3 + Int(rest[rest.startIndex + 1]) << 8 + Int(rest[rest.startIndex + 2])
            guard count <= rest.count else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
