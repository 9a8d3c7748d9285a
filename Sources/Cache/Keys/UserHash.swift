import Text

// The user that a personal entry belongs to, without the token that says so.
// Must hold: the token itself is neither kept nor recoverable; the key lives as long as the process
// and is never written.

/// 128 bits that stand for one Music-User-Token: HMAC-SHA256 under the key of this process,
/// truncated (FRAMING 7.3). Not reversible, and worthless in another process.
public struct UserHash: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    /// Compares both halves always, so that the time taken says nothing about where they differ.
    public static func == (left: UserHash, right: UserHash) -> Bool {
        (left.high ^ right.high) | (left.low ^ right.low) == 0
    }

    /// The same user once more, told apart from all earlier and later generations.
    func inGeneration(_ generation: UInt64) -> UserHash {
        UserHash(high: high, low: low &+ generation)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }
}

/// The secret that keys user hashes.
public struct UserHashKey: Sendable {
    private let bytes: [UInt8]

    /// A fresh random key of 32 bytes; nil where the system has no randomness to give, then nothing
    /// personal may be kept.
    init?() {
        guard let random = Digest.randomBytes(32) else { return nil }
        bytes = random
    }

    /// A key that the caller holds, for tests. Any length; 32 bytes are as good as more.
    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The hash of a Music-User-Token; nil where libcrypto refuses, then the request must pass
    /// uncached.
    func hash(token: Span<UInt8>) -> UserHash? {
        let digest = token.withUnsafeBytes { Digest.hmacSHA256(key: bytes, message: $0) }
        guard let digest else { return nil }
        return UserHash(high: Digest.bigEndian(digest, from: 0), low: Digest.bigEndian(digest, from: 8))
    }
}
