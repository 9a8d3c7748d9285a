import COpenSSL
import Glibc

/// Reads certificate and key files; a key only if no other user can read it.
enum KeyFile {
    private static let maxBytes = 1 << 20

    /// The bytes of a certificate file.
    static func certificates(_ path: String) throws(TLSError) -> [UInt8] {
        try read(path) { _ in nil }
    }

    /// The private key in `path`: a regular file of this user or root without rights for group and
    /// others, reached without following a link at its end. Its text is wiped after use.
    static func privateKey(_ path: String) throws(TLSError) -> PrivateKey {
        var text = try read(path, flags: O_NOFOLLOW) { status in
            guard status.st_uid == geteuid() || status.st_uid == 0 else { return "belongs to another user" }
            // An access list for the service's user shows as rights of the group (LoadCredential=
            // in systemd.exec(5)).
            let forbidden: mode_t = status.st_uid == 0 && isCredential(path) ? 0o037 : 0o077
            guard status.st_mode & forbidden == 0 else {
                return "mode \(String(status.st_mode & 0o7777, radix: 8)) lets others at it (chmod 600)"
            }
            return nil
        }
        defer { text.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        ERR_clear_error()
        guard let key = PEM.privateKey(text) else { throw .last("private key in \(path)") }
        return key
    }

    private static func isCredential(_ path: String) -> Bool {
        guard let directory = getenv("CREDENTIALS_DIRECTORY").map({ String(cString: $0) }), !directory.isEmpty else {
            return false
        }
        return path.hasPrefix(directory + "/") && !path.dropFirst(directory.count + 1).contains("/")
    }

    /// Reads at most `maxBytes` after `objection` has looked at the descriptor's status.
    private static func read(
        _ path: String, flags: CInt = 0, objection: (stat) -> String?
    ) throws(TLSError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags)
        guard descriptor >= 0 else { throw TLSError("\(path): \(SystemError.last("open"))") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= maxBytes else {
            throw TLSError("\(path): not a regular file of at most \(maxBytes) bytes")
        }
        if let objection = objection(status) { throw TLSError("\(path): \(objection)") }
        let size = Int(status.st_size)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let result = Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), size - count)
                guard result > 0 else { return }
                count += result
            }
        }
    }
}
