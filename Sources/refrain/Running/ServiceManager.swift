import CLinux
import Glibc

/// Tells the service manager the state of the program (sd_notify(3)): a datagram an event to the
/// socket that `NOTIFY_SOCKET` names. Without one nothing is sent.
struct ServiceManager: Sendable {
    /// A path, or with `@` first a name in the abstract namespace.
    private let address: String?
    /// How often it wants to hear that the program is alive; nil: not at all.
    let watchdogInterval: Duration?
    /// For the environment of a process that is to take the place of this one.
    let variablesForSuccessor: [String]

    init(_ environment: (String) -> String?, process: pid_t) {
        address = environment("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForThis = environment("WATCHDOG_PID").map { $0 == String(process) } ?? true
        let microseconds = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
        watchdogInterval = isForThis && microseconds > 0 ? .microseconds(microseconds) : nil
        variablesForSuccessor =
            (address.map { ["NOTIFY_SOCKET=\($0)"] } ?? [])
            + (watchdogInterval == nil ? [] : ["WATCHDOG_USEC=\(microseconds)"])
    }

    /// The one that has started this process. Of its children only a successor finds it in its
    /// environment.
    static func ofThisProcess() -> ServiceManager {
        let manager = ServiceManager({ name in getenv(name).map { String(cString: $0) } }, process: getpid())
        for name in ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"] { unsetenv(name) }
        return manager
    }

    /// True if it was handed over. A service manager that does not listen is no reason to stop.
    @discardableResult
    func tell(_ event: Event) -> Bool {
        guard let address else { return false }
        let descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        var path = Array(address.utf8)
        guard path.count < MemoryLayout.size(ofValue: name.sun_path) else { return false }
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
        // An abstract name ends where the length says, a path at its NUL.
        let length = MemoryLayout<sa_family_t>.size + path.count + (path[0] == 0 ? 0 : 1)
        let message = Array(event.message.utf8)
        let sent = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, message, message.count, CInt(MSG_NOSIGNAL), $0, socklen_t(length))
            }
        }
        return sent == message.count
    }
}

extension ServiceManager {
    enum Event: Equatable {
        /// It listens; also after a reload.
        case ready(status: String)
        /// A reload begins, at this time of the monotonic clock.
        case reloading(monotonicMicroseconds: Int64)
        case stopping(status: String)
        /// Another process is the service from now on. The last that this one says.
        case replaced(by: pid_t)
        /// Every loop answers.
        case alive

        /// Lines of assignments; a status is one line.
        var message: String {
            switch self {
            case .ready(let status): "READY=1\nSTATUS=\(Self.line(status))"
            case .reloading(let time): "RELOADING=1\nMONOTONIC_USEC=\(time)"
            case .stopping(let status): "STOPPING=1\nSTATUS=\(Self.line(status))"
            case .replaced(let process): "MAINPID=\(process)"
            case .alive: "WATCHDOG=1"
            }
        }

        /// Half of the 4096 bytes from which on systemd ignores a message as a whole, its READY=1
        /// and STOPPING=1 too: a reload would never end for it.
        static let mostStatusBytes = 2048

        private static func line(_ text: String) -> String {
            String(text.map { $0.isNewline ? " " : $0 }).cut(toBytes: mostStatusBytes)
        }
    }
}
