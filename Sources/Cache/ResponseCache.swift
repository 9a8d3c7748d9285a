import Dispatch
import Synchronization

// Both tiers as one cache: memory first, then the loop's reader, found there and promoted; stored
// in memory at once and on disk behind the answer.
// Must hold: what was removed or purged does not come back by a promotion that was under way
// (`removals` is counted up before memory is cleared and checked after a promotion); a purge does
// the disk first, so that what is promoted after it has begun with memory is purged already;
// personal responses and composed ones stay in memory; what was composed goes with any of its parts
// (`ResponseCache-composed.swift`).

/// The response cache. Used from any thread; each loop brings its own reader.
public final class ResponseCache: Sendable {
    public let memory: MemoryTier
    /// Nil with `cache_file off`.
    public let store: SQLiteStore?
    private let cleaning = DispatchQueue(label: "refrain.cache.cleaning", qos: .utility)
    let survey = StorageSurvey()
    private let removals = Atomic<Int>(0)
    private let purges = Atomic<Int>(0)
    /// Whether anything was ever composed. Set before the first look at a part.
    let hasComposed = Atomic<Bool>(false)
    /// What was composed, by its parts. Its lock is taken before those of the memory tier, never
    /// under one.
    let dependents: Mutex<Dependents>

    public init(memory: MemoryTier, store: SQLiteStore?) {
        self.memory = memory
        self.store = store
        dependents = Mutex(Dependents(maxParts: Dependents.maxParts(beside: memory.maxBytes)))
    }

    /// The stored response of `key` that something can still be done with, fresh or not
    /// (`Freshness.of`). One that nothing can use is removed and is a miss. `now` in unix seconds.
    public func lookup(_ key: CacheKey, _ reader: StoreReader?, at now: Int64) -> StoredResponse? {
        guard let response = memory.lookup(key) ?? promote(key, reader, at: now) else { return nil }
        guard response.isUseful(at: now), !response.isDamaged else {
            memory.remove(response)
            // What the file has under the key of a composed answer is another one.
            if response.composition == nil { store?.remove(key, receivedBy: response.receivedAt) }
            dropDependents(of: key)
            return nil
        }
        if let store, response.shouldReportUse(at: now, every: store.useInterval) {
            // Composed answers are uses of their parts, which would be evicted from the file as if
            // nobody wanted them.
            for used in response.composition?.parts ?? [key] { store.touch(used, at: now) }
        }
        return response
    }

    /// Stores `response`: in memory at once, on disk behind, unless it is personal. A composed
    /// answer that was changed by whatever the origin said goes instead: it can be composed again.
    public func store(_ response: StoredResponse) {
        guard response.composition == nil else { return memory.remove(response.key) }
        let replaced = memory.store(response)
        dropDependents(of: response.key, replacing: replaced, by: response)
        store?.store(response)
    }

    /// Puts what was worked out about the body of `response` with it, if that is still what memory
    /// holds for its key, and returns the two as one. The file keeps nothing of it.
    @discardableResult
    public func attach(_ outline: any Outline, to response: StoredResponse) -> StoredResponse {
        let outlined = response.with(outline: outline)
        memory.attach(outlined, to: response)
        return outlined
    }

    /// Puts the coded form of `response` with it, if memory still holds the same for its key,
    /// whatever was worked out about it meanwhile. The file keeps what it has.
    public func attach(gzip: [UInt8], to response: StoredResponse) {
        guard let current = memory.peek(response.key), current.isCopy(of: response), current.gzip == nil else {
            return
        }
        memory.attach(current.with(gzip: gzip), to: current)
    }

    /// Removes the entry of `key` from both tiers.
    public func remove(_ key: CacheKey) {
        store?.remove(key)
        removals.wrappingAdd(1, ordering: .sequentiallyConsistent)
        memory.remove(key)
        dropDependents(of: key)
    }

    /// Counts up when a purge begins to work. What was asked of the origin before may be what was
    /// purged: whoever stores an answer reads this before asking and again after storing, and
    /// removes what it stored if the two differ.
    public var purgeEpoch: Int { purges.load(ordering: .sequentiallyConsistent) }

    /// Applies a purge to both tiers and then tells how many answers it chose, one that is in both
    /// counted once: on the writer's queue, or at once without a store. Nil where the disk refused;
    /// memory is purged all the same. Once it has told, nothing that was chosen is found any more
    /// as it was. `now` in unix seconds.
    public func purge(
        _ selection: EntrySelection, _ mode: PurgeMode, at now: Int64,
        _ completion: @escaping @Sendable (Int?) -> Void
    ) {
        let purge = Purge(selection: selection, mode: mode, now: now)
        if mode != .dryRun { purges.wrappingAdd(1, ordering: .sequentiallyConsistent) }
        guard let store else {
            completion(purgeMemory(purge))
            return
        }
        let count = { @Sendable [memory] in memory.count(selection) }
        store.purge(purge, counting: count) { @Sendable [self] chosen in
            removals.wrappingAdd(1, ordering: .sequentiallyConsistent)
            // What left while the file was gone through may bring back what was in memory all
            // along.
            if mode != .dryRun { purges.wrappingAdd(1, ordering: .sequentiallyConsistent) }
            purgeMemory(purge)
            completion(chosen)
        }
    }

    /// Goes through what the file holds, behind the caller's back: see `SQLiteStore.visit`. Without
    /// a store there is nothing, and `completion` is called at once.
    public func visitStored(
        _ body: @escaping @Sendable (StoredResponse) -> Bool,
        _ completion: @escaping @Sendable (_ visited: Int) -> Void = { _ in }
    ) {
        guard let store else { return completion(0) }
        store.visit(body, completion)
    }

    /// Frees what is stored in a scope that nobody looks in any more, behind the caller's back.
    public func free(_ scope: CacheKey.Scope) {
        cleaning.async { @Sendable [memory] in memory.remove(scope) }
    }

    /// Frees all that is one user's or another's, behind the caller's back.
    public func freePersonal() {
        cleaning.async { @Sendable [memory] in
            memory.forEachResponse { if $0.key.isPersonal { memory.remove($0) } }
        }
    }

    /// Waits until everything is on disk that can be. For tests.
    public func flush() {
        store?.flush()
    }

    /// Writes what is queued and closes the file: for shutdown, never on a loop. Memory goes on
    /// answering; what is stored from then on does not reach the disk.
    public func close() {
        store?.close()
    }

    private func promote(_ key: CacheKey, _ reader: StoreReader?, at now: Int64) -> StoredResponse? {
        guard let reader, !key.isPersonal else { return nil }
        let removalsBefore = removals.load(ordering: .sequentiallyConsistent)
        guard let response = reader.lookup(key, at: now) else { return nil }
        memory.storeIfAbsent(response)
        guard removals.load(ordering: .sequentiallyConsistent) == removalsBefore else {
            memory.remove(response)
            dropDependents(of: key)
            return nil
        }
        return response
    }
}
