import EventLoop
import Glibc
import Server
import Text

// The user of the process at the other end of a connection of this machine.
// Must hold: only the kernel's word counts, and where it has none, the answer is no. A socket that
// its process has closed is listed with user 0 (proc_net_tcp): it must never pass for root's. Any
// process of this machine can have it asked, so the question is about one socket.

enum PeerOwner: Equatable {
    /// Root, or the user of this process.
    case trusted
    /// Another user, by its number; nil where it cannot be found out.
    case other(UInt32?)

    init(_ peer: ConnectionPeer) {
        let user = peer.unixUserID ?? Self.userID(of: peer)
        self = user == 0 || user == geteuid() ? .trusted : .other(user)
    }

    /// For the message of a refusal.
    var words: String {
        switch self {
        case .trusted: geteuid() == 0 ? "root" : "root or user \(geteuid())"
        case .other(let user): user.map { "user \($0)" } ?? "an unknown user"
        }
    }

    /// The user of a TCP peer on this machine; nil where it cannot be found out.
    private static func userID(of peer: ConnectionPeer) -> UInt32? {
        guard let theirs = peer.address, let ours = peer.localAddress, theirs.isLoopback, ours.isLoopback else {
            return nil
        }
        switch SocketOwner(of: theirs, connectedTo: ours) {
        case .user(let user): return user
        case .none: return nil
        case .unknown: return userByTable(of: theirs, connectedTo: ours)
        }
    }

    /// The table's answer, for kernels and units that allow no netlink socket. Reading it costs the
    /// more, the more connections the machine has.
    private static func userByTable(of theirs: SocketAddress, connectedTo ours: SocketAddress) -> UInt32? {
        // A program may reach an IPv4 address through an IPv6 socket.
        for path in ["/proc/self/net/tcp", "/proc/self/net/tcp6"] {
            guard let table = KernelFile.read(path) else { continue }
            if let user = SocketTable.owner(of: theirs, connectedTo: ours, in: table) { return user }
        }
        return nil
    }
}

/// The kernel's table of TCP sockets, as /proc/self/net/tcp and /proc/self/net/tcp6 show it.
enum SocketTable {
    /// The user of the open, connected socket with this address at its own end and that one at the
    /// other; nil where there is none.
    static func owner(of local: SocketAddress, connectedTo remote: SocketAddress, in table: [UInt8]) -> UInt32? {
        let ports = (portText(of: local), portText(of: remote))
        var rest = table[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            guard hasPorts(ports, line) else { continue }
            let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 10)
            guard columns.count > 9, columns[3].elementsEqual(established),
                address(columns[1]) == local, address(columns[2]) == remote
            else { continue }
            // No inode: the process has let go of it, and its user is not known any more.
            guard let inode = number(columns[9]), inode != 0, let user = number(columns[7]) else { return nil }
            return UInt32(exactly: user)
        }
        return nil
    }

    /// Whether these follow the second and the third colon: very many lines are of other sockets.
    private static func hasPorts(_ ports: ([UInt8], [UInt8]), _ line: ArraySlice<UInt8>) -> Bool {
        func port(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
            text.firstIndex(of: UInt8(ascii: ":")).map { text[($0 + 1)...] }
        }
        guard let local = port(in: line).flatMap(port), local.starts(with: ports.0) else { return false }
        return port(in: local)?.starts(with: ports.1) ?? false
    }

    private static func portText(of address: SocketAddress) -> [UInt8] {
        let digits = String(address.port, radix: 16, uppercase: true)
        return Array((String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
    }

    private static let established = "01".utf8

    /// `0100007F:1F91`: each 32 bits of the address as a number in the machine's order, and the
    /// port. An IPv4 address that is written as an IPv6 one is the IPv4 address.
    private static func address(_ text: ArraySlice<UInt8>) -> SocketAddress? {
        let parts = text.split(separator: UInt8(ascii: ":"))
        guard parts.count == 2, [8, 32].contains(parts[0].count), parts[1].count == 4,
            let port = number(parts[1], radix: 16)
        else { return nil }
        var bytes: [UInt8] = []
        for start in stride(from: parts[0].startIndex, to: parts[0].endIndex, by: 8) {
            guard let word = number(parts[0][start..<(start + 8)], radix: 16) else { return nil }
            withUnsafeBytes(of: UInt32(word)) { bytes.append(contentsOf: $0) }
        }
        let isMapped =
            bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return SocketAddress(bytes: isMapped ? bytes[12...] : bytes[...], port: UInt16(port))
    }

    /// A number without the sign that `UInt64` takes: no sign is a digit, whatever the radix.
    private static func number(_ text: ArraySlice<UInt8>, radix: Int = 10) -> UInt64? {
        guard text.allSatisfy({ Hexadecimal.value($0) != nil }) else { return nil }
        return UInt64(String(decoding: text, as: UTF8.self), radix: radix)
    }
}
