import EventLoop
import Foundation
import Synchronization

/// Ports of 127.0.0.1 below those that the kernel hands to clients: ten thousand of these must not
/// be in the way.
enum Ports {
    private static let range = 21_000..<30_000
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

    static func isTaken(_ port: Int) -> Bool {
        do {
            _ = try BlockingConnection.open(host: "127.0.0.1", port: UInt16(port), timeout: .seconds(5))
            return true
        } catch {
            return false
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
