import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Where access lines go: one descriptor, written on a queue of its own so that a slow disk or a
/// full pipe never holds a loop up. When more than `mostQueuedBytes` wait, lines are dropped and
/// counted.
public final class AccessLogSink: Sendable {
    private let descriptor: CInt
    /// nil for a descriptor that was handed over, such as standard output.
    private let path: String?
    private let queue = DispatchQueue(label: "refrain.access-log")
    private let queued = Atomic<Int>(0)
    private let droppedBytes = Atomic<Int>(0)

    private static let mostQueuedBytes = ProxyMemory.logBytes

    /// - Parameter descriptor: stays open for the life of the sink, and belongs to the caller.
    public init(descriptor: CInt) {
        self.descriptor = descriptor
        path = nil
    }

    /// Appends to a file, which is made when it is not there.
    /// - Throws: `SystemError` when it cannot be opened.
    public init(path: String) throws(SystemError) {
        descriptor = try Self.open(path)
        self.path = path
    }

    deinit {
        if path != nil { close(descriptor) }
    }

    /// Bytes of lines that were dropped because the descriptor took them too slowly.
    public var dropped: Int { droppedBytes.load(ordering: .relaxed) }

    /// Opens the file anew after it was moved away: lines go to the old one until the new one is
    /// there, none are lost. False where there is no file to open, as with standard output.
    /// - Throws: `SystemError` when it cannot be opened; the old file stays in use then.
    public func reopen() throws(SystemError) -> Bool {
        guard let path else { return false }
        let opened = try Self.open(path)
        defer { close(opened) }
        // The number stays the same, so no writer has to be told; dup2 swaps the file behind it at
        // once.
        guard dup2(opened, descriptor) >= 0 else { throw SystemError(call: "dup2", errno: errno) }
        return true
    }

    func write(_ bytes: [UInt8]) {
        guard queued.load(ordering: .relaxed) + bytes.count <= Self.mostQueuedBytes else {
            droppedBytes.add(bytes.count, ordering: .relaxed)
            return
        }
        queued.add(bytes.count, ordering: .relaxed)
        queue.async { @Sendable [self] in
            writeAll(bytes)
            queued.subtract(bytes.count, ordering: .relaxed)
        }
    }

    /// Waits until everything queued has been written.
    func flush() {
        queue.sync {}
    }

    private func writeAll(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 || errno != EINTR {
                    droppedBytes.add(rest.count, ordering: .relaxed)
                    return
                }
            }
        }
    }

    private static func open(_ path: String) throws(SystemError) -> CInt {
        let descriptor = Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
        return descriptor
    }
}
