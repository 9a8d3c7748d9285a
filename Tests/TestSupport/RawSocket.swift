import Foundation

/// A blocking TCP socket on the loopback, by its descriptor. It uses none of the code under test.
/// Its owner closes it.
public struct RawSocket: Sendable {
    public let descriptor: CInt

    public init(descriptor: CInt) { self.descriptor = descriptor }

    /// A program that a test starts meanwhile must not hold a connection open.
    private init() throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure }
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL) }

    static func loopback(_ port: UInt16, host: UInt8 = 1) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(host)).bigEndian
        return address
    }

    /// Listens on a port, 0 for a free one, of 127.0.0.`host`.
    public static func listening(on host: UInt8 = 1, port: UInt16 = 0) throws -> (socket: RawSocket, port: UInt16) {
        let socket = try RawSocket()
        var (address, length) = (loopback(port, host: host), socklen_t(MemoryLayout<sockaddr_in>.size))
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket.descriptor, $0, length) == 0 && listen(socket.descriptor, 1024) == 0
                    && getsockname(socket.descriptor, $0, &length) == 0
            }
        }
        guard isListening else { throw failure }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// A port that nothing listens on now.
    public static func freePort() throws -> UInt16 {
        let (socket, port) = try listening()
        socket.close()
        return port
    }

    /// Connects to a port; nil where nothing listens there.
    public static func connected(to port: UInt16) -> RawSocket? {
        guard let socket = try? RawSocket() else { return nil }
        if socket.succeeds(connect, loopback(port)) { return socket }
        socket.close()
        return nil
    }

    /// Whether a call of the system succeeds with an address.
    func succeeds<Address>(_ call: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, _ address: Address) -> Bool {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    /// Waits for the next connection; nil once the socket is shut down.
    func accept() -> RawSocket? {
        let client = Foundation.accept(descriptor, nil, nil)
        guard client >= 0 else { return nil }
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        return RawSocket(descriptor: client)
    }

    /// The next bytes, at most `most`; none at the end, nil after a failure.
    public func receive(_ most: Int = 65_536) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = recv(descriptor, &buffer, most, 0)
        return count < 0 ? nil : Array(buffer[..<count])
    }

    /// Takes all that comes, until the end.
    public func receiveToEnd() { while let bytes = receive(), !bytes.isEmpty {} }

    /// Sends all bytes; false where the peer has gone.
    /// - Parameter took: is told of each part how many bytes the kernel has taken.
    public func send(_ bytes: [UInt8], _ took: (Int) -> Void = { _ in }) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress! + sent, $0.count - sent, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
            took(count)
        }
        return true
    }

    /// Whether bytes or the end come within `milliseconds`.
    public func hasInput(within milliseconds: CInt) -> Bool {
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&poller, 1, milliseconds) > 0
    }

    /// Has `close` end the connection with a reset (RST).
    public func resetAtClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Ends one side, `SHUT_RD` or `SHUT_WR`, or both, which wakes every waiting thread.
    public func end(_ sides: Int = Int(SHUT_RDWR)) { shutdown(descriptor, CInt(sides)) }

    public func close() { _ = Foundation.close(descriptor) }
}
