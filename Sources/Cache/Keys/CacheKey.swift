import Glibc
import Store
import Text

// The cache key: the clients that may see the response, the request target, and the variant.
// Must hold: equal bytes mean equal parts. The scope has one of two fixed forms and the variant has
// no NUL, so the first and the last NUL divide the bytes without doubt, whatever the target holds.
// Equality always compares every byte, and the origin.

/// The key of a stored response: its origin, scope NUL target NUL variant, and the keyed 64-bit
/// hash of all that, computed once. The origin is one word in the hash, not a part of the bytes: a
/// hit hashes no more than without it. A connection keeps one and sets it anew for each request; no
/// allocation once its storage has grown.
public struct CacheKey: NumberedKey, Sendable {
    /// The clients that may be served the answer under the key.
    public enum Scope: Hashable, Sendable {
        /// Everyone: catalog, storefronts, languages.
        case shared
        /// The user of one token only; such entries stay in memory.
        case personal(UserHash)
    }

    /// The whole key, as divided above.
    public private(set) var bytes: [UInt8] = []
    /// SipHash under this process's seed, XOR the origin: keys chosen by an attacker do not collide
    /// more than others.
    public private(set) var hash: UInt64 = 0
    /// The upstream that gives the answer.
    public let origin: OriginTag
    /// The clients that may be served.
    public private(set) var scope: Scope = .shared
    private var targetStart = 0
    private var targetEnd = 0

    /// The key of the shared scope, an empty target and no variant, to be set.
    public init(of origin: OriginTag) {
        self.origin = origin
        set(scope: .shared, target: [])
    }

    /// The key of these parts. `variant` must have no NUL: variants are the proxy's own words.
    public init(of origin: OriginTag, scope: Scope, target: [UInt8], variant: [UInt8] = []) {
        self.origin = origin
        set(scope: scope, target: target)
        if !variant.isEmpty { set(variant: variant) }
    }

    /// The key that has these bytes; nil where it is one user's or has a variant, and where there
    /// is no such key.
    public init?(of origin: OriginTag, shared bytes: ArraySlice<UInt8>) {
        let target = bytes.dropFirst("shared\0".utf8.count).dropLast()
        guard bytes.starts(with: "shared\0".utf8), bytes.last == 0, !target.isEmpty, !target.contains(0) else {
            return nil
        }
        self.init(of: origin, scope: .shared, target: Array(target))
    }

    /// Replaces scope and target (the canonical path and query) and drops the variant; storage is
    /// reused.
    public mutating func set(scope: Scope, target: [UInt8]) {
        if targetStart == 0 || scope != self.scope { setScope(scope) }
        bytes.removeSubrange(targetStart...)
        bytes.append(contentsOf: target)
        targetEnd = bytes.count
        bytes.append(0)
        rehash()
    }

    /// Replaces the variant, which tells apart answers to the same target, such as content codings.
    /// It must have no NUL.
    public mutating func set(variant: [UInt8]) {
        precondition(!variant.contains(0), "a variant has no NUL")
        bytes.removeSubrange((targetEnd + 1)...)
        bytes.append(contentsOf: variant)
        rehash()
    }

    /// This key in storage that is hardly larger than its bytes, for whatever keeps it: a key that
    /// is set anew for each request has room for the longest target it ever held. Where that
    /// storage is shared as it is, its copy is a little larger each time, as the allocator rounds
    /// up: after a million requests by tens of kilobytes, in each key that anything remembers.
    public func compacted() -> CacheKey {
        var copy = self
        copy.bytes = bytes.compacted()
        return copy
    }

    /// Room for bytes, used or not.
    var capacity: Int { bytes.capacity }

    /// Whether the key belongs to one user.
    public var isPersonal: Bool { scope != .shared }
    /// The canonical path and query.
    public var target: ArraySlice<UInt8> { bytes[targetStart..<targetEnd] }
    /// Tells apart answers to the same target; mostly empty.
    public var variant: ArraySlice<UInt8> { bytes[(targetEnd + 1)...] }

    public static func == (left: CacheKey, right: CacheKey) -> Bool {
        left.hash == right.hash && left.hasBytes(of: right)
    }

    /// Whether all bytes and the origin are the same, without a look at the hash.
    func hasBytes(of other: borrowing CacheKey) -> Bool {
        guard bytes.count == other.bytes.count, origin == other.origin else { return false }
        return bytes.withUnsafeBytes { one in
            other.bytes.withUnsafeBytes { two in
                guard let a = one.baseAddress, let b = two.baseAddress else { return true }
                return memcmp(a, b, one.count) == 0
            }
        }
    }

    public var hashNumber: UInt64 { hash }

    /// Begins the bytes anew with the scope, which seldom changes from one request to the next.
    private mutating func setScope(_ scope: Scope) {
        self.scope = scope
        bytes.removeAll(keepingCapacity: true)
        switch scope {
        case .shared:
            bytes.append(contentsOf: "shared".utf8)
        case .personal(let user):
            bytes.append(contentsOf: "user:".utf8)
            bytes.appendHexadecimal(UInt64(truncatingIfNeeded: user.bits >> 64))
            bytes.appendHexadecimal(UInt64(truncatingIfNeeded: user.bits))
        }
        bytes.append(0)
        targetStart = bytes.count
    }

    private mutating func rehash() {
        var hasher = Self.seeded
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        hash = UInt64(bitPattern: Int64(hasher.finalize())) ^ origin.bits
    }

    /// The state in which every hash begins. Hasher's own seed can be switched off by an
    /// environment variable; this one cannot.
    private static let seeded: Hasher = {
        var hasher = Hasher()
        hasher.combine(UInt64.random(in: .min ... .max))
        return hasher
    }()
}
