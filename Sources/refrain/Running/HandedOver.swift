import CLinux
import EventLoop
import Glibc

// Descriptors for the process that is to take a proxy's place: from 3 on, told by name.
//
// The parent of a process that posix_spawn(3) starts does not know its number in time for
// `LISTEN_PID`. So a variable of our own names the parent, and the child looks whether that process
// made the socket pair of which it was given one end: an environment that was passed on to another
// process proves nothing, and the proof holds when the parent has died meanwhile.

/// A descriptor on its way.
struct HandedOver: Sendable {
    /// The descriptor's purpose.
    enum Role: String {
        /// The child's end of the pair over which both talk.
        case control
        /// The lock of the cache file.
        case lock
        /// A listening socket of the proxy's own.
        case own
        /// A listening socket that a service manager keeps.
        case kept
    }

    /// Names the process that hands over.
    static let variable = "REFRAIN_UPGRADE"
    /// Names the process again, and after a colon the messages that it knows: 2 or more for those
    /// beyond 1.0.0, which takes any of them for the end of its successor. The number keeps a
    /// process of 1.0.0 from vouching for its own successor with a variable that it passes on.
    static let version = "REFRAIN_UPGRADE_VERSION"

    let role: Role
    let descriptor: Descriptor

    /// Variables of the child beside those of this process.
    static func variables(_ all: [HandedOver], from process: pid_t) -> [String] {
        [
            "\(variable)=\(process)", "\(version)=\(process):2", "LISTEN_FDS=\(all.count)",
            "LISTEN_FDNAMES=" + all.map(\.role.rawValue).joined(separator: ":"),
        ]
    }

    /// Descriptors as another proxy has handed them to this process.
    struct Offer {
        /// The one that hands over.
        let process: pid_t
        /// This process's end of the pair.
        let control: CInt
        let others: [(descriptor: CInt, name: String)]
        /// Whether the other one knows the messages beyond 1.0.0.
        let isRecent: Bool
    }

    /// Looks at the variables of this process's start, and changes nothing; nil where it is not
    /// started by another proxy.
    static func offer(_ environment: (String) -> String?) -> Offer? {
        guard let process = environment(variable).flatMap({ pid_t($0) }), process > 0 else { return nil }
        let found = SocketActivation.descriptors(environment, provenBy: .maker)
        guard let control = found.first(where: { $0.name == Role.control.rawValue })?.descriptor,
            clinux_peer_process(control) == process
        else { return nil }
        return Offer(
            process: process, control: control, others: found.filter { $0.descriptor != control },
            isRecent: isRecent(environment(version) ?? "", process))
    }

    private static func isRecent(_ text: String, _ process: pid_t) -> Bool {
        let parts = text.split(separator: ":")
        guard parts.count == 2, parts[0] == "\(process)", let messages = Int(parts[1]) else { return false }
        return messages >= 2
    }

    /// Takes the descriptors handed to this process; nil where it is not started by another proxy.
    static func take(_ environment: (String) -> String?) -> Inheritance? {
        guard let offer = offer(environment) else { return nil }
        let (control, others) = (offer.control, offer.others)
        for descriptor in [control] + others.map(\.descriptor) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let lock = others.first { $0.name == Role.lock.rawValue }?.descriptor
        let sockets = InheritedSockets(others.filter { $0.descriptor != lock }) { $0 == Role.kept.rawValue }
        let predecessor = Predecessor(
            offer.process, UpgradeChannel(Descriptor(owning: control)), lock: lock.map { Descriptor(owning: $0) },
            isRecent: offer.isRecent)
        return Inheritance(sockets: sockets, predecessor: predecessor)
    }
}
