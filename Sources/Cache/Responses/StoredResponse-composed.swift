import Freshness
import HTTP
import Text

// An answer that was built out of others: with the fields of one of them, and an entity tag of its
// own.

extension StoredResponse {
    /// A composed answer, to be kept by `ResponseCache.store(composed:)`.
    ///
    /// - Parameters:
    ///   - parts: the stored answers it was made of, at least one, each given once. It has the
    ///     status and the fields of the first, but for those that say something about the very
    ///     content.
    ///   - receivedAt: when it was composed, unix seconds.
    ///   - born: the newest number of the purges before the parts are looked at for being kept.
    ///   - lifetime: no longer than its stalest part's.
    public convenience init(
        composed body: [UInt8], key: CacheKey, parts: [StoredResponse], detail: Reason, receivedAt: Int64,
        born: Int64, lifetime: Lifetime, classTag: UInt8
    ) {
        precondition(!parts.isEmpty, "an answer made of nothing has no fields")
        var fields: [UInt8] = []
        var lines = FieldLines()
        let example = parts[0]
        let head = example.fields
        fields.reserveCapacity(head.count + 64)
        head.withUnsafeBufferPointer { buffer in
            let bytes = buffer.span
            while let line = lines.next(in: bytes) {
                switch line.id {
                // About the very content. The three that `Validators` reads are among them.
                case .etag, .lastModified, .date, .setCookie, .expires: break
                default: fields.append(bytes.extracting(line.whole))
                }
            }
        }
        var tag = ByteRange()
        if example.status == 200 {
            tag = OwnTag.appendChecksum(Checksum.of(body.span), bodyCount: body.count, to: &fields)
        }
        self.init(
            restoring: key, status: example.status, fields: fields, content: .plain(body.compacted()),
            receivedAt: receivedAt, arrival: parts.map(\.arrival).max() ?? 0, born: born, lifetime: lifetime,
            classTag: classTag, storefront: parts[0].storefront,
            composition: Composition(detail, parts: parts.map(\.key), naming: parts.map(\.resources)), onlyTag: tag)
    }
}
