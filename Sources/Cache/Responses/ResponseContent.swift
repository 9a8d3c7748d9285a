import HTTP
import Synchronization

// The content of a stored answer: as it is, or in gzip until a caller wants it inflated. Most
// answers from the file go to clients that accept gzip, and inflating one would cost more than all
// the rest of its look-up.
// Must hold: every reader sees one content of one length; only content under a checksum is kept in
// gzip alone.

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
    /// before it was stored, so its row was damaged before the checksum was made, or memory is
    /// short. Once true, it stays true.
    var isDamaged: Bool { damage.load(ordering: .acquiring) }

    /// Zeros where `isDamaged`, which is false until the first call: ranges that were found by
    /// `count` stay within bounds.
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
