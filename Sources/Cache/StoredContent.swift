import HTTP
import Synchronization

// The content of a stored answer: as it is, or in gzip until somebody wants it otherwise. What comes out of the file mostly goes
// to clients that accept gzip, and inflating it would cost more than all the rest of finding it.
// Must hold: whoever looks sees one content of one length; only what a checksum vouches for is kept coded alone.

/// What a `StoredResponse` has as its body.
enum StoredContent: Sendable {
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
}

/// Content that is inflated when it is first asked for.
final class CodedContent: Sendable {
    let coded: [UInt8]
    /// Of what comes out of it.
    let count: Int
    private let gzip: Gzip
    private let inflated = Mutex<[UInt8]?>(nil)

    /// Nil where it is no gzip, or more than an answer has.
    init?(_ coded: [UInt8], _ gzip: Gzip) {
        guard let count = try? gzip.contentCount(of: coded, .trusted) else { return nil }
        (self.coded, self.count, self.gzip) = (coded, count, gzip)
    }

    var bytes: [UInt8] {
        inflated.withLock { inflated in
            if let inflated { return inflated }
            // It was inflated before it was stored. Were it damaged behind its checksum, a head that has left must still be
            // followed by what it promised, or the next answer would be taken for it.
            let bytes = (try? gzip.inflate(coded, .trusted)) ?? [UInt8](repeating: 0, count: count)
            inflated = bytes
            return bytes
        }
    }
}
