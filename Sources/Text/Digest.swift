import COpenSSL

// libcrypto's digests over whole buffers, and its random bytes.
// Must hold: no pointer leaves this file; a failure of libcrypto is a value, never zero bytes taken
// for a digest.

/// SHA-256, whole buffers at once.
public enum Digest {
    /// The 32 bytes of SHA-256 over `bytes`; nil where libcrypto refuses.
    public static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        return copenssl_sha256(bytes.baseAddress, bytes.count, &digest) == 1 ? digest : nil
    }

    /// The first eight of them, most significant first. Allocates nothing.
    public static func sha256Head(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
            guard copenssl_sha256(bytes.baseAddress, bytes.count, digest.baseAddress) == 1 else { return nil }
            return UInt64(bigEndian: UnsafeRawBufferPointer(digest).loadUnaligned(as: UInt64.self))
        }
    }

    /// The 20 bytes of SHA-1, by which an engine names its scripts, over `bytes`; nil where
    /// libcrypto has none. It proves nothing: collisions can be made.
    public static func sha1(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 20)
        let isDone = digest.withUnsafeMutableBufferPointer { out in
            EVP_Digest(bytes.baseAddress, bytes.count, out.baseAddress, nil, EVP_sha1(), nil) == 1
        }
        return isDone ? digest : nil
    }

    /// The 32 bytes of HMAC-SHA256 (RFC 2104) over `message`; nil where libcrypto refuses.
    public static func hmacSHA256(key: [UInt8], message: UnsafeRawBufferPointer) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: 32)
        let isDone = digest.withUnsafeMutableBufferPointer { out in
            HMAC(
                EVP_sha256(), key, Int32(key.count),
                message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count,
                out.baseAddress, nil) != nil
        }
        return isDone ? digest : nil
    }

    /// `count` bytes from libcrypto's generator; nil where it could not be seeded.
    public static func randomBytes(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        return RAND_bytes(&bytes, Int32(count)) == 1 ? bytes : nil
    }

    /// The eight bytes from `offset`, most significant first. `digest` has them.
    public static func bigEndian(_ digest: [UInt8], from offset: Int) -> UInt64 {
        digest[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
}
