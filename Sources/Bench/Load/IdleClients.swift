import Glibc
import HTTP

/// Ten thousand clients that have each been answered once and then do nothing, in a process of
/// their own: a process may have no more descriptors than that leaves.
///
/// What must hold: they cost nothing while others are measured, so all of them are waited for in
/// one call; and they come from several addresses of this machine, because a server gives one
/// address only a part of what it has.
final class IdleClients {
    private let port: UInt16
    private let request: [UInt8]
    private var sockets: [Int32] = []

    /// Of 127.0.0.2 and the next ones.
    private static let addresses = 10

    init(port: Int, target: String) throws {
        guard let port = UInt16(exactly: port) else { throw BenchError("\(port) is no port") }
        self.port = port
        request = Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n\r\n".utf8)
    }

    deinit {
        for socket in sockets { close(socket) }
    }

    /// One after another; each has had its answer at the end.
    func join(_ count: Int) throws {
        for number in 0..<count {
            let socket = try connected(from: UInt32(0x7F00_0002 + number % Self.addresses))
            sockets.append(socket)
            try ask(socket)
        }
    }

    /// Returns when any of them hears of its server again, which then has closed it.
    func waitUntilOneEnds() {
        var entries = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&entries, nfds_t(entries.count), -1) < 0, errno == EINTR {}
    }

    private func connected(from source: UInt32) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw BenchError("no socket, errno \(errno)") }
        let own = Self.address(source, 0)
        let server = Self.address(0x7F00_0001, port)
        guard Self.call(own, { bind(descriptor, $0, $1) }) == 0, Self.call(server, { connect(descriptor, $0, $1) }) == 0
        else {
            let reason = errno
            close(descriptor)
            throw BenchError("client \(sockets.count): \(String(cString: strerror(reason)))")
        }
        return descriptor
    }

    private func ask(_ descriptor: Int32) throws {
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            throw BenchError("client \(sockets.count): errno \(errno)")
        }
        var (reader, chunk) = (AnswerReader(), [UInt8](repeating: 0, count: 16 << 10))
        reader.begin(keepsContent: false)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { throw BenchError("client \(sockets.count) got no answer") }
            if try reader.take(chunk.span.extracting(0..<count)) != nil { break }
        }
        guard reader.status == 200 else { throw BenchError("client \(sockets.count): answered \(reader.status)") }
    }

    private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian, sin_addr: in_addr(s_addr: host.bigEndian),
            sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    }

    private static func call(
        _ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
