import Glibc

/// A blocking TCP client on the loopback, for tests that say exactly which bytes go when, and how
/// the connection ends.
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
    public init(port: UInt16, receiveBuffer: CInt? = nil, from host: UInt8 = 1, source: UInt16 = 0) throws {
        descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", errno: errno) }
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        if host != 1 { try bind(to: host, source) }
        var address = RawSocket.loopback(port)
        try connect(&address)
    }

    /// Connects to a Unix socket.
    public init(path: String) throws {
        descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Failure(call: "socket", errno: errno) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
        try connect(&address)
    }

    private func bind(to host: UInt8, _ port: UInt16) throws {
        var address = RawSocket.loopback(port, host: host)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(call: "bind", errno: errno) }
    }

    private func connect<Address>(_ address: inout Address) throws {
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard result == 0 else {
            let failure = Failure(call: "connect", errno: errno)
            close()
            throw failure
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
