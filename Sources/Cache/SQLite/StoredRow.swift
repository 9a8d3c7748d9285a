import HTTP

// One row as it was read: nothing in it is believed before the checksum agrees.
// Must hold: no value of a damaged file can trap; a response comes out only if all of it is as it
// was written.

/// A row of `entry`, without the content.
struct EntryRow {
    /// The columns in the order that `init` reads them.
    static let columns = """
        target, variant, class, status, received_at, initial_age, fresh_for, stale_for, stale_if_error_for, keep_for,
          storefront, selecting, content_sum, checksum
        """

    private let target: [UInt8]
    private let variant: [UInt8]
    /// Columns 2 to 9: class, status, times.
    private let numbers: [Int64]
    private let storefront: [UInt8]
    private let selecting: [UInt8]
    private let contentSum: UInt64
    private let checksum: UInt64

    /// `first` is the number of the first of its columns.
    init(_ row: Row, from first: Int32 = 0) {
        target = row.bytes(first)
        variant = row.bytes(first + 1)
        numbers = (2...9).map { row.integer(first + $0) }
        storefront = row.bytes(first + 10)
        selecting = row.bytes(first + 11)
        contentSum = UInt64(bitPattern: row.integer(first + 12))
        checksum = UInt64(bitPattern: row.integer(first + 13))
    }

    /// Whether the numbers can be those of a response.
    private var isPlausible: Bool {
        !variant.contains(0) && UInt8(exactly: numbers[0]) != nil && (100...999).contains(numbers[1])
            && (0...AnswerFacts.latest).contains(numbers[2])
            && numbers[3...].allSatisfy { (0...Int64(Lifetime.longest)).contains($0) }
    }

    private var lifetime: Lifetime {
        Lifetime(
            freshFor: Int(numbers[4]), staleFor: Int(numbers[5]), staleIfErrorFor: Int(numbers[6]),
            keepFor: Int(numbers[7]), initialAge: Int(numbers[3]))
    }

    private var key: CacheKey { CacheKey(scope: .shared, target: target, variant: variant) }

    /// The checksum, where the row agrees with it.
    var vouchedChecksum: UInt64? { isPlausible && sum(of: lifetime) == checksum ? checksum : nil }

    /// What a soft purge at that time leaves of the lifetime, and the checksum with it; nil where
    /// the row is damaged.
    func withoutFreshness(at now: Int64) -> (lifetime: Lifetime, checksum: UInt64)? {
        guard isPlausible, sum(of: lifetime) == checksum else { return nil }
        let age = lifetime.initialAge + Lifetime.seconds(from: numbers[2], to: now)
        let rest = lifetime.withoutFreshness(atAge: age)
        return (rest, sum(of: rest))
    }

    private func sum(of lifetime: Lifetime) -> UInt64 {
        Checksum.ofEntry(
            key: key, status: Int(numbers[1]), classTag: UInt8(truncatingIfNeeded: numbers[0]), receivedAt: numbers[2],
            lifetime: lifetime, storefront: storefront, selecting: selecting, contentSum: contentSum)
    }
}

/// A row of `content`.
struct ContentRow {
    /// The columns in the order that `response` reads them.
    fileprivate static let columns = "facts, fields, body, is_gzip"
    /// The row ?1.
    static let select = "SELECT \(columns) FROM content WHERE id = ?1"

    /// Whether there is no telling what the content is.
    static func isUnreadable(_ row: Row, _ gzip: Gzip) -> Bool { row.integer(3) != 0 && !gzip.isAvailable }

    /// The response, or nil where the row is damaged or that of another key. Nothing is copied but
    /// what the response keeps. What turns out not to be inflatable later goes from `store`.
    static func response(for key: CacheKey, _ row: Row, in store: SQLiteStore) -> StoredResponse? {
        guard let facts = row.withBytes(0, { AnswerFacts($0) }) else { return nil }
        let filed = row.bytes(2)
        var coded: CodedContent?
        if row.integer(3) != 0 {
            let receivedAt = facts.receivedAt
            coded = CodedContent(filed, store.gzip) { [weak store] in
                store?.removeDamaged(key, receivedBy: receivedAt)
            }
            guard coded != nil else { return nil }
        }
        let response = StoredResponse(
            restoring: key, status: facts.status, fields: row.bytes(1),
            content: coded.map { .coded($0) } ?? .plain(filed),
            receivedAt: facts.receivedAt,
            lifetime: facts.lifetime, classTag: facts.classTag, storefront: facts.storefront,
            selecting: facts.selecting, resources: facts.resources, gzip: coded?.coded)
        return response.checksum == facts.checksum ? response : nil
    }
}

/// A row of `content` with what tells which answer it is.
enum StoredRow {
    private static let columns = "\(ContentRow.columns), target, variant, entry.id"
    /// The row whose key is ?1.
    static let select = "SELECT \(columns) FROM entry JOIN content USING (id) WHERE entry.key = ?1"
    /// The ?2 answers written last of those before the row ?1, each with its row.
    static let selectBelow = """
        SELECT \(columns) FROM entry JOIN content USING (id)
        WHERE entry.id < ?1 AND selecting = '' ORDER BY entry.id DESC LIMIT ?2
        """

    /// The key; nil where no key has these parts.
    static func key(_ row: Row) -> CacheKey? {
        let variant = row.bytes(5)
        return variant.contains(0) ? nil : CacheKey(scope: .shared, target: row.bytes(4), variant: variant)
    }

    static func id(_ row: Row) -> Int64 { row.integer(6) }
}
