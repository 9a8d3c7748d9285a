import Glibc

/// A blocking TCP client on the loopback: exact bytes, and how the connection ends.
public final class RawClient: @unchecked Sendable {  // because a test uses each from one thread at a time
    public struct Failure: Error, CustomStringConvertible {
        public let call: String
        public let errno: CInt
        public var description: String { "\(call): \(String(cString: strerror(errno)))" }
    }

    private var descriptor: CInt

    /// Connects to 127.0.0.1. A small `receiveBuffer` makes a slow reader felt early.
    /// - Parameters:
    ///   - host: the last number of the address of the loopback that it connects from.
    ///   - source: the port that it connects from; the system chooses one for 0.
    public convenience init(port: UInt16, receiveBuffer: CInt? = nil, from host: UInt8 = 1, source: UInt16 = 0) throws {
        try self.init(family: AF_INET)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        if host != 1 { try call("bind", Glibc.bind, RawSocket.loopback(source, host: host)) }
        try call("connect", Glibc.connect, RawSocket.loopback(port))
    }

    /// Connects to a Unix socket.
    public convenience init(path: String) throws {
        try self.init(family: AF_UNIX)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        try call("connect", Glibc.connect, address)
    }

    private init(family: CInt) throws {
        descriptor = socket(family, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", errno: errno) }
    }

    private func call<Address>(
        _ name: String, _ function: (CInt, UnsafePointer<sockaddr>?, socklen_t) -> CInt, _ address: Address
    ) throws {
        guard RawSocket(descriptor: descriptor).succeeds(function, address) else {
            throw Failure(call: name, errno: errno)
        }
    }

    deinit { close() }

    /// Sends all bytes; throws if the peer has gone.
    public func send(_ bytes: [UInt8]) throws {
        guard RawSocket(descriptor: descriptor).send(bytes) else { throw Failure(call: "send", errno: errno) }
    }

    public func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Reads until `count` bytes have come, the peer ends, or nothing has come for `patience`.
    public func read(_ count: Int = .max, patience: Duration = .seconds(Patience.seconds(20))) -> [UInt8] {
        var received: [UInt8] = []
        while received.count < count {
            let some = readSome(count - received.count, patience: patience)
            if some.isEmpty { break }
            received += some
        }
        return received
    }

    /// Bytes that have come, or come within `patience`; none at the end.
    public func readSome(_ most: Int = .max, patience: Duration = .seconds(Patience.seconds(20))) -> [UInt8] {
        (sawEnd, wasReset) = (false, false)
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&poller, 1, CInt(patience / .milliseconds(1))) > 0 else { return [] }
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        let result = recv(descriptor, &chunk, min(chunk.count, most), 0)
        (sawEnd, wasReset) = (result == 0, result < 0)
        return Array(chunk[..<max(0, result)])
    }

    /// Reads until the peer ends, or nothing has come for `patience`; `ended` tells a proper end
    /// (FIN) from a reset and from a peer that keeps the connection.
    public func readToEnd(patience: Duration = .seconds(Patience.seconds(20))) -> (bytes: [UInt8], ended: Bool) {
        (read(patience: patience), sawEnd)
    }

    /// The last `read` ended with the end of the stream.
    public private(set) var sawEnd = false
    /// The last `read` ended with an error, not with the end of the stream.
    public private(set) var wasReset = false

    /// Ends our side; the peer can still send.
    public func finishSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Closes with a reset (RST).
    public func reset() {
        RawSocket(descriptor: descriptor).resetAtClose()
        close()
    }

    public func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }
}
