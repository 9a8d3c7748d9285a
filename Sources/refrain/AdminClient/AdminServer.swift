import EventLoop

/// Which proxy a command asks, as `--admin` names it: `http://HOST:PORT` or `unix:PATH`.
enum AdminServer: Hashable, Sendable, CustomStringConvertible {
    case tcp(Endpoint)
    case unix(String)

    init(_ text: String) throws(ValueError) {
        if let path = try UnixPath.read(text) {
            self = .unix(path)
            return
        }
        do throws(ValueError) {
            let server = try Endpoint(url: text)
            guard !server.isTLS else {
                throw ValueError(text, isNot: "an http:// URL; the admin listener does not support TLS")
            }
            self = .tcp(server)
        } catch {
            throw UnixPath.hint(after: error)
        }
    }

    /// The admin surface that listens there, reached from the same machine.
    init(listening place: HostPort) {
        let (host, port) = (place.address.host, place.address.port)
        let all = ["0.0.0.0": "127.0.0.1", "::": "::1"]
        self =
            place.address.path.map(AdminServer.unix)
            ?? .tcp(Endpoint(isTLS: false, host: all[host] ?? host, port: port))
    }

    var description: String {
        switch self {
        case .tcp(let server): server.url
        case .unix(let path): "unix:" + path
        }
    }

    /// Value of `Host`.
    var authority: String {
        switch self {
        case .tcp(let server): String(server.url.dropFirst("http://".count))
        case .unix: "localhost"
        }
    }

    func connect(timeout: Duration) throws(BlockingConnection.Failure) -> BlockingConnection {
        switch self {
        case .tcp(let server): try BlockingConnection.open(host: server.host, port: server.port, timeout: timeout)
        case .unix(let path): try BlockingConnection.open(path: path, timeout: timeout)
        }
    }
}
