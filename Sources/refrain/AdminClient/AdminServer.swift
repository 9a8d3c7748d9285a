import EventLoop

/// Which proxy a command asks, as `--admin` names it: `http://HOST:PORT` or `unix:PATH`.
enum AdminServer: Hashable, Sendable, CustomStringConvertible {
    case tcp(ServerURL)
    case unix(String)

    init(_ text: String) throws(ValueError) {
        if let path = try UnixPath.path(of: text) {
            self = .unix(path)
            return
        }
        let url = try ServerURL(text)
        guard !url.isTLS else { throw ValueError(text, isNot: "an http:// URL; the admin listener speaks no TLS") }
        self = .tcp(url)
    }

    var description: String {
        switch self {
        case .tcp(let url): url.description
        case .unix(let path): UnixPath.prefix + path
        }
    }

    /// What `Host` says.
    var authority: String {
        switch self {
        case .tcp(let url): String(url.description.dropFirst("http://".count))
        case .unix: "localhost"
        }
    }

    func connect(timeout: Duration) throws(BlockingConnection.Failure) -> BlockingConnection {
        switch self {
        case .tcp(let url): try BlockingConnection.open(host: url.host, port: url.port, timeout: timeout)
        case .unix(let path): try BlockingConnection.open(path: path, timeout: timeout)
        }
    }
}
