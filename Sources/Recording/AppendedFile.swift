import Glibc

/// A file that is only appended to; a piece that cannot be written whole is cut off again.
///
/// Confined to its writer.
final class AppendedFile {
    private let path: String
    private let descriptor: CInt
    private let device: dev_t
    private let inode: ino_t
    /// Length in bytes.
    private(set) var count = 0

    /// Creates the file; nothing of that name may exist, not even a link.
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

    /// Whether the path still names this file.
    var isInPlace: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_dev == device && status.st_ino == inode
    }

    /// Appends all of `bytes`, usually with one system call, or nothing.
    func append(_ bytes: [UInt8]) throws(RecordingError) {
        var done = 0
        while done < bytes.count {
            let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress! + done, $0.count - done) }
            if written > 0 {
                done += written
            } else if written == 0 || errno != EINTR {
                let code = written == 0 ? ENOSPC : errno
                // Half a line followed by others would be an error to every reader.
                _ = ftruncate(descriptor, off_t(count))
                throw .cannotWrite(path: path, code: code)
            }
        }
        count += bytes.count
    }

    func cut(to bytes: Int) {
        guard bytes < count, ftruncate(descriptor, off_t(bytes)) == 0 else { return }
        count = bytes
    }
}
