import EventLoop
import Glibc

/// The listening sockets that the program was started with (sd_listen_fds(3)): they listened before
/// it did, and go on when it has ended, so that no client is refused in between.
struct InheritedSockets: Sendable {
    private var sockets: [SocketAddress: InheritedSocket] = [:]
    /// What is wrong with descriptors that were handed over, in words for the log.
    private(set) var problems: [String] = []

    /// None.
    init() {}

    /// Descriptors that are no listening sockets are closed.
    init(_ descriptors: [(descriptor: CInt, name: String)]) {
        for (descriptor, name) in descriptors {
            guard let socket = InheritedSocket(descriptor: descriptor), sockets[socket.address] == nil else {
                close(descriptor)
                problems.append("inherited descriptor \(descriptor) (\(name)) is no listening socket; closed")
                continue
            }
            sockets[socket.address] = socket
        }
    }

    /// The one that is bound to this address.
    subscript(address: SocketAddress) -> InheritedSocket? { sockets[address] }

    /// The addresses that are not among those, in order.
    func unused(by addresses: [SocketAddress]) -> [SocketAddress] {
        sockets.keys.filter { !addresses.contains($0) }.sorted { $0.description < $1.description }
    }

    /// Lets a socket go that was not asked for at the start.
    mutating func discard(_ address: SocketAddress) {
        sockets.removeValue(forKey: address)?.close()
    }
}

/// What `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES` say.
enum SocketActivation {
    /// Handed-over descriptors begin here.
    static let firstDescriptor: CInt = 3
    /// More are a mistake.
    private static let most = 1024

    /// Descriptors with their names; none where the variables are meant for another process.
    static func descriptors(
        _ environment: (String) -> String?, process: pid_t
    ) -> [(descriptor: CInt, name: String)] {
        guard environment("LISTEN_PID") == String(process),
            let count = environment("LISTEN_FDS").flatMap({ Int($0) }), (1...most).contains(count)
        else { return [] }
        let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            let name = names.indices.contains(index) && !names[index].isEmpty ? String(names[index]) : "unknown"
            return (firstDescriptor + CInt(index), name)
        }
    }

    /// Takes what this process was started with; once, because the variables are removed.
    static func take() -> InheritedSockets {
        let found = descriptors({ name in getenv(name).map { String(cString: $0) } }, process: getpid())
        for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
        return InheritedSockets(found)
    }
}
