import Glibc

/// Address of a socket: an IPv4 or IPv6 address with a port, or the path of a Unix socket.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The address in network byte order as it lies in memory; an IPv4 address fills the first four
    /// bytes.
    private let high: UInt64
    private let low: UInt64
    private let scope: UInt32
    /// True for an IPv6 address.
    public let isIPv6: Bool
    /// The port in host byte order; 0 asks the kernel for a free one.
    public let port: UInt16
    /// The file of a Unix socket, which has no port; nil for the others.
    public let path: String?

    private init(high: UInt64, low: UInt64, scope: UInt32, isIPv6: Bool, port: UInt16, path: String? = nil) {
        (self.high, self.low, self.scope) = (high, low, scope)
        (self.isIPv6, self.port, self.path) = (isIPv6, port, path)
    }

    /// The longest path that a Unix socket can have, in bytes: unix(7), less the NUL at its end.
    public static let maxPathBytes = 107

    /// A Unix socket; nil where the path is empty, too long, or holds a NUL.
    public init?(path: String) {
        guard (1...Self.maxPathBytes).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
        self.init(high: 0, low: 0, scope: 0, isIPv6: false, port: 0, path: path)
    }

    /// Parses a literal address without brackets: "127.0.0.1", "::1". nil for a host name.
    public init?(host: String, port: UInt16) {
        guard !host.utf8.contains(0) else { return nil }
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, host, &v4) == 1 {
            self.init(v4: v4, port: port)
        } else if inet_pton(AF_INET6, host, &v6) == 1 {
            self.init(v6: v6, scope: 0, port: port)
        } else {
            return nil
        }
    }

    /// An address of four or sixteen bytes in network order; nil for another number of them.
    public init?(bytes: ArraySlice<UInt8>, port: UInt16) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
        self.init(high: words.high, low: words.low, scope: 0, isIPv6: bytes.count == 16, port: port)
    }

    /// Reads the result of accept, getsockname or getaddrinfo; nil for other families.
    init?(_ address: UnsafePointer<sockaddr>) {
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let v4 = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in.self)
            self.init(v4: v4.sin_addr, port: UInt16(bigEndian: v4.sin_port))
        case AF_INET6:
            let v6 = UnsafeRawPointer(address).loadUnaligned(as: sockaddr_in6.self)
            self.init(v6: v6.sin6_addr, scope: v6.sin6_scope_id, port: UInt16(bigEndian: v6.sin6_port))
        default:
            return nil
        }
    }

    private init(v4: in_addr, port: UInt16) {
        self.init(high: UInt64(v4.s_addr), low: 0, scope: 0, isIPv6: false, port: port)
    }

    private init(v6: in6_addr, scope: UInt32, port: UInt16) {
        let (high, low) = withUnsafeBytes(of: v6) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        self.init(high: high, low: low, scope: scope, isIPv6: true, port: port)
    }

    /// The address with another port; a path has none.
    public func with(port: UInt16) -> SocketAddress {
        path != nil
            ? self
            : SocketAddress(high: high, low: low, scope: scope, isIPv6: isIPv6, port: port)
    }

    /// The literal address without brackets: "127.0.0.1", "::1"; of a Unix socket its path.
    public var host: String {
        if let path { return path }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        withAddressBytes { _ = inet_ntop(family, $0.baseAddress, &text, socklen_t(INET6_ADDRSTRLEN)) }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(truncatingIfNeeded:)), as: UTF8.self)
    }

    /// "127.0.0.1:8080", "[::1]:8080", "unix:/run/refrain.sock"
    public var description: String {
        if let path { return "unix:\(path)" }
        return isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// True for 127.0.0.0/8, ::1, ::ffff:127.0.0.0/104 and Unix sockets: reachable from this
    /// machine alone.
    public var isLoopback: Bool {
        if path != nil { return true }
        return unmapped.withAddressBytes { bytes in
            bytes.count == 4 ? bytes[0] == 127 : bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
        }
    }

    /// True where no network but one's own has the address: loopback, RFC 1918 (and mapped ones),
    /// RFC 4193 and link-local addresses.
    public var isPrivate: Bool {
        if isLoopback { return true }
        return unmapped.withAddressBytes { bytes in
            let (first, second) = (bytes[0], bytes[1])
            if bytes.count == 16 { return first & 0xFE == 0xFC || first == 0xFE && second & 0xC0 == 0x80 }
            return first == 10 || first == 172 && (16...31).contains(second) || first == 192 && second == 168
                || first == 169 && second == 254
        }
    }

    /// A number for a likely host or household: all of an IPv4 address, mapped ones included, and
    /// the first 64 bits of an IPv6 one, in which anyone has as many addresses as they like. Nil
    /// for a Unix socket.
    public var network: UInt64? {
        if path != nil { return nil }
        let address = unmapped
        return address.isIPv6 ? high : UInt64(UInt32.max) << 32 | address.high
    }

    /// The address or the prefix that `network` numbers: "192.0.2.7", "2001:db8:0:1::/64".
    public static func text(ofNetwork number: UInt64) -> String {
        let isIPv4 = number >> 32 == UInt64(UInt32.max)
        let high = isIPv4 ? number & UInt64(UInt32.max) : number
        let address = SocketAddress(high: high, low: 0, scope: 0, isIPv6: !isIPv4, port: 0)
        return isIPv4 ? address.host : address.host + "/64"
    }

    /// The IPv4 address of a mapped IPv6 one (RFC 4291 2.5.5.2), or the same address.
    public var unmapped: SocketAddress {
        let mapped = UInt64(UInt32(0xFFFF).bigEndian)
        guard isIPv6, high == 0, low & 0xFFFF_FFFF == mapped else { return self }
        return SocketAddress(high: low >> 32, low: 0, scope: 0, isIPv6: false, port: port)
    }

    /// The first `length` bits alone, without port and scope.
    func masked(to length: Int) -> SocketAddress {
        func masked(_ word: UInt64, _ count: Int) -> UInt64 {
            count <= 0 ? 0 : (word.bigEndian & (.max << UInt64(max(0, 64 - count)))).bigEndian
        }
        return SocketAddress(
            high: masked(high, length), low: masked(low, length - 64), scope: 0, isIPv6: isIPv6, port: 0)
    }

    /// Whether one socket that listens at the one keeps others from the other: one port of one
    /// address, or of all addresses.
    public func excludes(_ other: SocketAddress) -> Bool {
        guard path == nil, other.path == nil else { return path == other.path }
        guard isIPv6 == other.isIPv6, port == other.port, port != 0 else { return false }
        return isWildcard || other.isWildcard || self == other
    }

    /// 0.0.0.0 or ::, all addresses of the machine.
    private var isWildcard: Bool { high == 0 && low == 0 }

    /// AF_INET, AF_INET6 or AF_UNIX.
    var family: Int32 { path != nil ? AF_UNIX : isIPv6 ? AF_INET6 : AF_INET }

    func withAddressBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
        withUnsafeBytes(of: (high, low)) { body(UnsafeRawBufferPointer(rebasing: $0[..<(isIPv6 ? 16 : 4)])) }
    }

    /// Hands the address to a system call.
    func withSockaddr<R, E: Error>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) throws(E) -> R
    ) throws(E) -> R {
        var storage = sockaddr_storage()
        let length = withUnsafeMutableBytes(of: &storage) { memory in
            if let path {
                memory.storeBytes(of: sa_family_t(AF_UNIX), as: sa_family_t.self)
                let start = MemoryLayout<sa_family_t>.size
                for (offset, byte) in path.utf8.enumerated() { memory[start + offset] = byte }
                return start + path.utf8.count + 1
            }
            return withAddressBytes { address in
                if isIPv6 {
                    var v6 = sockaddr_in6()
                    v6.sin6_family = sa_family_t(AF_INET6)
                    v6.sin6_port = port.bigEndian
                    v6.sin6_scope_id = scope
                    v6.sin6_addr = address.loadUnaligned(as: in6_addr.self)
                    memory.storeBytes(of: v6, as: sockaddr_in6.self)
                    return MemoryLayout<sockaddr_in6>.size
                }
                var v4 = sockaddr_in()
                v4.sin_family = sa_family_t(AF_INET)
                v4.sin_port = port.bigEndian
                v4.sin_addr = address.loadUnaligned(as: in_addr.self)
                memory.storeBytes(of: v4, as: sockaddr_in.self)
                return MemoryLayout<sockaddr_in>.size
            }
        }
        return try withUnsafePointer(to: &storage) { (pointer) throws(E) -> R in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { (address) throws(E) -> R in
                try body(address, socklen_t(length))
            }
        }
    }
}
