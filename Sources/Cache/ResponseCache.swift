import Dispatch
import Freshness
import HTTP
import Purging
import Store
import Synchronization

// Both tiers as one cache: memory first, then the loop's reader, found there and promoted; stored
// in memory at once and on disk after the answer.
// Must hold: a removed answer does not come back by a promotion that was under way (`removals` is
// counted up before memory is cleared and checked after a promotion); no answer is given out that a
// purge has chosen (`ResponseCache-purging.swift`); personal responses and composed ones stay in
// memory; a composed answer goes with any of its parts (`ResponseCache-composed.swift`).

/// The response cache. Used from any thread; each loop brings its own reader.
public final class ResponseCache: Sendable {
    public let memory: MemoryTier
    /// Nil with `cache_file off`.
    public let file: FileTier?
    let cleaning = DispatchQueue(label: "refrain.cache.cleaning", qos: .utility)
    /// For memory's part of purges: it goes through all entries, and nothing else waits for it.
    let purging = DispatchQueue(label: "refrain.cache.purging", qos: .utility)
    let survey = StorageSurvey()
    /// Scopes to be freed.
    private let ended = Mutex<Set<CacheKey.Scope>>([])
    private let removals = Atomic<Int>(0)
    private let lastArrival = Atomic<Int64>(0)
    private let lastReceived = Atomic<Int64>(.min)
    /// Taken while a variant index is looked up and changed, for each answer that varies: of two
    /// loops that made one at once, the later took the other's variant out of reach. Its lock is
    /// taken before all others of the cache.
    private let indexing = Mutex<Void>(())
    let sweeps = Mutex(SweepQueue())
    /// When the latest purge was asked for, unix seconds: the freshness of what a soft one chose
    /// ends there.
    let purgedAt = Atomic<Int64>(0)
    /// Says of whatever is held of an answer whether a purge has chosen it since it was born.
    public let purges: Purges
    /// Whether anything was ever composed. Set before the first look at a part.
    let hasComposed = Atomic<Bool>(false)
    let contradictionCount = Atomic<Int>(0)
    let purgeHooks = Mutex(PurgeHooks())
    /// Composed answers by their parts. Its lock is taken before those of the memory tier, never
    /// under one.
    let dependents: Mutex<Dependents>

    /// Has another process forget all that it has stored, and calls the completion when it has.
    public typealias OtherProcess = @Sendable (_ completion: @escaping @Sendable () -> Void) -> Void

    /// Called with an answer that a purge has chosen; nil: with all at once.
    public typealias PurgedHook = @Sendable (StoredResponse?) -> Void

    /// Code of others that purges call. A struct holds it, not a `Mutex` of a closure: each look at
    /// such a closure wraps it once more, and a call goes through all wrappings.
    struct PurgeHooks {
        /// Told of purged answers; nil until there is one to tell.
        var purged: PurgedHook?
        /// Another process that still answers from its copy of this cache; nil where there is none.
        var otherProcess: OtherProcess?
    }

    public init(memory: MemoryTier, file: FileTier?) {
        self.memory = memory
        self.file = file
        purges = file?.purges ?? Purges()
        dependents = Mutex(Dependents(maxParts: Dependents.maxParts(beside: memory.maxBytes)))
        file?.records.onOwedSweep { @Sendable [weak self] in self?.sweepIfOwed() }
    }

    /// The stored response of `key` that is still useful, fresh or not (`Freshness.of`). A useless
    /// one is removed and is a miss. `now` in unix seconds.
    public func lookup(_ key: CacheKey, _ reader: FileReader?, at now: Int64) -> StoredResponse? {
        guard let response = lookupInMemory(key, at: now) ?? promote(key, reader, at: now) else { return nil }
        guard response.isUseful(at: now), !response.isDamaged else {
            remove(response)
            return nil
        }
        if let file, response.shouldReportUse(at: now, every: file.useInterval.seconds) {
            // A use of a composed answer is a use of its parts. Otherwise the parts would be
            // evicted from the file as if no client wanted them.
            for used in response.composition?.parts ?? [key] { file.touch(used, at: now) }
        }
        return response
    }

    /// Stores `response`: in memory at once, on disk later, unless it is personal. A composed
    /// answer that the origin's answer has changed is removed instead: it can be composed again.
    /// `reader` is the caller's, where it has looked for the key.
    public func store(_ response: StoredResponse, _ reader: FileReader? = nil) {
        guard response.composition == nil else { return memory.remove(response.key) }
        let replaced = memory.store(response)
        dropDependents(of: response.key, replacing: replaced, by: response)
        file?.store(response, reader)
    }

    /// The number of the latest answer that this process was given, by the origin or another node.
    public var arrivals: Int64 { lastArrival.load(ordering: .acquiring) }

    /// A number for an answer that comes now.
    public func numberArrival() -> Int64 { lastArrival.add(1, ordering: .acquiringAndReleasing).newValue }

