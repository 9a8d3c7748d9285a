import CLinux
import Glibc

/// Bytes in an unnamed file in memory that cannot be changed any more: `Stream` sends it without
/// the copy into the kernel that an array takes. The file holds a copy itself, so it is for content
/// that is sent often.
public final class SealedFile: Sendable {
    let descriptor: CInt
    /// Size in bytes.
    public let count: Int

    /// Nil where the system has no more descriptors or memory, or cannot seal files.
    public init?(_ bytes: [UInt8]) {
        descriptor = bytes.withUnsafeBytes { clinux_sealed_file($0.baseAddress, $0.count) }
        count = bytes.count
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Sends from `offset` on; the number of bytes that the socket took, or -1 with errno.
    func send(to socket: CInt, from offset: Int) -> Int {
        var position = off_t(offset)
        return sendfile(socket, descriptor, &position, count - offset)
    }
}
