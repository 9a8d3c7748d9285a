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
        if let path = try UnixPath.read(text), let address = SocketAddress(path: path) {
            self.init(address: address)
            return
        }
        do throws(ValueError) {
            try self.init(text)
        } catch {
            throw UnixPath.hint(after: error)
        }
    }
}

/// A Unix socket as `admin_listen` and `--admin` name it: `unix:PATH`.
enum UnixPath {
    /// The path; nil where the text names no Unix socket.
    static func read(_ text: String) throws(ValueError) -> String? {
        guard text.hasPrefix("unix:") else { return nil }
        let path = String(text.dropFirst("unix:".count))
        guard SocketAddress(path: path) != nil else {
            throw ValueError(text, isNot: "unix: and a path of at most \(SocketAddress.maxPathBytes) bytes")
        }
        return path
    }

    /// The error about a text that names no Unix socket.
    static func hint(after error: ValueError) -> ValueError {
        ValueError(error.message + "; a Unix socket is written unix:PATH")
    }
}
