import Glibc

// Addresses to listen on, as written in `listen`, `admin_listen` and `--listen`.

/// A literal IP address and a port.
struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// IPv4 or IPv6 without brackets; `localhost` became 127.0.0.1 and `*` 0.0.0.0.
    let host: String
    /// 0 lets the system choose.
    let port: UInt16

    /// Whether only processes of this machine can reach it.
    var isLoopback: Bool { IPLiteral.isLoopback(host) }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension HostPort {
    /// Reads `ADDRESS:PORT`, an IPv6 address in brackets.
    init(_ text: String) throws(ValueError) {
        let wanted = "an ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080"
        guard let colon = text.lastIndex(of: ":") else { throw ValueError(text, isNot: wanted) }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw ValueError(text, isNot: wanted + " (ports end at 65535)")
        }
        let address = text[..<colon]
        let host: String
        if address.first == "[", address.last == "]" {
            host = String(address.dropFirst().dropLast())
            guard IPLiteral.isV6(host) else { throw ValueError(text, isNot: wanted) }
        } else {
            host = address == "localhost" ? "127.0.0.1" : address == "*" ? "0.0.0.0" : String(address)
            guard IPLiteral.isV4(host) else { throw ValueError(text, isNot: wanted) }
        }
        self.init(host: host, port: port)
    }
}

/// What inet_pton(3) says about a literal address.
enum IPLiteral {
    static func isV4(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1
    }

    static func isV6(_ text: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET6, text, &address) == 1
    }

    /// 127.0.0.0/8, ::1, and the former written as an IPv4-mapped address.
    static func isLoopback(_ text: String) -> Bool {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return UInt32(bigEndian: v4.s_addr) >> 24 == 127 }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return false }
        return withUnsafeBytes(of: v6) { bytes in
            let isOne = bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
            let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
            return isOne || (isMapped && bytes[12] == 127)
        }
    }
}
