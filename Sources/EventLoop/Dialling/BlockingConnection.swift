import Glibc

// A connection for programs that ask a server something and wait for it, with a time limit on every
// wait; servers use `Stream`.

/// A socket that blocks.
public struct BlockingConnection: ~Copyable {
    /// Why it could not be opened, or is of no use any more.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// In words, without the name of the call: `Connection refused`.
        public let description: String

        public init(_ description: String) {
            self.description = description
        }

        /// The error of the last call, by errno.
        static func last() -> Failure { Failure(String(cString: strerror(errno))) }
    }

    private let descriptor: Int32
    /// For every wait from now on.
    public var timeout: Duration

    /// Tries the addresses of `host` in turn, `timeout` for each; throws the problem with the last.
    public static func open(
        host: String, port: UInt16, timeout: Duration
    ) throws(Failure) -> BlockingConnection {
        var problem = Failure("no address")
        for address in try Resolver.addresses(of: host, flags: 0).mapError({ Failure($0.reason) }).get() {
            do throws(Failure) {
                return try open(address.with(port: port), timeout)
            } catch {
                problem = error
            }
        }
        throw problem
    }

    /// Connects to a Unix socket.
    public static func open(path: String, timeout: Duration) throws(Failure) -> BlockingConnection {
        guard let address = SocketAddress(path: path) else { throw Failure("no path of a socket") }
        return try open(address, timeout)
    }

    private static func open(_ address: SocketAddress, _ timeout: Duration) throws(Failure) -> BlockingConnection {
        let connection = try BlockingConnection(family: address.family, timeout: timeout)
        try address.withSockaddr { (address, length) throws(Failure) in
            try connection.connect(to: address, length)
        }
        return connection
    }

    private init(family: Int32, timeout: Duration) throws(Failure) {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(family, kind, 0)
        self.timeout = timeout
        guard descriptor >= 0 else { throw .last() }
    }

    private func connect(to address: UnsafePointer<sockaddr>, _ length: socklen_t) throws(Failure) {
        guard Glibc.connect(descriptor, address, length) != 0 else { return }
        guard errno == EINPROGRESS || errno == EINTR else { throw .last() }
        try wait(for: POLLOUT)
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
        guard code == 0 else { throw Failure(String(cString: strerror(code))) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether the process at the other end of a Unix socket is of a user that is trusted at this
    /// path: root, this one, or the owner of a folder that others cannot write to.
    public func leadsToTrusted(_ path: String) -> Bool {
        guard let user = Socket.peerUserID(descriptor), let folder = try? OpenFolder(FilePath.folder(of: path)) else {
            return false
        }
        return FileTrust.ofThisProcess.trusts(user, listeningIn: folder.facts)
    }

    /// Writes all of it.
    public func send(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { rest = rest.dropFirst(count) } else { try waitIfBlocked(for: POLLOUT) }
        }
    }

    /// The next bytes, up to 64 KiB; empty at the end.
    public func receive() throws(Failure) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &chunk, chunk.count, 0)
            if count >= 0 { return Array(chunk[..<count]) }
            try waitIfBlocked(for: POLLIN)
        }
    }

    /// Waits until `receive` has bytes, the end or an error to tell; false where that takes longer
    /// than `limit`, in whole milliseconds.
    public func canReceive(within limit: Duration) throws(Failure) -> Bool {
        try wait(for: POLLIN, limit)
    }

    private func waitIfBlocked(for events: Int32) throws(Failure) {
        switch errno {
        case EINTR: return
        case EAGAIN: try wait(for: events)
        default: throw .last()
        }
    }

    private func wait(for events: Int32) throws(Failure) {
        guard try wait(for: events, timeout) else {
            throw Failure("no answer within \(timeout.components.seconds) s")
        }
    }

    /// False where nothing has happened by then.
    private func wait(for events: Int32, _ limit: Duration) throws(Failure) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        let milliseconds = Int32(clamping: limit.wholeNanoseconds / 1_000_000)
        while true {
            let count = poll(&entry, 1, milliseconds)
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { throw .last() }
        }
    }
}
