import Dispatch
import Glibc
import Purging
import Store

// Answers that the proxy composed out of stored ones: kept in memory, found like any other, gone
// with any of their parts. Must hold: while a composed answer is found, each part has, as far as
// this cache knows, the content and the freshness that the answer was made from. One lock ensures
// that: under it the parts are looked at, the record is made and the answer is stored. Code that
// changes a part (memory first, then the record) has therefore either changed it before that look,
// or it finds the record. Of a purge that comes between the look at the parts and the store, the
// code that stores finds out afterwards.

extension ResponseCache {
    /// Stores `response`, which was composed, in memory, and returns whether it did. It does not
    /// where one of `parts` is not in memory any more as it was when it was used, or is itself
    /// composed, or personal, or chosen by request fields; where a purge has chosen the target
    /// since a part was born; and where it would outlast a purge of one of them: its parts are
    /// those that its composition names, it has their storefront, and its composition names all
    /// resources that they name.
    /// - Parameter contradictions: as they were before the parts were looked up: an answer that has
    ///   come since may contradict the parts of `response`.
    @discardableResult
    public func store(
        composed response: StoredResponse, from parts: [StoredResponse],
        whileContradictionsAre contradictions: Int
    ) -> Bool {
        guard let composition = response.composition, response.byteCount <= memory.maxResponseBytes,
            isWhole(response, composition, parts)
        else { return false }
        hasComposed.store(true, ordering: .sequentiallyConsistent)
        var released: [StoredResponse] = []
        let purgesBefore = purges.newest
        let isStored = dependents.withLock { dependents in
            let lastPurge = purges.lastPurge(
                of: Array(response.key.target), storefront: response.storefront, classTag: response.classTag)
            guard parts.count <= dependents.maxParts,
                self.contradictions == contradictions,
                parts.allSatisfy({ $0.born >= lastPurge && isUnchanged($0) })
            else { return false }
            memory.store(response, released: &released)
            drop(dependents.add(Dependents.Record(key: response.key, composition: composition)), &released)
            return true
        }
        guard isStored, isChosen(response, since: purgesBefore) else { return isStored }
        memory.remove(response)
        return false
    }

    /// Removes the origin's answer under the key of a composed one, which is shown in its place,
    /// from both tiers, unless it says the same: it must not be shown again once the composed one
    /// is gone. One that was received after all parts stays.
    /// - Parameter replaced: what was found under the key: where it was composed too, the file may
    ///   have an answer of the origin's that nobody has looked at since.
    public func removeReplaced(_ replaced: StoredResponse, by shown: StoredResponse, from parts: [StoredResponse]) {
        let receivedBy = parts.map(\.receivedAt).max() ?? shown.receivedAt
        guard replaced.composition == nil else {
            removeFromFile(shown.key, receivedBy: receivedBy)
            // A promotion may have brought it while the composed answer was evicted.
            if let found = memory.lookup(shown.key), found.composition == nil, found.receivedAt <= receivedBy {
                memory.remove(found)
            }
            return
        }
        guard replaced.receivedAt <= receivedBy, !replaced.hasContent(likeThatOf: shown) else { return }
        removeFromFile(shown.key, receivedBy: receivedBy)
        memory.remove(replaced)
    }

    /// How often an answer contradicted another one, so far.
    public var contradictions: Int { contradictionCount.load(ordering: .sequentiallyConsistent) }

    /// Counts an answer that contradicts others: answers that are being composed of these are not
    /// kept. Code that drops the kept ones does so afterwards.
    public func noteContradiction() { contradictionCount.add(1, ordering: .sequentiallyConsistent) }

    /// Whether memory may hold an answer composed from the one under `key`.
    public func hasComposed(from key: CacheKey) -> Bool { dependents.withLock { $0.hasAnswers(from: key) } }

    /// Drops the answers composed from the entry of `key`.
    public func dropDependents(of key: borrowing CacheKey) {
        guard hasComposed.load(ordering: .sequentiallyConsistent) else { return }
        var released: [StoredResponse] = []
        dependents.withLock { drop($0.take(madeFrom: key), &released) }
    }

    /// Counts a contradiction, and drops the composed answers whose parts name any of these
    /// resources (`ResourceMention`), whatever the storefront.
    public func dropComposed(naming resources: Set<UInt64>) {
        noteContradiction()
        guard !resources.isEmpty, hasComposed.load(ordering: .sequentiallyConsistent) else { return }
        var released: [StoredResponse] = []
        dependents.withLock { drop($0.take(naming: resources), &released) }
    }

    /// Drops the answers composed from the entry of `key`, which was replaced, unless its content
    /// is the same. Without an old entry to compare with, the content counts as another.
    func dropDependents(of key: borrowing CacheKey, replacing old: StoredResponse?, by new: StoredResponse) {
        guard hasComposed.load(ordering: .sequentiallyConsistent) else { return }
        if let old, old.hasContent(of: new) { return }
        dropDependents(of: key)
    }

    /// Counts a contradiction, and frees all composed answers, in the background; their parts stay.
    public func freeComposed() {
        noteContradiction()
        cleaning.async { @Sendable [memory] in
            memory.forEachResponse { if $0.composition != nil { memory.remove($0) } }
        }
    }

    /// Under the lock of `dependents`, so that the next change of the same part finds them gone.
    private func drop(_ records: [Dependents.Record], _ released: inout [StoredResponse]) {
        for record in records {
            memory.remove(record.key, released: &released) { $0.composition === record.composition }
        }
    }

    /// Whether memory still has the content of `part`, and as fresh: a purge may have taken its
    /// freshness.
    private func isUnchanged(_ part: StoredResponse) -> Bool {
        guard purges.verdict(on: part, since: part.born) == .untouched, let current = memory.lookup(part.key)
        else { return false }
        return current === part || current.hasContent(of: part) && current.freshUntil >= part.freshUntil
    }

    /// Whether each of `parts` is an answer of the origin's to everyone, so that a purge that
    /// chooses one of them chooses `response` too.
    private func isWhole(_ response: StoredResponse, _ composition: Composition, _ parts: [StoredResponse]) -> Bool {
        guard !response.key.isPersonal, !parts.isEmpty, composition.parts == parts.map(\.key),
            composition.named == parts.map(\.resources)
        else { return false }
        return parts.allSatisfy { part in
            part.countsAsEntry && !part.key.isPersonal && part.key.variant.isEmpty && part.key != response.key
                && part.storefront == response.storefront && part.key.origin == response.key.origin
        }
    }
}

extension StoredResponse {
    /// When it goes stale, unix seconds.
    fileprivate var freshUntil: Int64 { receivedAt + Int64(lifetime.freshFor - lifetime.initialAge) }

    /// Whether both are answers of the origin's and say the same.
    fileprivate func hasContent(of other: StoredResponse) -> Bool {
        countsAsEntry && other.countsAsEntry && hasContent(likeThatOf: other)
    }

    /// Whether both say the same, composed or not.
    fileprivate func hasContent(likeThatOf other: StoredResponse) -> Bool {
        guard status == other.status, bodyCount == other.bodyCount else { return false }
        return body.withUnsafeBytes { one in
            other.body.withUnsafeBytes { two in
                guard let a = one.baseAddress, let b = two.baseAddress else { return true }
                return a == b || memcmp(a, b, one.count) == 0
            }
        }
    }
}
