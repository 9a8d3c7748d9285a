import Freshness
import Store

// Looking without a trace: for operators, who must not change what they look at.
// Must hold: no look counts as a use, moves an entry between the tiers or removes one; what belongs
// to one user is counted and never shown.

/// The result of a listing.
public struct EntryListing: Sendable {
    /// Answers of the origin's that everyone shares. The most recently used come first, or the most
    /// recently received where their use is not recorded.
    public let entries: [(record: ListedRecord, isInMemory: Bool)]
    /// Whether there are more than were asked for.
    public let isTruncated: Bool
    /// Answers in memory that belong to one user each, whatever was asked for.
    public let personal: Int
    /// Answers in memory that were composed of others, whatever was asked for.
    public let composed: Int
}

extension ResponseCache {
    /// The answer stored under `key`, if something can still be done with it.
    public func peek(_ key: CacheKey, _ reader: FileReader?, at now: Int64) -> StoredResponse? {
        guard let found = memory.peek(key) ?? reader?.lookup(key, at: now), found.isUseful(at: now),
            !found.isDamaged
        else { return nil }
        return found
    }

    /// Whether memory holds something under `key`.
    public func isInMemory(_ key: CacheKey) -> Bool { memory.peek(key) != nil }

    /// The variant under which a request without any of the fields that tell a target's answers
    /// apart is stored, and the names of those; nil where `found` is an answer.
    public func variant(at found: StoredResponse) -> (names: [String], plain: [UInt8]?)? {
        guard let signpost = VariantSignpost(found.selecting) else { return nil }
        let names = String(decoding: signpost.names, as: UTF8.self).split(separator: ",").map(String.init)
        return (names, signpost.variant(of: [UInt8]().span))
    }

    /// Up to `limit` of the chosen answers: those of the file, where there is one that can be read,
    /// else those in memory. At once, or on a queue of listings' own. Goes through all of memory:
    /// not for a loop that serves clients.
    public func list(
        _ selection: EntrySelection, limit: Int, _ completion: @escaping @Sendable (EntryListing) -> Void
    ) {
        var (personal, composed) = (0, 0)
        var inMemory: [StoredResponse] = []
        memory.forEachResponse { response in
            if response.key.isPersonal {
                personal += 1
            } else if response.composition != nil {
                composed += 1
            } else if !response.isSignpost, selection.chooses(response) {
                inMemory.append(response)
            }
        }
        let others = (personal: personal, composed: composed)
        guard let store, store.isReadable else {
            inMemory.sort { $0.receivedAt > $1.receivedAt }
            let entries = inMemory.prefix(limit).map { (record: ListedRecord($0.record), isInMemory: true) }
            return completion(EntryListing(entries, of: inMemory.count, others))
        }
        store.records.entries(selection, limit: limit + 1) { @Sendable [memory] rows in
            let entries = rows.prefix(limit).map { row in
                // No key has a variant with a NUL: then the file is damaged.
                guard !row.variant.contains(0) else { return (record: row, isInMemory: false) }
                let key = CacheKey(scope: .shared, target: Array(row.target), variant: Array(row.variant))
                return (record: row, isInMemory: memory.peek(key) != nil)
            }
            completion(EntryListing(entries, of: rows.count, others))
        }
    }
}

extension EntryListing {
    fileprivate init(
        _ entries: [(record: ListedRecord, isInMemory: Bool)], of count: Int, _ others: (personal: Int, composed: Int)
    ) {
        self.init(
            entries: entries, isTruncated: count > entries.count, personal: others.personal, composed: others.composed)
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
