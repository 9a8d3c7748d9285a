import Glibc
import Synchronization

/// Writes a log to a descriptor without ever waiting for its reader: lines that the reader does not
/// take are left out, and their number is told with the next one.
///
/// A program that collects logs may stop or be restarted; loops that log must go on meanwhile.
final class LogOutput: Sendable {
    private let descriptor: CInt
    private let isOwn: Bool
    private let lost = Mutex(0)

    /// - Parameter descriptor: stays open for the life of this, and belongs to the caller.
    init(_ descriptor: CInt) {
        var status = stat()
        let isPipe = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        // Opened once more: the flags of the one that is shared are other processes' too.
        let own = isPipe ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1
        isOwn = own >= 0
        self.descriptor = isOwn ? own : descriptor
    }

    deinit { if isOwn { close(descriptor) } }

    /// Writes all of `text`, or nothing where the reader takes nothing now.
    func write(_ text: String) {
        lost.withLock { lost in
            let note =
                lost > 0
                ? "refrain: warn: \(lost) lines were lost before this one because the reader of the "
                    + "log was too slow\n" : ""
            if put(Array((note + text).utf8)) { lost = 0 } else { lost += 1 }
        }
    }

    /// Whether the first bytes were taken; of a line that is cut the rest is left out.
    private func put(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            guard poll(&readiness, 1, 0) > 0 else { break }
            // A pipe that is ready takes so much at once (pipe(7)).
            let count = rest.prefix(Int(PIPE_BUF)).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        return rest.count < bytes.count
    }
}
