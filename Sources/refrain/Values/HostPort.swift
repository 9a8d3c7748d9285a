import EventLoop

// Addresses to listen on, as written in `listen`, `admin_listen` and `--listen`.

/// A literal IP address and a port.
struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// IPv4 or IPv6 without brackets; `localhost` became 127.0.0.1 and `*` 0.0.0.0.
    let host: String
    /// 0 lets the system choose.
    let port: UInt16
    /// Whether it was written `localhost`, a name that has an IPv6 address too.
    var isLocalhost = false

    /// The addresses to listen on: those of `localhost` that this machine has, else the one.
    var all: [HostPort] {
        let one = HostPort(host: host, port: port)
        let other = HostPort(host: "::1", port: port)
        guard isLocalhost, let address = SocketAddress(host: other.host, port: 0), Listener.isOfThisMachine(address)
        else { return [one] }
        return [one, other]
    }

    /// Whether only processes of this machine can reach it.
    var isLoopback: Bool { SocketAddress(host: host, port: port)?.isLoopback == true }

    /// Whether only a network of one's own can reach it; not where it stands for all addresses.
    var isPrivate: Bool { SocketAddress(host: host, port: port)?.isPrivate == true }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension HostPort {
    /// Reads `ADDRESS:PORT`, an IPv6 address in brackets.
    init(_ text: String) throws(ValueError) {
        let wanted = "an ADDRESS:PORT such as 127.0.0.1:8080 or [::1]:8080"
        guard !text.hasPrefix("unix:") else {
            throw ValueError(text, isNot: wanted + "; only admin_listen takes a Unix socket")
        }
        guard let colon = text.lastIndex(of: ":") else { throw ValueError(text, isNot: wanted) }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw ValueError(text, isNot: wanted + " (ports end at 65535)")
        }
        let address = text[..<colon]
        let host: String
        if address.first == "[", address.last == "]" {
            host = String(address.dropFirst().dropLast())
            guard SocketAddress(host: host, port: port)?.isIPv6 == true else { throw ValueError(text, isNot: wanted) }
        } else {
            host = address == "localhost" ? "127.0.0.1" : address == "*" ? "0.0.0.0" : String(address)
            guard SocketAddress(host: host, port: port)?.isIPv6 == false else { throw ValueError(text, isNot: wanted) }
        }
        self.init(host: host, port: port, isLocalhost: address == "localhost")
    }
}
