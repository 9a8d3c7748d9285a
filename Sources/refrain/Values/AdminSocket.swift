import EventLoop

/// Where an admin listener is: over TCP, or at the path of a Unix socket.
enum AdminSocket<TCP>: Hashable, Sendable, CustomStringConvertible
where TCP: Hashable & Sendable & CustomStringConvertible {
    case tcp(TCP)
    case unix(String)

    /// Reads `unix:PATH`, or what `tcp` reads.
    init(_ text: String, tcp: (String) throws(ValueError) -> TCP) throws(ValueError) {
        guard text.hasPrefix(unixPrefix) else {
            do throws(ValueError) {
                self = .tcp(try tcp(text))
            } catch {
                throw ValueError(error.message + "; a Unix socket is written unix:PATH")
            }
            return
        }
        let path = String(text.dropFirst(unixPrefix.count))
        guard SocketAddress(path: path) != nil else {
            throw ValueError(text, isNot: "unix: and a path of at most \(SocketAddress.maxPathBytes) bytes")
        }
        self = .unix(path)
    }

    var description: String {
        switch self {
        case .tcp(let address): address.description
        case .unix(let path): unixPrefix + path
        }
    }
}

private let unixPrefix = "unix:"

/// Value of `admin_listen`: `ADDRESS:PORT` or `unix:PATH`.
typealias AdminAddress = AdminSocket<HostPort>

extension AdminSocket<HostPort> {
    init(_ text: String) throws(ValueError) {
        try self.init(text) { text throws(ValueError) in try HostPort(text) }
    }
}
