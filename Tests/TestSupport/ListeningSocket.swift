import Foundation

/// A socket on which a process accepts connections.
public struct ListeningSocket: Sendable {
    public let inode: String
    /// HOST:PORT, or the path of a Unix socket.
    public let address: String

    /// The listening sockets of a process by descriptor; none where /proc denies access.
    public static func all(of process: pid_t) -> [ListeningSocket] {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let links = names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
        // The columns of address, state and inode, and the state of a listening socket.
        let tables = [("tcp", 1, 3, 9, "0A"), ("tcp6", 1, 3, 9, "0A"), ("unix", 7, 3, 6, "00010000")]
        let listening = tables.flatMap { table, address, state, inode, wanted in
            let text = RunningProcess.content(of: "net/\(table)", of: process)
            return text.split(separator: "\n").compactMap { line -> ListeningSocket? in
                let words = line.split(separator: " ")
                guard words.count > inode, words[state] == wanted else { return nil }
                let name = words.count > address ? String(words[address]) : "a socket without a name"
                return ListeningSocket(
                    inode: "socket:[\(words[inode])]", address: table == "unix" ? name : Self.address(name))
            }
        }
        return links.compactMap { link in listening.first { $0.inode == link } }.sorted { $0.inode < $1.inode }
    }

    /// 0100007F:1F90 is 127.0.0.1:8080; an address of IPv6 stays as it is.
    private static func address(_ text: String) -> String {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1], radix: 16) else { return text }
        guard parts[0].count == 8, let host = UInt32(parts[0], radix: 16) else { return "[\(parts[0])]:\(port)" }
        return (0..<4).map { "\(host >> (8 * UInt32($0)) & 0xFF)" }.joined(separator: ".") + ":\(port)"
    }
}
