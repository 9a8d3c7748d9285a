import HTTP
import Synchronization

// The content of a stored answer: as it is, or in gzip until a caller wants it otherwise. What
// comes out of the file mostly goes to clients that accept gzip, and inflating it would cost more
// than all the rest of finding it.
// Must hold: every reader sees one content of one length; only what a checksum vouches for is kept
// coded alone.

/// The body of a `StoredResponse`.
enum ResponseContent: Sendable {
    case plain([UInt8])
    case coded(CodedContent)

    var count: Int {
        switch self {
        case .plain(let bytes): bytes.count
        case .coded(let content): content.count
        }
    }

    var bytes: [UInt8] {
        switch self {
        case .plain(let bytes): bytes
        case .coded(let content): content.bytes
        }
    }

    var isDamaged: Bool {
        switch self {
        case .plain: false
        case .coded(let content): content.isDamaged
        }
    }
}

/// Content that is inflated when it is first asked for.
final class CodedContent: Sendable {
    let coded: [UInt8]
    /// The size of the inflated content.
    let count: Int
    private let gzip: Gzip
    private let inflated = Mutex<[UInt8]?>(nil)
    private let damage = Atomic<Bool>(false)
    private let onDamage: @Sendable () -> Void

    /// Nil where it is no gzip, or more than an answer has. `onDamage` is called at most once.
    init?(_ coded: [UInt8], _ gzip: Gzip, onDamage: @escaping @Sendable () -> Void = {}) {
        guard let count = try? gzip.contentCount(of: coded, .trusted) else { return nil }
        (self.coded, self.count, self.gzip, self.onDamage) = (coded, count, gzip, onDamage)
    }

    /// Whether a caller wanted the content and it could not be inflated. It could be inflated
    /// before it was stored, so this takes a row that was damaged behind its checksum, or a want of
    /// memory. From then on it stays so.
    var isDamaged: Bool { damage.load(ordering: .acquiring) }

    /// Zeros where `isDamaged`, which is never before this was asked for: ranges that were found by
    /// `count` stay inside.
    var bytes: [UInt8] {
        let (bytes, isFirst) = inflated.withLock { inflated in
            if let inflated { return (inflated, false) }
            let content = try? gzip.inflate(coded, .trusted)
            let bytes = content ?? [UInt8](repeating: 0, count: count)
            inflated = bytes
            if content == nil { damage.store(true, ordering: .releasing) }
            return (bytes, true)
        }
        if isFirst, isDamaged { onDamage() }
        return bytes
    }
}
