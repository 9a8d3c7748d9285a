// Reading keys and tokens from files that no other user can read.
//
// Must hold: the content goes straight into locked memory (FRAMING 7.1).

import EventLoop
import Glibc

/// Reads secrets. Blocks: for start-up, reloads, and once a minute at most after a rejection.
public enum SecretFile {
    /// The largest secret there is.
    public static let maxBytes = 16_384

    /// The least length, in bytes, of a token that the operator chooses: a token of that length is
    /// not guessed.
    private static let leastAdminToken = 16

    /// The sizes a private key in PEM can have.
    public static let keySizes = 100...maxBytes

    /// The sizes a list of client keys can have: thousands of apps.
    public static let listSizes = 1...1 << 20

    /// The whole content of a file that `PrivateFile` opens.
    /// - Parameters:
    ///   - sizes: the lengths accepted, in bytes.
    ///   - credentialsDirectory: see `PrivateFile.open`.
    public static func read(
        _ path: String, sizes: ClosedRange<Int> = 1...maxBytes,
        credentialsDirectory: String? = PrivateFile.credentialsDirectory
    ) throws(SecretFileError) -> SecretBytes {
        let file: Descriptor
        do throws(PrivateFile.Objection) {
            file = try PrivateFile.open(path, credentialsDirectory: credentialsDirectory)
        } catch {
            throw SecretFileError(path: path, reason: .notPrivate(error))
        }
        return try content(of: file, path, sizes: sizes)
    }

    private static func content(
        of file: Descriptor, _ path: String, sizes: ClosedRange<Int>
    ) throws(SecretFileError) -> SecretBytes {
        // One byte more, to see whether the file goes on.
        let secret = try SecretBytes(capacity: sizes.upperBound + 1) { memory throws(SecretFileError) in
            try readAll(file, into: memory, path)
        }
        guard sizes.contains(secret.count) else { throw SecretFileError(path: path, reason: .size(allowed: sizes)) }
        return secret
    }

    /// The content of a regular file that another process copies to where it is private
    /// (`LoadCredential=` of systemd); its own mode does not matter.
    public static func readSource(_ path: String) throws(SecretFileError) -> SecretBytes {
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw SecretFileError(path: path, reason: .notPrivate(.system(errno))) }
        let file = Descriptor(owning: number)
        var status = stat()
        guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SecretFileError(path: path, reason: .notPrivate(.notRegularFile))
        }
        return try content(of: file, path, sizes: 0...listSizes.upperBound)
    }

    /// A token alone in a file, as RFC 6750 2.1 spells them (letters, digits and `-._~+/=`). A line
    /// end after it is not part of it.
    public static func readToken(_ path: String) throws(SecretFileError) -> SecretBytes {
        try token(in: read(path), path)
    }

    /// The token of the admin listener, for the server and for the commands that ask it: a token of
    /// `leastAdminToken` bytes or more. Blanks and line ends are not part of it: base64(1) and
    /// openssl(1) wrap what they write.
    public static func readAdminToken(_ path: String) throws(SecretFileError) -> SecretBytes {
        let token = try token(in: read(path), path, isWrapped: true)
        guard token.count >= leastAdminToken else {
            throw SecretFileError(path: path, reason: .shortToken(leastLength: leastAdminToken))
        }
        return token
    }

    private static func token(
        in content: SecretBytes, _ path: String, isWrapped: Bool = false
    ) throws(SecretFileError) -> SecretBytes {
        let scheme = Array("bearer ".utf8)
        guard !content.withUnsafeBytes({ $0.prefix(scheme.count).map { $0 | 0x20 } == scheme }) else {
            throw SecretFileError(path: path, reason: .hasScheme)
        }
        let token = content.withUnsafeBytes { bytes -> SecretBytes? in
            var end = bytes.count
            if end > 0, bytes[end - 1] == UInt8(ascii: "\n") { end -= 1 }
            if end > 0, bytes[end - 1] == UInt8(ascii: "\r") { end -= 1 }
            let token = UnsafeRawBufferPointer(rebasing: bytes[..<end])
            guard token.contains(where: isTokenCharacter),
                token.allSatisfy({ isTokenCharacter($0) || isWrapped && isWhitespace($0) })
            else { return nil }
            return isWrapped ? unwrapped(token) : SecretBytes(token)
        }
        guard let token else { throw SecretFileError(path: path, reason: .notToken) }
        return token
    }

    private static func unwrapped(_ token: UnsafeRawBufferPointer) -> SecretBytes {
        SecretBytes(capacity: token.count) { memory in
            var count = 0
            for byte in token where !isWhitespace(byte) {
                memory[count] = byte
                count += 1
            }
            return count
        }
    }

    private static func isWhitespace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func readAll(
        _ file: Descriptor, into memory: UnsafeMutableRawBufferPointer, _ path: String
    ) throws(SecretFileError) -> Int {
        var count = 0
        while count < memory.count {
            let result = Glibc.read(file.number, memory.baseAddress! + count, memory.count - count)
            if result == 0 { break }
            if result < 0 {
                if errno == EINTR { continue }
                throw SecretFileError(path: path, reason: .notPrivate(.system(errno)))
            }
            count += result
        }
        return count
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        ASCIISet.unreserved.contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
            || byte == UInt8(ascii: "=")
    }
}
