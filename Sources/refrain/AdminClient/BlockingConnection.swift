import Glibc

// A TCP connection for commands that ask a running proxy one question and end. It blocks, with a time limit on every
// wait; the proxy itself uses `EventLoop.Stream`.

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
                return try BlockingConnection(entry.pointee, timeout: timeout)
            } catch {
                problem = error
            }
            next = entry.pointee.ai_next
        }
        throw problem
    }

    private init(_ entry: addrinfo, timeout: Duration) throws(FileProblem) {
        let kind = entry.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        descriptor = socket(entry.ai_family, kind, entry.ai_protocol)
        self.timeout = timeout
        guard descriptor >= 0 else { throw .lastError() }
        guard connect(descriptor, entry.ai_addr, entry.ai_addrlen) != 0 else { return }
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
