import EventLoop

/// What `admin_listen` says: an address and a port, or the path of a Unix socket.
enum AdminAddress: Hashable, Sendable, CustomStringConvertible {
    case tcp(HostPort)
    case unix(String)

    /// Reads `ADDRESS:PORT` or `unix:PATH`.
    init(_ text: String) throws(ValueError) {
        if let path = try UnixPath.path(of: text) {
            self = .unix(path)
        } else {
            self = .tcp(try HostPort(text))
        }
    }

    var description: String {
        switch self {
        case .tcp(let address): address.description
        case .unix(let path): UnixPath.prefix + path
        }
    }
}

/// `unix:PATH`, as in `admin_listen` and `--admin`.
enum UnixPath {
    static let prefix = "unix:"

    /// The path; nil for what does not begin so.
    static func path(of text: String) throws(ValueError) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let path = String(text.dropFirst(prefix.count))
        guard SocketAddress(path: path) != nil else {
            throw ValueError(text, isNot: "unix: and a path of at most \(SocketAddress.maxPathBytes) bytes")
        }
        return path
    }
}
