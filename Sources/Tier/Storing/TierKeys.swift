import Cache
import Text

// The names of all keys in the shared engine.
// Must hold: every one of them begins with the operator's prefix, so that an ACL can be limited to
// it; a key that belongs to one user has no name.

/// Names under the operator's prefix, as bytes that a command takes.
package struct TierKeys: Sendable {
    private let prefix: String

    /// A colon at the end of `prefix` is the one that follows it in names.
    init(prefix: String) { self.prefix = prefix.hasSuffix(":") ? prefix : prefix + ":" }

    /// Keys of one cache key.
    struct Pair: Sendable, Equatable {
        /// Key of the value, with the number of `TierValue.version`, so that nodes of two versions
        /// do not overwrite each other's.
        let value: [UInt8]
        /// Key of the claim to fetch it.
        let claim: [UInt8]
    }

    /// The names for a cache key: half of the digits of its SHA-256, because targets may be long
    /// and a value names its whole key anyway. Nil for a personal key, which never enters, and
    /// where libcrypto refuses.
    func pair(of key: CacheKey) -> Pair? {
        guard !key.isPersonal, let digest = key.bytes.withUnsafeBytes({ Digest.sha256($0) }) else { return nil }
        let name = Hexadecimal.text(Array(digest[..<16]))
        return Pair(value: bytes("v1:" + name), claim: bytes("c1:" + name))
    }

    /// The name of the hint for a number: it holds the name of a value with that content.
    func hint(_ number: UInt64) -> [UInt8] {
        var name = bytes("h1:")
        name.appendHexadecimal(number)
        return name
    }

    /// The stream of purges.
    var purges: [UInt8] { bytes("purges") }
    /// The life of the stream (`LogEpoch`).
    var epoch: [UInt8] { bytes("epoch") }
    /// The budget that all nodes share.
    var budget: [UInt8] { bytes("budget") }
    /// The nodes that share it, by when they asked last.
    var budgetNodes: [UInt8] { bytes("budget:nodes") }

    /// Hash of all nodes' records, by their names.
    var nodes: [UInt8] { bytes("nodes") }

    /// The generation of a user's answers. `hash` is a keyed hash of the user's token that all
    /// nodes share, never the token.
    package func generation(_ hash: [UInt8]) -> [UInt8] { bytes("g:" + Hexadecimal.text(hash)) }

    private func bytes(_ name: String) -> [UInt8] { Array((prefix + name).utf8) }
}
