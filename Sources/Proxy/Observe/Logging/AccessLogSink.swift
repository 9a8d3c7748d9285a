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

    /// Appends to a file, which is made when it is not there, or writes to a pipe of that name.
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

    /// Waits until everything queued has been written, or a reader has taken nothing for so long
    /// that what is left is lost.
    func flush(within limit: DispatchTimeInterval) {
        let done = DispatchSemaphore(value: 0)
        queue.async { @Sendable in done.signal() }
        _ = done.wait(timeout: .now() + limit)
    }

    /// Why the file could not be written to; nil where it could. Makes no file.
    public static func problem(_ path: String) -> SystemError? {
        guard access(path, F_OK) == 0 || errno != ENOENT else {
            // The file would be made where a link leads to.
            let directory = FilePath.folder(of: linkTarget(path) ?? path)
            return access(directory, W_OK | X_OK) == 0 ? nil : SystemError(call: "open", errno: errno)
        }
        do throws(SystemError) {
            _ = try Descriptor(owning: open(path))
            return nil
        } catch {
            return error
        }
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

    /// Where a chain of links ends; nil where `path` is none.
    private static func linkTarget(_ path: String, depth: Int = 0) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(path, &bytes, bytes.count)
        guard count > 0, depth < mostLinks else { return nil }
        let target = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = target.hasPrefix("/") ? "" : FilePath.folder(of: path)
        return linkTarget(folder + target, depth: depth + 1) ?? folder + target
    }

    /// As many as Linux follows.
    private static let mostLinks = 40

    private static func open(_ path: String) throws(SystemError) -> CInt {
        var status = stat()
        let isPipe = stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
        // A pipe without a reader: to open it for writing alone would wait for one, and fail once
        // the reader restarts (fifo(7)).
        let descriptor =
            isPipe
            ? Glibc.open(path, O_RDWR | O_CLOEXEC)
            : Glibc.open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o640)
        guard descriptor >= 0 else { throw SystemError(call: "open", errno: errno) }
        return descriptor
    }
}
