import EventLoop
import Glibc

/// Bytes that are appended and read back: in memory up to a bound, beyond it in a temporary file
/// without a name, which ends with its owner.
///
/// Confined to its owner.
final class Spool {
    /// Bytes that are held in memory before there is a file.
    private let most: Int
    private var descriptor: CInt = -1
    /// Bytes in the file.
    private var written = 0
    /// The bytes after those in the file.
    private var tail: [UInt8] = []
    /// The parts of the file that were read last.
    private var pages: [(start: Int, bytes: [UInt8])] = []

    /// How many parts of the file are held: at so many places it is read in turn.
    var mostPages = 2

    /// Bytes that wait to be written once there is a file.
    private static let pieceBytes = 1 << 20
    private static let pageBytes = 1 << 16

    init(most: Int) { self.most = most }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Bytes in all.
    var count: Int { written + tail.count }

    /// - Returns: where the bytes begin.
    @discardableResult
    func append(_ bytes: some Sequence<UInt8>) throws(SystemError) -> Int {
        let place = count
        tail += bytes
        if tail.count > (descriptor < 0 ? most : Self.pieceBytes) { try write() }
        return place
    }

    private func write() throws(SystemError) {
        if descriptor < 0 { descriptor = try Self.temporaryFile() }
        var done = 0
        while done < tail.count {
            let count = tail.withUnsafeBytes {
                pwrite(descriptor, $0.baseAddress! + done, $0.count - done, off_t(written + done))
            }
            if count > 0 {
                done += count
            } else if count == 0 || errno != EINTR {
                throw SystemError(call: "pwrite", errno: count == 0 ? ENOSPC : errno)
            }
        }
        written += tail.count
        tail.removeAll(keepingCapacity: true)
    }

    /// The folder of temporary files: not /tmp, which is often in memory.
    static var folder: String {
        if let chosen = getenv("TMPDIR").map({ String(cString: $0) }), !chosen.isEmpty { return chosen }
        return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"
    }

    private static func temporaryFile() throws(SystemError) -> CInt {
        var template = Array((folder + "/refrain-" + String(repeating: "X", count: 6)).utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SystemError(call: "mkstemp", errno: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        return descriptor
    }

    /// Bytes that were appended together.
    func read(at place: Int, count: Int) throws(SystemError) -> [UInt8] {
        guard place < written else { return Array(tail[place - written..<place - written + count]) }
        if let page = pages.last(where: { $0.start <= place && place + count <= $0.start + $0.bytes.count }) {
            return Array(page.bytes[place - page.start..<place - page.start + count])
        }
        let page = try readFile(at: place, count: min(max(count, Self.pageBytes), written - place))
        if pages.count >= mostPages { pages.removeFirst() }
        pages.append((place, page))
        return Array(page[..<count])
    }

    private func readFile(at place: Int, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress! + done, count - done, off_t(place + done))
            }
            if got > 0 {
                done += got
            } else if got == 0 || errno != EINTR {
                throw SystemError(call: "pread", errno: got == 0 ? EIO : errno)
            }
        }
        return bytes
    }
}
