// Reading keys and tokens from files that no other user can read.
//
// What must hold: what is checked is the open file and not its name, so that nothing can be
// exchanged in between; the content goes straight into locked memory (FRAMING 7.1).

import Glibc

/// Reads secrets. Blocks: for start-up, reloads, and once a minute at most after a rejection.
public enum SecretFile {
    /// The largest secret there is.
    public static let maxBytes = 16_384

    /// The least length, in bytes, of a token that the operator makes up: a token of that length is
    /// not guessed.
    public static let leastAdminToken = 16

    /// The sizes a private key in PEM can have.
    public static let keySizes = 100...maxBytes

    /// The whole content of a regular file that belongs to this user or root and gives group and
    /// others no rights.
    /// - Parameter sizes: the lengths accepted, in bytes.
    /// - Parameter credentialsDirectory: where systemd puts `LoadCredential=` files. Those in it
    ///   may be readable by their group: that is how an access list for the service's own user
    ///   shows in the mode.
    public static func read(
        _ path: String, sizes: ClosedRange<Int> = 1...maxBytes,
        credentialsDirectory: String? = environmentCredentialsDirectory
    ) throws(SecretFileError) -> SecretBytes {
        // Non-blocking, or opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw SecretFileError(path: path, reason: .system(errno)) }
        defer { close(descriptor) }
        let isCredential = credentialsDirectory.map { isDirectChild(path, of: $0) } ?? false
        if let reason = refusal(of: descriptor, isCredential: isCredential) {
            throw SecretFileError(path: path, reason: reason)
        }
        // One byte more, to see whether the file goes on.
        let secret = try SecretBytes(capacity: sizes.upperBound + 1) { memory throws(SecretFileError) in
            try readAll(descriptor, into: memory, path)
        }
        guard sizes.contains(secret.count) else { throw SecretFileError(path: path, reason: .size(allowed: sizes)) }
        return secret
    }

    /// A token alone in a file, as RFC 6750 2.1 spells them (letters, digits and `-._~+/=`). A line
    /// end behind it is not part of it.
    /// - Parameter leastLength: of the token, in bytes.
    public static func readToken(
        _ path: String, leastLength: Int = 1, credentialsDirectory: String? = environmentCredentialsDirectory
    ) throws(SecretFileError) -> SecretBytes {
        let content = try read(path, credentialsDirectory: credentialsDirectory)
        let token = content.withUnsafeBytes { bytes -> SecretBytes? in
            var end = bytes.count
            if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
            if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            let token = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            guard !token.isEmpty, token.allSatisfy(isTokenCharacter) else { return nil }
            return SecretBytes(token)
        }
        guard let token else { throw SecretFileError(path: path, reason: .notToken) }
        guard token.count >= leastLength else {
            throw SecretFileError(path: path, reason: .shortToken(leastLength: leastLength))
        }
        return token
    }

    /// `$CREDENTIALS_DIRECTORY`, as it was when this was first asked for. Root, whom no service
    /// manager has started, is shown those of the service while that runs.
    public static let environmentCredentialsDirectory: String? = {
        if let directory = getenv("CREDENTIALS_DIRECTORY") { return String(cString: directory) }
        return geteuid() == 0 && access(serviceCredentials, R_OK) == 0 ? serviceCredentials : nil
    }()

    /// Where systemd keeps those of the unit that comes with the program.
    private static let serviceCredentials = "/run/credentials/refrain.service"

    private static func refusal(of descriptor: CInt, isCredential: Bool) -> SecretFileError.Reason? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .system(errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .notRegularFile }
        // What systemd gives the service's own user is that user's.
        let isServices = isCredential && geteuid() == 0
        guard isServices || status.st_uid == geteuid() || status.st_uid == 0 else {
            return .foreignOwner(uid: status.st_uid)
        }
        let forbidden: mode_t = isCredential && status.st_uid == 0 ? 0o037 : 0o077
        guard status.st_mode & forbidden == 0 else { return .accessibleByOthers(mode: status.st_mode & 0o7777) }
        return nil
    }

    private static func readAll(
        _ descriptor: CInt, into memory: UnsafeMutableRawBufferPointer, _ path: String
    ) throws(SecretFileError) -> Int {
        var count = 0
        while count < memory.count {
            let result = Glibc.read(descriptor, memory.baseAddress! + count, memory.count - count)
            if result == 0 { break }
            if result < 0 {
                if errno == EINTR { continue }
                throw SecretFileError(path: path, reason: .system(errno))
            }
            count += result
        }
        return count
    }

    private static func isDirectChild(_ path: String, of directory: String) -> Bool {
        guard !directory.isEmpty, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
        return path.utf8[..<slash].elementsEqual(directory.utf8)
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        ASCIISet.unreserved.contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
            || byte == UInt8(ascii: "=")
    }
}
