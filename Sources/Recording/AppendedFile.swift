import Glibc

/// A file of ours that only grows, by whole pieces: what cannot be written whole is taken back.
///
/// Confined to its writer.
final class AppendedFile {
    private let path: String
    private let descriptor: CInt
    private let device: dev_t
    private let inode: ino_t
    /// Bytes in it.
    private(set) var count = 0

    /// Makes it; there must be nothing of that name yet, not even a link.
    init(making path: String) throws(RecordingError) {
        self.path = path
        descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotWrite(path: path, code: errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            close(descriptor)
            throw .cannotWrite(path: path, code: errno)
        }
        (device, inode) = (status.st_dev, status.st_ino)
    }

    deinit { close(descriptor) }

    /// Whether its name still leads to it.
    var isInPlace: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }

    /// Appends all of `bytes`, with one call to the system where that takes them, or nothing.
    func append(_ bytes: [UInt8]) throws(RecordingError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + done, $0.count - done) }
            if written > 0 {
                done += written
            } else if written == 0 || errno != EINTR {
                let code = written == 0 ? ENOSPC : errno
                // Half a line would be an error to every reader once more follows it.
                _ = ftruncate(descriptor, off_t(count))
                throw .cannotWrite(path: path, code: code)
            }
        }
        count += bytes.count
    }

    /// Cuts the file to an earlier length.
    func cut(to bytes: Int) {
        guard bytes < count, ftruncate(descriptor, off_t(bytes)) == 0 else { return }
        count = bytes
    }
}
