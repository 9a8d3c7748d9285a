import Glibc

/// A descriptor that its holders own together: it is closed with the last of them.
public final class Descriptor: Sendable {
    public let number: CInt

    /// Takes over a descriptor that is open.
    public init(owning number: CInt) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// A further descriptor of the same file as `number`; children do not inherit it.
    /// - Parameter least: the lowest number that it may get.
    public convenience init(copying number: CInt, least: CInt = 3) throws(SystemError) {
        self.init(owning: try Self.duplicate(number, least: least))
    }

    /// A further descriptor of the same file, which belongs to the caller.
    public static func duplicate(_ number: CInt, least: CInt = 3) throws(SystemError) -> CInt {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, least)
        guard copy >= 0 else { throw .last("dup") }
        return copy
    }

    /// The open file: equal for all descriptors of one socket or file.
    public struct Identity: Hashable, Sendable {
        private let device: UInt
        private let inode: UInt

        fileprivate init(_ status: stat) {
            (device, inode) = (UInt(status.st_dev), UInt(status.st_ino))
        }
    }

    public var identity: Identity {
        var status = stat()
        // This cannot fail for an open descriptor.
        _ = fstat(number, &status)
        return Identity(status)
    }

    /// Two connected sockets, which children do not inherit, and over which bytes come in the order
    /// in which they were sent.
    public static func pair() throws(SystemError) -> (Descriptor, Descriptor) {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw .last("socketpair")
        }
        return (Descriptor(owning: ends[0]), Descriptor(owning: ends[1]))
    }
}
