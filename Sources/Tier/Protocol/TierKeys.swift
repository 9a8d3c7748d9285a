import Cache
import Store
import Text

// The names of all keys in the shared engine.
// Must hold: every one of them begins with the operator's prefix, so that an ACL can be limited to
// it, and goes on with one hash tag, so that a cluster keeps all of them in one slot; a key that
// belongs to one user has no name.

/// Names under the operator's prefix, as bytes that a command takes: `refrain:{refrain}:purges`.
package struct TierKeys: Sendable {
    private let prefix: String
    /// The hash of nodes of 1.0.0, whose names have no tag.
    let untaggedNodes: [UInt8]

    /// A colon at the end of `prefix` is the one that follows it in names.
    init(prefix: String) {
        let name = prefix.hasSuffix(":") ? String(prefix.dropLast()) : prefix
        // A tag of nothing is none.
        self.prefix = "\(name):{\(name.isEmpty ? "refrain" : name)}:"
        untaggedNodes = Array("\(name):nodes".utf8)
    }

    /// Keys of one cache key.
    struct Pair: Sendable, Equatable {
        /// Key of the value, with the number of `TierValue.version`, so that nodes of two versions
        /// do not overwrite each other's.
        let value: [UInt8]
        /// Key of the claim to fetch it.
        let claim: [UInt8]
        let origin: OriginTag
    }

    /// The names for a cache key: half of the digits of its SHA-256, XOR its origin, because
    /// targets may be long and a value names its whole key anyway. Nodes of different upstreams,
    /// and those of a version that knew no origins, have no name in common. Nil for a personal key,
    /// which never enters, and where libcrypto refuses.
    func pair(of key: CacheKey) -> Pair? {
        guard !key.isPersonal, let digest = key.bytes.withUnsafeBytes({ Digest.sha256($0) }) else { return nil }
        var name: [UInt8] = []
        name.appendHexadecimal(Digest.bigEndian(digest, from: 0) ^ key.origin.bits)
        name.appendHexadecimal(Digest.bigEndian(digest, from: 8))
        return Pair(value: bytes("v1:") + name, claim: bytes("c1:") + name, origin: key.origin)
    }

    /// The name of the hint for a number: it holds the name of a value with that content, from the
    /// same origin.
    func hint(_ number: UInt64, at origin: OriginTag) -> [UInt8] { numbered(bytes("h1:"), number ^ origin.bits) }

    /// The stream of purges.
    var purges: [UInt8] { bytes("purges") }
    /// The life of the stream (`LogEpoch`).
    var epoch: [UInt8] { bytes("epoch") }
    /// The budget that all nodes of one upstream share.
    func budget(at origin: OriginTag) -> [UInt8] { numbered(bytes("budget:"), origin.bits) }
    /// The nodes that share it, by when they asked last.
    func budgetNodes(at origin: OriginTag) -> [UInt8] { numbered(bytes("budget:nodes:"), origin.bits) }

    /// Hash of all nodes' records, by their names.
    var nodes: [UInt8] { bytes("nodes") }

    /// The generation of a user's answers. `hash` is a keyed hash of the user's token that all
    /// nodes share, never the token.
    package func generation(_ hash: [UInt8]) -> [UInt8] { bytes("g:" + Hexadecimal.text(hash)) }

    private func numbered(_ name: [UInt8], _ number: UInt64) -> [UInt8] {
        var name = name
        name.appendHexadecimal(number)
        return name
    }

    private func bytes(_ name: String) -> [UInt8] { Array((prefix + name).utf8) }
}
