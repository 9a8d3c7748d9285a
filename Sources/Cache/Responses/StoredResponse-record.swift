import Freshness
import HTTP
import Store

// A stored answer as the file keeps it, and back.

extension StoredResponse {
    /// The record of an answer that is not one user's, in one form. Copies no content.
    var record: Record {
        Record(
            key: RecordKey(key),
            facts: RecordFacts(
                status: status, classTag: classTag, receivedAt: receivedAt, born: born,
                times: RecordFacts.Times(lifetime), storefront: storefront, selecting: selecting,
                resources: resources),
            fields: fields, body: gzip?.body ?? body, isGzip: gzip != nil, bodySum: gzip == nil ? bodySum : 0)
    }

    /// The answer of a record, or why there is none.
    public enum Restored: Sendable {
        case response(StoredResponse)
        /// In gzip, and this process has no zlib.
        case unreadable
        /// The content cannot be inflated: it was damaged before it was written.
        case damaged
    }

    /// The answer that was kept under `key`.
    /// - Parameters:
    ///   - site: of the origin, to which fields that an older version has stored may refer.
    ///   - onDamage: makes the closure that is called if the content cannot be inflated later.
    ///     Called for content in gzip alone.
    static func restored(
        _ record: Record, at key: CacheKey, by gzip: Gzip, from site: SiteAddress? = nil,
        onDamage: () -> @Sendable () -> Void = { {} }
    ) -> Restored {
        var coded: CodedContent?
        if record.isGzip {
            guard gzip.isAvailable else { return .unreadable }
            coded = CodedContent(record.body, gzip, onDamage: onDamage())
            guard coded != nil else { return .damaged }
        }
        let facts = record.facts
        return .response(
            StoredResponse(
                restoring: key, status: facts.status, fields: KeptFields.known(record.fields, from: site),
                content: coded.map { .coded($0) } ?? .plain(record.body), receivedAt: facts.receivedAt,
                born: facts.born,
                lifetime: Lifetime(facts.times), classTag: facts.classTag, storefront: facts.storefront,
                selecting: facts.selecting, resources: facts.resources, gzip: coded?.coded))
    }
}

extension RecordKey {
    init(_ key: CacheKey) {
        precondition(!key.isPersonal, "what is one user's stays in memory")
        self.init(key.bytes, targetEnd: key.target.endIndex, of: key.origin)
    }
}

extension CacheKey {
    init(_ key: RecordKey) {
        self.init(of: key.origin, scope: .shared, target: Array(key.target), variant: Array(key.variant))
    }

    /// The integer that finds its row in the file. It costs a SHA-256.
    var index: Int64 { RecordKey.index(of: bytes, origin) }
}

extension RecordFacts.Times {
    init(_ lifetime: Lifetime) {
        self.init(
            freshFor: lifetime.freshFor, staleFor: lifetime.staleFor, staleIfErrorFor: lifetime.staleIfErrorFor,
            keepFor: lifetime.keepFor, initialAge: lifetime.initialAge)
    }
}

extension Lifetime {
    public init(_ times: RecordFacts.Times) {
        self.init(
            freshFor: times.freshFor, staleFor: times.staleFor, staleIfErrorFor: times.staleIfErrorFor,
            keepFor: times.keepFor, initialAge: times.initialAge)
    }
}
