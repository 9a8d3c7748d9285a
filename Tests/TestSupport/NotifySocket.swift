import Foundation

/// The socket on which a service manager hears of its service.
public final class NotifySocket {
    private let descriptor: CInt

    /// - Parameter path: its first byte is NUL for an abstract name.
    public init(_ path: [UInt8]) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(2 + path.count + (path[0] == 0 ? 0 : 1))
        let isBound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
    }

    deinit { close(descriptor) }

    /// The next message; empty where none comes within `milliseconds`.
    public func receive(within milliseconds: CInt = 0) -> String {
        let socket = RawSocket(descriptor: descriptor)
        guard socket.hasInput(within: milliseconds), let bytes = socket.receive() else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
