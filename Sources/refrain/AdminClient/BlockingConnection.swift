import EventLoop
import Glibc

// A connection for commands that ask a running proxy one question and end. It blocks, with a time
// limit on every wait; the proxy itself uses `EventLoop.Stream`.

struct BlockingConnection: ~Copyable {
    private let descriptor: Int32
    /// For every wait from now on.
    var timeout: Duration

    /// Tries the addresses of `host` in turn, `timeout` for each; throws the problem with the last.
    static func open(
        host: String, port: UInt16, timeout: Duration
    ) throws(FileProblem) -> BlockingConnection {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw FileProblem(String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var problem = FileProblem("no address")
        var next = list
        while let entry = next {
            do throws(FileProblem) {
                let connection = try BlockingConnection(family: entry.pointee.ai_family, timeout: timeout)
                try connection.connect(to: entry.pointee.ai_addr, entry.pointee.ai_addrlen)
                return connection
            } catch {
                problem = error
            }
            next = entry.pointee.ai_next
        }
        throw problem
    }

    /// Connects to a Unix socket.
    static func open(path: String, timeout: Duration) throws(FileProblem) -> BlockingConnection {
        guard let address = SocketAddress(path: path) else { throw FileProblem("no path of a socket") }
        let connection = try BlockingConnection(family: AF_UNIX, timeout: timeout)
        try address.withSockaddr { (address, length) throws(FileProblem) in
            try connection.connect(to: address, length)
        }
        return connection
    }

    private init(family: Int32, timeout: Duration) throws(FileProblem) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(family, kind, 0)
        self.timeout = timeout
        guard descriptor >= 0 else { throw .lastError() }
    }

    private func connect(to address: UnsafePointer<sockaddr>, _ length: socklen_t) throws(FileProblem) {
        guard Glibc.connect(descriptor, address, length) != 0 else { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw .lastError() }
        try wait(for: POLLOUT)
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw FileProblem(String(cString: strerror(code))) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes all of it.
    func send(_ bytes: [UInt8]) throws(FileProblem) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) } else { try waitIfBlocked(for: POLLOUT) }
        }
    }

    /// The next bytes, up to 64 KiB; empty at the end.
    func receive() throws(FileProblem) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count >= 0 { return Array(chunk[..<count]) }
            try waitIfBlocked(for: POLLIN)
        }
    }

    private func waitIfBlocked(for events: Int32) throws(FileProblem) {
        switch errno {
        case EINTR: return
        case EAGAIN: try wait(for: events)
        default: throw .lastError()
        }
    }

    private func wait(for events: Int32) throws(FileProblem) {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let milliseconds = Int32(clamping: timeout.components.seconds * 1000)
        while true {
            let count = poll(&entry, 1, milliseconds)
            if count > 0 { return }
            guard count < 0, errno == EINTR else {
                throw count == 0 ? FileProblem("no answer within \(timeout.components.seconds) s") : .lastError()
            }
        }
    }
}
