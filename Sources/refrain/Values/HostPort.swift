import EventLoop

// Addresses to listen on, as written in `listen`, `admin_listen` and `--listen`.

/// A literal IP address and a port; for `admin_listen` possibly the path of a Unix socket.
struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// `localhost` became 127.0.0.1 and `*` 0.0.0.0; port 0 lets the system choose.
    let address: SocketAddress
    /// Whether it was written `localhost`, a name that has an IPv6 address too.
    var isLocalhost = false

    /// The addresses to listen on: those of `localhost` that this machine has, else the one.
    var all: [SocketAddress] {
        guard isLocalhost, let other = SocketAddress(host: "::1", port: address.port),
            Listener.isOfThisMachine(other.with(port: 0))
        else { return [address] }
        return [address, other]
    }

    var description: String { address.description }
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
        let name = text[..<colon]
        let isBracketed = name.first == "[" && name.last == "]"
        let names = ["localhost": "127.0.0.1", "*": "0.0.0.0"]
        let host = names[String(name)] ?? String(isBracketed ? name.dropFirst().dropLast() : name)
        guard let address = SocketAddress(host: host, port: port), address.isIPv6 == isBracketed else {
            throw ValueError(text, isNot: wanted)
        }
        self.init(address: address, isLocalhost: name == "localhost")
    }

    /// Reads `ADDRESS:PORT` or `unix:PATH`.
    init(admin text: String) throws(ValueError) {
        self = try UnixPath.read(text, { HostPort(address: $0) }, or: HostPort.init(_:))
    }
}

/// A Unix socket as `admin_listen` and `--admin` name it: `unix:PATH`.
enum UnixPath {
    /// The value of the socket's address; `other` reads a text that names no Unix socket.
    static func read<Value>(
        _ text: String, _ value: (SocketAddress) -> Value, or other: (String) throws(ValueError) -> Value
    ) throws(ValueError) -> Value {
        guard text.hasPrefix("unix:") else {
            do throws(ValueError) {
                return try other(text)
            } catch {
                throw ValueError(error.message + "; a Unix socket is written unix:PATH")
            }
        }
        guard let address = SocketAddress(path: String(text.dropFirst("unix:".count))) else {
            throw ValueError(text, isNot: "unix: and a path of at most \(SocketAddress.maxPathBytes) bytes")
        }
        return value(address)
    }
}
