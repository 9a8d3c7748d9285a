import Dispatch
import EventLoop
import Glibc
import Synchronization

/// The file of the access log: one descriptor, written on a queue of its own so that a slow disk or
/// a full pipe never holds a loop up. When more than `mostQueuedBytes` wait, or the system refuses
/// to write, lines are dropped and counted, and the operator is told when that begins and ends.
public final class AccessLogSink: Sendable {
    private let descriptor: CInt
    /// Closes the descriptor; nil for one that was handed over.
    private let file: Descriptor?
    /// nil for a descriptor that was handed over, such as standard output.
    private let path: String?
    private let queue = DispatchQueue(label: "refrain.access-log")
    private let queued = Atomic<Int>(0)
    private let droppedBytes = Atomic<Int>(0)
    /// Whether lines are being dropped, and the operator was told.
    private let isLosing = Atomic<Bool>(false)
    private let tell: @Sendable (String) -> Void

    private static let mostQueuedBytes = ProxyMemory.logBytes

    /// - Parameters:
    ///   - descriptor: stays open for the life of the sink, and belongs to the caller.
    ///   - tell: takes a sentence when lines begin to be lost, and one when that is over.
    public init(descriptor: CInt, tell: @escaping @Sendable (String) -> Void = { _ in }) {
        self.descriptor = descriptor
        self.tell = tell
        (file, path) = (nil, nil)
    }

    /// Appends to a file, which is made when it is not there, or writes to a pipe of that name.
    /// - Throws: `FileRefusal` when it cannot be opened, or another user may have laid it there.
    public init(path: String, tell: @escaping @Sendable (String) -> Void = { _ in }) throws(FileRefusal) {
        let file = try Self.open(path)
        (self.file, descriptor) = (file, file.number)
        self.tell = tell
        self.path = path
    }

    /// Bytes of lines that were dropped, because the descriptor took them too slowly or not at all.
    public var dropped: Int { droppedBytes.load(ordering: .relaxed) }

    /// Opens the file anew after it was moved away: lines go to the old one until the new one is
    /// there, none are lost. False where there is no file to open, as with standard output.
    /// - Throws: as `init(path:)`; the old file stays in use then.
    public func reopen() throws(FileRefusal) -> Bool {
        guard let path else { return false }
        let opened = try Self.open(path)
        // The number stays the same, so no writer has to be told; dup2 swaps its file at once.
        guard dup2(opened.number, descriptor) >= 0 else {
            throw .system(SystemError(call: "dup2", errno: errno))
        }
        return true
    }

    func write(_ bytes: [UInt8]) {
        guard queued.load(ordering: .relaxed) + bytes.count <= Self.mostQueuedBytes else {
            return drop(bytes.count, because: "its reader or disk is too slow")
        }
        queued.add(bytes.count, ordering: .relaxed)
        queue.async { @Sendable [self] in
            let isWritten = writeAll(bytes)
            let left = queued.subtract(bytes.count, ordering: .relaxed).newValue
            // A reader that is only a little too slow would otherwise be told of with every line.
            if isWritten, left <= Self.mostQueuedBytes / 2 { tellOfRecovery() }
        }
    }

    private func drop(_ count: Int, because reason: @autoclosure () -> String) {
        droppedBytes.add(count, ordering: .relaxed)
        guard !isLosing.exchange(true, ordering: .relaxed) else { return }
        tell("\(reason()); lines are dropped until the log can be written again")
    }

    private func tellOfRecovery() {
        guard isLosing.load(ordering: .relaxed) else { return }
        isLosing.store(false, ordering: .relaxed)
        tell("the log can be written again; \(dropped) bytes of lines were dropped since the start")
    }

    /// Waits until everything queued has been written, for `limit` at most: a reader may take
    /// nothing.
    func flush(within limit: DispatchTimeInterval) {
        let done = DispatchSemaphore(value: 0)
        queue.async { @Sendable in done.signal() }
        _ = done.wait(timeout: .now() + limit)
    }

    /// Why the file could not be written to; nil where it could. Makes no file.
    public static func problem(_ path: String, _ trust: FileTrust = .ofThisProcess) -> FileRefusal? {
        do throws(FileRefusal) {
            // The file would be made where a link leads to.
            let place = try FilePlace.find(path, for: .appended, trust)
            guard place.facts == nil else {
                _ = try open(path, trust)
                return nil
            }
            return place.mayMake ? nil : .system(SystemError(call: "open", errno: errno))
        } catch {
            return error
        }
    }

    /// Whether all of it was written; the rest is dropped.
    private func writeAll(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 || errno != EINTR {
                    drop(rest.count, because: String(cString: strerror(count == 0 ? ENOSPC : errno)))
                    return false
                }
            }
            return true
        }
    }

    private static func open(
        _ path: String, _ trust: FileTrust = .ofThisProcess
    ) throws(FileRefusal) -> Descriptor {
        try FilePlace.open(path, O_WRONLY | O_APPEND | O_CREAT, mode: 0o640, for: .appended, trust)
    }
}
