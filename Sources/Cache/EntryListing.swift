import Freshness
import Purging
import Store

// Looking without a trace: an operator's look must not change the cache.
// Must hold: no look counts as a use, moves an entry between the tiers or removes one; nothing is
// shown of a personal answer that tells its user or its content.

/// The result of a listing.
public struct EntryListing: Sendable {
    /// Answers of the origin's that everyone shares, or of single users as `route` names them.
    public let entries: [(record: ListedRecord, isInMemory: Bool)]
    /// Whether there are more than were asked for.
    public let isTruncated: Bool
    /// Answers in memory that belong to one user each, whatever was asked for.
    public let personal: Int
    /// Answers in memory that were composed of others, whatever was asked for.
    public let composed: Int
}

extension ResponseCache {
    /// The answer stored under `key`, if it is still useful.
    public func peek(_ key: CacheKey, _ reader: FileReader?, at now: Int64) -> StoredResponse? {
        let swept = purges.swept
        let known = memory.peek(key).flatMap { left(ofPeeked: $0, since: swept, at: now) }
        guard let found = known ?? reader?.lookup(key, at: now), found.isUseful(at: now),
            !found.isDamaged
        else { return nil }
        return found
    }

    /// Whether memory holds an entry under `key`.
    public func isInMemory(_ key: CacheKey) -> Bool { memory.peek(key) != nil }

    private func left(ofPeeked found: StoredResponse, since swept: Int64, at now: Int64) -> StoredResponse? {
        switch verdict(on: found, since: swept) {
        case .untouched: found
        case .stale: found.withoutFreshness(at: now)
        case .gone: nil
        }
    }

    /// The variant under which a request without any of the fields that tell a target's answers
    /// apart is stored, and the names of those; nil where `found` is an answer.
    public func variant(at found: StoredResponse) -> (names: [String], plain: [UInt8]?)? {
        guard let variantIndex = VariantIndex(found.selecting) else { return nil }
        let names = String(decoding: variantIndex.names, as: UTF8.self).split(separator: ",").map(String.init)
        return (names, variantIndex.variant(of: [UInt8]().span))
    }

    /// Up to `limit` of the chosen answers: those of the file, where there is one that can be read,
    /// else those in memory. Calls `completion` at once, or on a queue of listings' own. Goes
    /// through all of memory: not for a loop that serves clients.
    /// - Parameter route: the part of a personal target that may be shown. With it the answers of
    ///   single users are listed, and no others.
    public func list(
        _ selection: EntrySelection, limit: Int, in order: ListingOrder = .use,
        ofUsersBy route: ((ArraySlice<UInt8>) -> [UInt8])? = nil,
        _ completion: @escaping @Sendable (EntryListing) -> Void
    ) {
        let records = file.flatMap { route == nil && $0.isReadable ? $0.records : nil }
        var others = (personal: 0, composed: 0)
        var first = FirstRecords(limit + 1, in: order)
        let swept = purges.swept
        memory.forEachResponse { response in
            if response.isVariantIndex || verdict(on: response, since: swept) == .gone { return }
            if response.key.isPersonal {
                others.personal += 1
                guard let route else { return }
                let listed = ListedRecord(ofUser: response, as: route(response.key.target))
                if selection.chooses(listed) { first.add(listed) }
            } else if response.composition != nil {
                others.composed += 1
            } else if records == nil, route == nil, selection.chooses(response) {
                first.add(ListedRecord(response.record))
            }
        }
        let finish = { @Sendable [others] (rows: [ListedRecord], isInMemory: (ListedRecord) -> Bool) in
            completion(
                EntryListing(
                    entries: rows.prefix(limit).map { (record: $0, isInMemory: isInMemory($0)) },
                    isTruncated: rows.count > limit, personal: others.personal, composed: others.composed))
        }
        guard let records else { return finish(first.all) { _ in true } }
        records.entries(selection, limit: limit + 1, in: order) { @Sendable [memory] rows in
            finish(rows) { row in
                // No key has a variant with a NUL: then the file is damaged.
                guard !row.variant.contains(0) else { return false }
                let key = CacheKey(
                    of: row.origin, scope: .shared, target: Array(row.target), variant: Array(row.variant))
                return memory.peek(key) != nil
            }
        }
    }
}

/// Sums over stored answers of users.
public struct PersonalSums {
    public private(set) var answers = 0
    /// The sum of fields and bodies.
    public private(set) var bytes = 0
    public private(set) var fresh = 0
    /// In seconds.
    public private(set) var newestAge: Int?
    public private(set) var oldestAge: Int?

    fileprivate mutating func add(_ response: StoredResponse, at now: Int64) {
        let age = response.lifetime.age(since: response.receivedAt, at: now)
        answers += 1
        bytes += response.fields.count + (response.gzip?.body.count ?? response.bodyCount)
        if response.lifetime.freshFor > age { fresh += 1 }
        newestAge = min(newestAge ?? age, age)
        oldestAge = max(oldestAge ?? age, age)
    }
}

extension ResponseCache {
    /// Sums over the users' answers whose targets are chosen. Goes through all of memory: not for a
    /// loop that serves clients.
    public func personalSums(at now: Int64, where isChosen: (ArraySlice<UInt8>) -> Bool) -> PersonalSums {
        var sums = PersonalSums()
        memory.forEachResponse { response in
            guard response.key.isPersonal, !response.isVariantIndex, isChosen(response.key.target) else { return }
            sums.add(response, at: now)
        }
        return sums
    }
}

extension ListedRecord {
    /// A user's answer: its sizes and times alone, without the resources that it names.
    fileprivate init(ofUser response: StoredResponse, as route: [UInt8]) {
        let facts = RecordFacts(
            status: response.status, classTag: response.classTag, receivedAt: response.receivedAt,
            times: RecordFacts.Times(response.lifetime), storefront: [], selecting: [], resources: [])
        let form = response.gzip?.body ?? response.body
        self.init(
            Record(
                key: RecordKey(CacheKey(of: response.key.origin, scope: .shared, target: route)), facts: facts,
                fields: response.fields,
                body: form, isGzip: response.gzip != nil))
    }
}

extension FileTier {
    /// Whether its rows can be read now.
    fileprivate var isReadable: Bool {
        switch records.health {
        case .available, .failing: true
        case .unavailable, .closed: false
        }
    }
}
