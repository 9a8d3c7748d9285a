import Dispatch
import Glibc
import Synchronization
import Text

/// A file of all requests that failed, one JSON object a line (`--failed`).
///
/// Lines are written on a queue of their own: the generator never waits for a disk. At most
/// `mostHeld` bytes wait; further lines are left out and counted.
public final class FailedRequestFile: Sendable {
    private struct State {
        var lines: [UInt8] = []
        var isWriting = false
        var leftOut = 0
        var problem: CInt?
    }

    private static let mostHeld = 16 << 20

    private let descriptor: CInt
    private let queue = DispatchQueue(label: "refrain.failed")
    private let state = Mutex(State())

    /// Empties the file, or makes it.
    /// - Throws: the value of errno.
    public init(_ path: String) throws(Errno) {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw Errno(code: errno) }
    }

    deinit { close(descriptor) }

    /// A value of errno, in words.
    public struct Errno: Error, CustomStringConvertible {
        let code: CInt
        public var description: String { String(cString: strerror(code)) }
    }

    func append(_ request: FailedRequest) {
        let line = request.json.bytes + [0x0A]
        let mustStart = state.withLock { state in
            guard state.lines.count + line.count <= Self.mostHeld else {
                state.leftOut += 1
                return false
            }
            state.lines += line
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if mustStart { queue.async { @Sendable in self.write() } }
    }

    /// Writes what waits; on the queue.
    private func write() {
        while true {
            let lines = state.withLock { state -> [UInt8] in
                defer { state.lines = [] }
                if state.lines.isEmpty { state.isWriting = false }
                return state.lines
            }
            guard !lines.isEmpty else { return }
            if let code = write(lines) { state.withLock { $0.problem = $0.problem ?? code } }
        }
    }

    /// The error that ended it; nil: all were written.
    private func write(_ bytes: [UInt8]) -> CInt? {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                return count == 0 ? ENOSPC : errno
            }
        }
        return nil
    }

    /// Waits until all is written.
    /// - Returns: what is missing from the file, in a sentence; nil: nothing.
    public func finish() -> String? {
        queue.sync {}
        return state.withLock { state in
            if let code = state.problem { return String(cString: strerror(code)) }
            return state.leftOut > 0 ? "\(state.leftOut) requests are missing: the disk was too slow" : nil
        }
    }
}
