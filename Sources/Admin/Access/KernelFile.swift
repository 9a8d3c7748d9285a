import Glibc

/// A file of /proc, whose length is not known before it is read.
enum KernelFile {
    /// The file's whole content, at most 64 MiB: a line of the table of sockets has 150 bytes.
    static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        while content.count < 64 << 20 {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? content : nil }
            content += piece[..<count]
        }
        return nil
    }
}
