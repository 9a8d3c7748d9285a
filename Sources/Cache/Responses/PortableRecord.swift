import HTTP
import Store

// A stored answer as bytes for another process: a record as segments have it, without the room to
// a neighbour.
// Must hold: the answer that is read is the one that was written, but for its outline, or none is
// read; no bytes can trap; a personal or composed answer never becomes bytes.

/// The bytes of an answer, or of a variant index, that several processes share.
///
/// They hold status, fields, content (in gzip where it is kept so), lifetime, time of receipt,
/// class, storefront, resources, and a checksum over all of that and the key. They do not hold the
/// key: the reader gives it.
public enum PortableRecord {
    /// The record of an answer that `isPortable`, for `appendPortable`.
    public static func record(of response: StoredResponse) -> Record {
        precondition(response.isPortable, "what is one user's or composed leaves no process")
        return response.record
    }

    /// The answer for `key` in bytes that hold nothing else. A record of another key is damaged
    /// too, as is one that is torn or changed.
    ///
    /// Content in gzip is inflated once, because the checksum does not show damage from before the
    /// record was written. Learning from the answer needs the inflated content anyway.
    /// - Parameter site: of the origin, to which fields that an older node has stored may refer.
    public static func read(
        _ bytes: Span<UInt8>, for key: CacheKey, _ gzip: Gzip, from site: SiteAddress? = nil
    ) -> StoredResponse.Restored {
        guard !key.isPersonal, let record = Record(portable: bytes, for: RecordKey(key)) else { return .damaged }
        let restored = StoredResponse.restored(record, at: key, by: gzip, from: site)
        if case .response(let response) = restored, case .coded(let coded) = response.content {
            _ = coded.bytes
            if coded.isDamaged { return .damaged }
        }
        return restored
    }
}

extension StoredResponse {
    /// Whether another process may have it: it is not personal, not composed, and not known to be
    /// damaged.
    public var isPortable: Bool { !key.isPersonal && composition == nil && !isDamaged }
}
