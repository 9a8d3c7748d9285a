import Store
import Text

// The user that a personal entry belongs to, without the token that says so.
// Must hold: the token itself is neither kept nor recoverable; the key lives as long as the process
// and is never written.

/// 128 bits that stand for one Music-User-Token: HMAC-SHA256 under the key of this process,
/// truncated (FRAMING 7.3). Not reversible, and worthless in another process.
public struct UserHash: Hashable, Sendable {
    /// A single number, so that the time of comparing says nothing about where two differ.
    let bits: UInt128

    /// The user as known to an origin: another one's tokens, writes and answers are another user's.
    public func at(_ origin: OriginTag) -> UserHash { UserHash(bits: bits ^ UInt128(origin.bits)) }

    /// This user, told apart from all earlier and later generations.
    func inGeneration(_ generation: UInt64) -> UserHash {
        UserHash(bits: bits &+ UInt128(generation))
    }
}

/// The secret that keys user hashes.
public struct UserHashKey: Sendable {
    private let bytes: [UInt8]

    /// A fresh random key of 32 bytes; nil where the system has no randomness to give: then no
    /// personal answer may be kept.
    init?() {
        guard let random = Digest.randomBytes(32) else { return nil }
        bytes = random
    }

    /// A key that the caller holds, for tests. Any length; 32 bytes are as good as more.
    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The hash of a Music-User-Token; nil where libcrypto refuses, then the request must pass
    /// uncached.
    func hash(token: Span<UInt8>) -> UserHash? {
        let digest = token.withUnsafeBytes { Digest.hmacSHA256(key: bytes, message: $0) }
        guard let digest else { return nil }
        let (high, low) = (Digest.bigEndian(digest, from: 0), Digest.bigEndian(digest, from: 8))
        return UserHash(bits: UInt128(high) << 64 | UInt128(low))
    }
}