    /// The time of receipt of an answer that comes at `now`, unix seconds: not before that of an
    /// earlier one, which would count as newer. A clock that goes back by more than a minute is
    /// believed.
    public func timeOfArrival(at now: Int64) -> Int64 {
        let latest = lastReceived.max(now, ordering: .relaxed).newValue
        guard latest > now else { return now }
        if latest - now <= ClockStep.adjustment { return latest }
        lastReceived.store(now, ordering: .relaxed)
        return now
    }

    /// Notes when an answer of an earlier run was received; `now` in unix seconds.
    public func note(receivedAt: Int64, at now: Int64) {
        if receivedAt <= now + ClockStep.adjustment { lastReceived.max(receivedAt, ordering: .relaxed) }
    }

    /// Attaches an outline to `response`, if memory still holds that for its key, and returns the
    /// response with its outline. The file does not keep it.
    @discardableResult
    public func attach(_ outline: any Outline, to response: StoredResponse) -> StoredResponse {
        let outlined = response.with(outline: outline)
        memory.attach(outlined, to: response)
        return outlined
    }

    /// Attaches the coded form of `response`, if memory still holds the same for its key, with or
    /// without a newer outline. The file stays as it is.
    public func attach(gzip: [UInt8], to response: StoredResponse) {
        guard let current = memory.peek(response.key), current.isCopy(of: response), current.gzip == nil else {
            return
        }
        memory.attach(current.copy(gzip: gzip), to: current)
    }

    /// Removes the entry of `key` from both tiers.
    public func remove(_ key: CacheKey) {
        removeFromFile(key)
        memory.remove(key)
        dropDependents(of: key)
    }

    /// Removes `response` from both tiers, unless its key has a newer one by now.
    public func remove(_ response: StoredResponse) {
        // The file has another answer under the key of a composed one.
        if response.composition == nil { removeFromFile(response.key, receivedBy: response.receivedAt) }
        memory.remove(response)
        dropDependents(of: response.key)
    }

