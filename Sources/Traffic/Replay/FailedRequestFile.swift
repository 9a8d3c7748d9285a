import Dispatch
import Glibc
import Synchronization
import Text

/// A file of all requests that failed, one JSON object a line (`--failed`).
///
/// Lines are written on a queue of their own: the generator never waits for a disk. At most
/// `mostHeld` bytes wait; further lines are left out and counted. The first error of the disk ends
/// the file after its last whole line, and what follows is counted.
public final class FailedRequestFile: Sendable {
    private struct State {
        var lines: [UInt8] = []
        var isWriting = false
        /// Lines that are missing from the file.
        var leftOut = 0
        /// A value of errno, which ended the file.
        var problem: CInt?
    }

    private static let mostHeld = 16 << 20

    private let descriptor: CInt
    /// Bytes of whole lines; used on the queue.
    private let length = Atomic<Int>(0)
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
            guard state.problem == nil, state.lines.count + line.count <= Self.mostHeld else {
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
            let (done, code) = write(lines)
            guard let code else {
                length.add(done, ordering: .relaxed)
                continue
            }
            let (whole, lost) = Self.cut(lines, at: done)
            // A part of a line is no JSON. Pipes and devices cannot be shortened.
            _ = ftruncate(descriptor, off_t(length.load(ordering: .relaxed) + whole))
            return state.withLock { state in
                state.leftOut += lost + state.lines.count { $0 == 0x0A }
                (state.problem, state.lines, state.isWriting) = (code, [], false)
            }
        }
    }

    /// The bytes of whole lines before a place, and the number of lines that end after it.
    static func cut(_ lines: [UInt8], at place: Int) -> (whole: Int, lost: Int) {
        let whole = lines[..<place].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        return (whole, lines[whole...].count { $0 == 0x0A })
    }

    /// The number of bytes that were written, and the error that ended it; nil: all were.
    private func write(_ bytes: [UInt8]) -> (Int, CInt?) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done) }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                return (done, count == 0 ? ENOSPC : errno)
            }
        }
        return (done, nil)
    }

    /// Waits until all is written.
    /// - Returns: what is missing from the file, in a sentence; nil: nothing.
    public func finish() -> String? {
        queue.sync {}
        return state.withLock { state in
            guard state.leftOut > 0 else { return nil }
            let missing = "\(state.leftOut) request\(state.leftOut == 1 ? " is" : "s are") missing"
            return "\(missing): \(state.problem.map { String(cString: strerror($0)) } ?? "the disk was too slow")"
        }
    }
}
