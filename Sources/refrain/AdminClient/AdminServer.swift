import EventLoop

/// Which proxy a command asks, as `--admin` names it: `http://HOST:PORT` or `unix:PATH`.
typealias AdminServer = AdminSocket<ServerURL>

extension AdminSocket<ServerURL> {
    init(_ text: String) throws(ValueError) {
        try self.init(text) { text throws(ValueError) in
            let url = try ServerURL(text)
            guard !url.isTLS else {
                throw ValueError(
                    text,
                    isNot: "an http:// URL; the admin listener does not support TLS")
            }
            return url
        }
    }

    /// One that listens there, reached from the same machine.
    init(listening address: AdminAddress) {
        switch address {
        case .tcp(let listen):
            let all = ["0.0.0.0": "127.0.0.1", "::": "::1"]
            self = .tcp(ServerURL(isTLS: false, host: all[listen.host] ?? listen.host, port: listen.port))
        case .unix(let path): self = .unix(path)
        }
    }

    /// Value of `Host`.
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
