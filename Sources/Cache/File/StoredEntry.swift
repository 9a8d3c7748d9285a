import Freshness
import Store

/// One row of a listing, for operators.
public struct StoredEntry: Sendable, Equatable {
    /// Canonical path and query.
    public let target: String
    public let variant: String
    public let storefront: String
    public let classTag: UInt8
    public let status: Int
    /// Unix seconds.
    public let receivedAt: Int64
    public let lifetime: Lifetime
    /// Bytes of target, variant, fields and body.
    public let size: Int
    /// Whether the body is kept in gzip.
    public let isGzip: Bool
    /// Unix seconds, to about a minute; nil where the file does not have it.
    public let lastUsed: Int64?
    /// Whether memory has it.
    public internal(set) var isInMemory = false
}

extension StoredEntry {
    /// Under which it is found; nil where the file is damaged: no key has these parts.
    var key: CacheKey? {
        if variant.utf8.contains(0) { return nil }
        return CacheKey(scope: .shared, target: Array(target.utf8), variant: Array(variant.utf8))
    }

    /// The entry of a row of the file.
    init(_ row: ListedRecord) {
        self.init(row.target, row.variant[...], row.facts, size: row.size, isGzip: row.isGzip, lastUsed: row.lastUsed)
    }

    /// The entry of an answer that memory alone has.
    init(_ response: StoredResponse) {
        let record = response.record
        self.init(
            record.key.target, record.key.variant, record.facts, size: record.size, isGzip: record.isGzip,
            lastUsed: nil)
        isInMemory = true
    }

    private init(
        _ target: ArraySlice<UInt8>, _ variant: ArraySlice<UInt8>, _ facts: RecordFacts, size: Int, isGzip: Bool,
        lastUsed: Int64?
    ) {
        self.target = String(decoding: target, as: UTF8.self)
        self.variant = String(decoding: variant, as: UTF8.self)
        storefront = String(decoding: facts.storefront, as: UTF8.self)
        (classTag, status, receivedAt) = (facts.classTag, facts.status, facts.receivedAt)
        lifetime = Lifetime(facts.times)
        (self.size, self.isGzip, self.lastUsed) = (size, isGzip, lastUsed)
    }
}

extension FileTier {
    /// Whether its rows can be read now.
    var isReadable: Bool {
        switch records.health {
        case .available, .failing: true
        case .unavailable, .closed: false
        }
    }
}
