import EventLoop

/// Which proxy a command asks, as `--admin` names it: `http://HOST:PORT` or `unix:PATH`.
typealias AdminServer = AdminSocket<ServerURL>

extension AdminSocket<ServerURL> {
    init(_ text: String) throws(ValueError) {
        try self.init(text) { text throws(ValueError) in
            let url = try ServerURL(text)
            guard !url.isTLS else { throw ValueError(text, isNot: "an http:// URL; the admin listener speaks no TLS") }
            return url
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
