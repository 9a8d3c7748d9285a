import EventLoop
import Glibc
import Server

/// The listening sockets that the program was started with (sd_listen_fds(3)): they listened before
/// it did, and go on when it has ended, so that no client is refused in between.
struct InheritedSockets: Sendable {
    /// In the order in which they were handed over. A predecessor with several loops had several of
    /// one address.
    private var sockets: [InheritedSocket] = []
    /// Faults of descriptors that were handed over, for the log.
    private(set) var problems: [String] = []

    /// None.
    init() {}

    /// Descriptors that are no listening sockets are closed.
    /// - Parameter isKept: whether the process that handed a descriptor of this name over keeps it.
    init(_ descriptors: [(descriptor: CInt, name: String)], isKept: (String) -> Bool = { _ in true }) {
        for (descriptor, name) in descriptors {
            if let socket = InheritedSocket(descriptor: descriptor, isKept: isKept(name)) {
                sockets.append(socket)
            } else {
                close(descriptor)
                problems.append("inherited descriptor \(descriptor) (\(name)) is not a listening socket; closed")
            }
        }
    }

    /// Copies of those that a service listens on.
    init(copiedFrom host: ServiceHost?) throws(SystemError) {
        for (_, descriptor) in try host?.copySockets() ?? [] {
            let copy = try Descriptor.duplicate(descriptor.number)
            if let socket = InheritedSocket(descriptor: copy, isKept: false) { sockets.append(socket) }
        }
    }

    /// Notes that every loop that listens by these sockets has its descriptors.
    func settle() {
        for socket in sockets { socket.settle() }
    }

    /// The sockets that are bound to this address and can still be listened on.
    subscript(address: SocketAddress) -> [InheritedSocket] {
        sockets.filter { $0.address == address && $0.isOpen }
    }

    /// The sockets for each address that is to be listened on; in the same order.
    ///
    /// Port 0 means a port that the predecessor got: the first of its host that no other
    /// address names, as both have their addresses in one order.
    func matched(to wanted: [SocketAddress]) -> [[InheritedSocket]] {
        addresses(for: wanted).map { $0.map { self[$0] } ?? [] }
    }

    /// The sockets that none of these addresses is listened on by.
    func unused(by wanted: [SocketAddress]) -> [InheritedSocket] {
        let used = addresses(for: wanted)
        return sockets.filter { !used.contains($0.address) }
    }

    /// Lets a socket go that was not asked for at the start.
    mutating func discard(_ socket: InheritedSocket) {
        socket.close()
        sockets.removeAll { $0 === socket }
    }

    /// Other descriptors of those that another process keeps, be they listened on or not.
    func copyKept() throws(SystemError) -> [Descriptor] {
        try sockets.filter(\.isKept).map { socket throws(SystemError) in try socket.copy() }
    }

    /// The address of a socket for each that is wanted.
    private func addresses(for wanted: [SocketAddress]) -> [SocketAddress?] {
        var found = wanted.map { address in sockets.contains { $0.address == address } ? address : nil }
        let kept = sockets.filter(\.isKept).map(\.address)
        for (number, address) in wanted.enumerated() where address.port == 0 && address.path == nil {
            found[number] = sockets.map(\.address).first { own in
                own.with(port: 0) == address && !found.contains(own) && !kept.contains(own)
            }
        }
        return found
    }
}

/// Descriptors given to a process at its start.
struct Inheritance: Sendable {
    var sockets = InheritedSockets()
    /// The process that this one is to take the place of.
    var predecessor: Predecessor?
}

/// Descriptors by `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`.
enum SocketActivation {
    /// Handed-over descriptors begin here.
    static let firstDescriptor: CInt = 3
    /// The most descriptors that are taken; more are a mistake.
    static let most = 1024

    /// Proof that the variables are for this process, and not for one that passed them on.
    enum Proof {
        /// `LISTEN_PID` has this number.
        case number(pid_t)
        /// The caller compares the maker of one of the descriptors.
        case maker
    }

    /// Descriptors with their names; none without the proof.
    static func descriptors(
        _ environment: (String) -> String?, provenBy proof: Proof
    ) -> [(descriptor: CInt, name: String)] {
        if case .number(let process) = proof, environment("LISTEN_PID") != String(process) { return [] }
        guard let count = environment("LISTEN_FDS").flatMap({ Int($0) }), (1...most).contains(count) else { return [] }
        let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        return (0..<count).map { index in
            let name = names.indices.contains(index) && !names[index].isEmpty ? String(names[index]) : "unknown"
            return (firstDescriptor + CInt(index), name)
        }
    }

    /// Takes the descriptors of this process's start; once, because the variables are removed.
    static func take() -> Inheritance {
        let environment = { @Sendable (name: String) in getenv(name).map { String(cString: $0) } }
        defer {
            let names = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", HandedOver.variable, HandedOver.version]
            for name in names { unsetenv(name) }
        }
        if let handedOver = HandedOver.take(environment) { return handedOver }
        return Inheritance(sockets: InheritedSockets(descriptors(environment, provenBy: .number(getpid()))))
    }
}
