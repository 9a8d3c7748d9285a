import Foundation
import Synchronization

/// Ports of 127.0.0.1 below those that the kernel hands to clients: ten thousand of these must not
/// be in the way.
enum Ports {
    private static let range = 21_000..<22_000
    private static let next = Mutex(range.lowerBound)

    /// A port that no process listens on, and that was not handed out before.
    static func free() throws -> Int {
        try next.withLock { next in
            while next < range.upperBound {
                defer { next += 1 }
                if !isTaken(next) { return next }
            }
            throw BenchError("no port of \(range) is free")
        }
    }

    /// Whether a process takes connections there.
    static func isTaken(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

/// How many descriptors this process and its children may have.
enum FileDescriptors {
    /// Raised as far as an ordinary process may, once.
    static let limit: Int = {
        var limits = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        limits.rlim_cur = limits.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
        return Int(min(limits.rlim_cur, 1 << 20))
    }()
}