    /// Removes what the file has under `key`, if that was received by then, in unix seconds. The
    /// caller clears memory afterwards: a promotion that is under way has seen the count, or its
    /// answer is cleared too.
    func removeFromFile(_ key: CacheKey, receivedBy: Int64 = .max) {
        file?.remove(key, receivedBy: receivedBy)
        removals.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    /// Goes through the answers in the file, in the background (`RecordStore.visit`). Without a
    /// file `completion` is called at once.
    public func visitStored(
        _ body: @escaping @Sendable (StoredResponse) -> Bool,
        _ completion: @escaping @Sendable (_ visited: Int) -> Void = { _ in }
    ) {
        guard let file else { return completion(0) }
        file.visit(body, completion)
    }

    /// Frees the answers of an ended scope, in the background. Scopes that end while others are
    /// being freed wait, and go together.
    public func free(_ scope: CacheKey.Scope) {
        let isFirst = ended.withLock { ended in
            defer { ended.insert(scope) }
            return ended.isEmpty
        }
        guard isFirst else { return }
        cleaning.async { @Sendable [self] in
            let scopes = ended.withLock { ended in
                defer { ended = [] }
                return ended
            }
            memory.remove(scopes)
        }
    }

    /// Frees all personal answers, in the background, and calls `completion`.
    public func freePersonal(_ completion: @escaping @Sendable () -> Void = {}) {
        cleaning.async { @Sendable [memory] in
            memory.forEachResponse { if $0.key.isPersonal { memory.remove($0) } }
            completion()
        }
    }

    /// Waits until everything that can be is on disk.
    public func flush() { file?.records.flush() }

    /// Writes the queue and closes the file: for shutdown, never on a loop. Memory goes on
    /// answering; later answers do not reach the disk.
    public func close() { file?.records.close() }

    private func promote(_ key: CacheKey, _ reader: FileReader?, at now: Int64) -> StoredResponse? {
        guard let reader, !key.isPersonal else { return nil }
        return promote(key) { reader.lookup(key, at: now) }
    }

    /// Puts the answer that `read` finds in the file into memory, unless it was purged or removed
    /// meanwhile.
    func promote(_ key: CacheKey, _ read: () -> StoredResponse?) -> StoredResponse? {
        let removalsBefore = removals.load(ordering: .sequentiallyConsistent)
        let purgesBefore = purges.newest
        guard let response = read() else { return nil }
        memory.storeIfAbsent(response)
        guard removals.load(ordering: .sequentiallyConsistent) == removalsBefore,
            !isChosen(response, since: purgesBefore)
        else {
            memory.remove(response)
            dropDependents(of: key)
            return nil
        }
        return response
    }

    // Answers that the origin chose by request fields: found in two steps, through a variant index
    // (`VariantIndex`). Must hold: a variant index is never given out as an answer; an answer that
    // does not vary replaces the variant index.

    /// The stored response for a request to `key`'s target, which would go to the origin with the
    /// field lines `forwarded`. `key` comes without a variant and leaves as the one to store and to
    /// collapse under. Without a variant index it costs one look-up.
    public func lookup(
        _ key: inout CacheKey, _ reader: FileReader?, at now: Int64, forwarded: () -> [UInt8]
    ) -> StoredResponse? {
        guard let found = lookup(key, reader, at: now) else { return nil }
        guard found.isVariantIndex else { return found }
        let lines = forwarded()
        guard let variantIndex = VariantIndex(found.selecting), let variant = variantIndex.variant(of: lines.span)
        else { return nil }
        let base = key
        key.set(variant: variant)
        let exact = lookup(key, reader, at: now)
        if let exact, exact.isFresh(at: now) { return exact }
        guard let (language, variant) = variantIndex.wanted(by: lines.span) else { return exact }
        var other = base
        other.set(variant: variant)
        guard let found = lookup(other, reader, at: now), found.isFresh(at: now), found.language == language else {
            return exact
        }
        key = other
        return found
    }

    /// Stores an answer to a request that went to the origin with the field lines `forwarded`: at
    /// the base key of its target, or, where the origin chose it by the fields that `vary` names,
    /// as a variant of the index there, whatever variant its key came with. Returns it as it was
    /// stored.
    @discardableResult
    public func store(
        _ response: StoredResponse, varyingBy vary: ResponseFacts.Vary, forwarded: Span<UInt8>, _ reader: FileReader?
    ) -> StoredResponse {
        precondition(!vary.isUnbounded, "StoreDecision refuses what varies without bound")
        if vary.names.isEmpty, response.key.variant.isEmpty {
            store(response, reader)
            return response
        }
        var key = response.key
        key.set(variant: [])
        if !vary.names.isEmpty {
            let variant = indexing.withLock { _ in index(response, at: key, vary.names, forwarded, reader) }
            guard let variant else { return response }
            key.set(variant: variant)
        }
        let placed = response.moved(to: key)
        store(placed, reader)
        return placed
    }

    /// The variant of `answer` in the index at `base`, which is completed, or made anew.
    private func index(
        _ answer: StoredResponse, at base: CacheKey, _ names: [UInt8], _ forwarded: Span<UInt8>, _ reader: FileReader?
    ) -> [UInt8]? {
        let (variantIndex, isNew) = variantIndex(names, at: base, for: answer, reader)
        guard let variant = variantIndex.variant(of: forwarded) else { return nil }
        put(variantIndex, isNew: isNew, with: variant, at: base, for: answer)
        return variant
    }

    /// The key of the answer to a request that goes to the origin with the field lines `forwarded`,
    /// where `stored` is one to the same target: its own, if it answers both. Nil: not known now.
    public func key(like stored: StoredResponse, for forwarded: Span<UInt8>, _ reader: FileReader?) -> CacheKey? {
        guard !stored.key.variant.isEmpty else { return stored.key }
        var key = stored.key
        key.set(variant: [])
        guard let found = lookup(key, reader, at: stored.receivedAt),
            let variant = VariantIndex(found.selecting)?.variant(of: forwarded)
        else { return nil }
        key.set(variant: variant)
        return key
    }

    /// The variant index of these names that is stored at `base`, or a new one to replace the entry
    /// there.
    private func variantIndex(
        _ names: [UInt8], at base: CacheKey, for answer: StoredResponse, _ reader: FileReader?
    ) -> (VariantIndex, isNew: Bool) {
        if let found = lookup(base, reader, at: answer.receivedAt), let variantIndex = VariantIndex(found.selecting),
            variantIndex.names == names
        {
            return (variantIndex, false)
        }
        return (VariantIndex(names: names), true)
    }

    /// Stores `variantIndex` at `base`, unless it is there already and knows the language of
    /// `answer`.
    private func put(
        _ variantIndex: VariantIndex, isNew: Bool, with variant: [UInt8], at base: CacheKey, for answer: StoredResponse
    ) {
        var completed = variantIndex
        if variantIndex.isAboutLanguageAlone, let language = answer.language {
            completed.languages.note(language, variant)
        }
        guard isNew || completed != variantIndex else { return }
        store(StoredResponse(variantIndex: completed, at: base, for: answer))
    }

    /// Keeps `text` as the fact of that name, in place of its old text, after all purges that
    /// were noted. Without a file it is forgotten: facts are about the content of the file.
    public func keep(_ text: String, as name: String) {
        file?.records.add(StoreMark(table: .fact, key: Array(name.utf8), value: .text(text)))
    }

    /// Calls `completion` with the fact of that name, on any thread: nil where there is none, or
    /// the file cannot be read. A fact that is being written may count or not.
    public func kept(_ name: String, _ completion: @escaping @Sendable (String?) -> Void) {
        guard let file else { return completion(nil) }
        file.records.visitMarks(.fact) { marks in
            let mark = marks.first { $0.key.elementsEqual(name.utf8) }
            if case .text(let text) = mark?.value { completion(text) } else { completion(nil) }
        }
    }
}
