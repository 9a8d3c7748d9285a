import COpenSSL
import Glibc

/// Reads certificate and key files; a key only if no other user can read it.
enum KeyFile {
    private static let maxBytes = 1 << 20

    /// The bytes of a certificate file.
    static func certificates(_ path: String) throws(TLSError) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw TLSError("\(path): \(SystemError.last("open"))") }
        return try read(Descriptor(owning: number), path)
    }

    /// The private key in a file that `PrivateFile` opens. Its text is wiped after use.
    static func privateKey(_ path: String) throws(TLSError) -> PrivateKey {
        let file: Descriptor
        do throws(PrivateFile.Objection) {
            file = try PrivateFile.open(path)
        } catch {
            throw TLSError("\(path): \(error)")
        }
        var text = try read(file, path)
        defer { text.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        ERR_clear_error()
        guard let key = text.withUnsafeBytes(PEM.privateKey) else { throw .last("private key in \(path)") }
        return key
    }

    /// Reads a regular file of at most `maxBytes`.
    private static func read(_ file: Descriptor, _ path: String) throws(TLSError) -> [UInt8] {
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= maxBytes else {
            throw TLSError("\(path): not a regular file of at most \(maxBytes) bytes")
        }
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let result = Glibc.read(file.number, buffer.baseAddress?.advanced(by: count), size - count)
                guard result > 0 else { return }
                count += result
            }
        }
    }
}
