import Dispatch
import EventLoop
import Purging
import Store
import Synchronization

// Purges of both tiers. A purge is an entry of the list (`Purges`): from then on every look-up asks
// whether one has chosen the answer that it finds. A sweep removes the chosen, from memory and from
// the file, for all purges that were noted before it began.
// Must hold: an answer that is put where a sweep has looked already is judged by the code that puts
// it there (`isChosen(since:)`), after it is there.

extension ResponseCache {
    /// Purges both tiers. From now on no chosen answer is found as it was; `durable` is called once
    /// that holds for the next life too; not where the disk refuses it. `completion` gets the
    /// number of chosen answers, one that is in both tiers counted once, when a sweep has removed
    /// or softened them: for a quarter of its time, so that clients hardly notice. Nil where
    /// another process writes the file. Where another process answers from the same cache, it has
    /// forgotten everything by then. Either may come first, on any thread.
    /// - Parameter now: where the freshness of the chosen ends, if it is soft; unix seconds.
    public func purge(
        _ selection: EntrySelection, _ mode: PurgeMode, at now: Int64, durable: @escaping @Sendable () -> Void = {},
        _ completion: @escaping @Sendable (Int?) -> Void
    ) {
        if mode == .dryRun { return wait(for: selection, mode, purges.newest, completion) }
        purgedAt.store(now, ordering: .relaxed)
        if selection.conditions.isEmpty { tellPurged(nil) }
        let number = purges.note(selection, mode)
        wait(for: selection, mode, number) { @Sendable [self] count in
            afterOtherProcess { completion(count) }
        }
        guard let file else { return afterOtherProcess(durable) }
        file.records.sync { @Sendable [self] isOurs in
            if isOurs { afterOtherProcess(durable) }
        }
    }

    private func wait(
        for selection: EntrySelection, _ mode: PurgeMode, _ number: Int64,
        _ completion: @escaping @Sendable (Int?) -> Void
    ) {
        guard sweeps.withLock({ $0.add(selection, mode, number, completion) }) else { return }
        purging.async { @Sendable [self] in sweep() }
    }

    /// Goes on with what is owed: the file can be written again, or was opened with purges that had
    /// not been through it.
    package func sweepIfOwed() {
        guard purges.isSweeping, sweeps.withLock({ $0.begin() }) else { return }
        purging.async { @Sendable [self] in sweep() }
    }

    /// From now on purges have another process forget its answers; nil: there is none any more.
    public func setOtherProcess(_ other: OtherProcess?) { purgeHooks.withLock { $0.otherProcess = other } }

    /// Calls `body` once another process that answers from the same cache, if there is one, has
    /// forgotten its answers.
    private func afterOtherProcess(_ body: @escaping @Sendable () -> Void) {
        if let forget = purgeHooks.withLock({ $0.otherProcess }) { forget(body) } else { body() }
    }

    /// From now on `hook` is told of each answer that is found to be purged: of those in memory,
    /// not of those in the file alone. On any thread.
    public func setOnPurged(_ hook: @escaping PurgedHook) { purgeHooks.withLock { $0.purged = hook } }

    /// Tells of an answer that a purge has chosen; nil: of all.
    private func tellPurged(_ response: StoredResponse?) { purgeHooks.withLock { $0.purged }?(response) }

    // MARK: Sweeping

    /// Walks once over memory, then over the file. On the queue of purges.
    private func sweep() {
        var sweep = Sweep(purges, waiting: sweeps.withLock { $0.take() })
        // An answer that is being composed is there by then, or its parts are judged anew.
        dependents.withLock { _ in }
        memory.sweep(&sweep, at: purgedAt.load(ordering: .relaxed)) { tellPurged($0) }
        guard let file else { return end(sweep, .done) }
        file.records.sweep(sweep, at: purgedAt.load(ordering: .relaxed)) { @Sendable [self] sweep, end in
            purging.async { @Sendable [self] in self.end(sweep, end) }
        }
    }

    private func end(_ sweep: Sweep, _ end: SweepEnd) {
        // Purges from before a file was taken over have other numbers now.
        let isVain = end == .done && !purges.noteSwept(by: sweep)
        let (due, begins) = sweeps.withLock { sweeps in
            sweeps.end(
                sweep.waiting, counted: end != .refused && !isVain, isOwed: end == .done && purges.isSweeping)
        }
        for (completion, count) in due { completion(count) }
        if begins { purging.async { @Sendable [self] in self.sweep() } }
    }

    // MARK: Judging

    /// The answer that memory has under the key, after the purges that it has not had.
    public func lookupInMemory(_ key: CacheKey, at now: Int64) -> StoredResponse? {
        // As long as nothing is swept a hit costs two loads more.
        let swept = purges.swept
        let newest = purges.newest
        guard let found = memory.lookup(key) else { return nil }
        return swept == newest ? found : left(of: found, since: swept, newest, at: now)
    }

    private func left(of found: StoredResponse, since swept: Int64, _ newest: Int64, at now: Int64) -> StoredResponse? {
        if found.judged == newest { return found }
        switch verdict(on: found, since: swept) {
        case .untouched:
            found.noteJudged(newest)
            return found
        case .stale:
            tellPurged(found)
            return memory.soften(found, at: now, judged: newest)
        case .gone:
            tellPurged(found)
            memory.remove(found)
            dropDependents(of: found.key)
            return nil
        }
    }

    /// Takes the freshness of an answer that was stored just now, which a soft purge has chosen
    /// meanwhile. `now` in unix seconds.
    public func soften(_ response: StoredResponse, at now: Int64) {
        guard let current = memory.peek(response.key) else { return remove(response.key) }
        // A newer one is judged by the code that stored it.
        guard current.isCopy(of: response) || !current.isFresh(at: now) else { return }
        let newest = purges.newest
        guard purges.verdict(on: response, since: response.born) != .gone else { return remove(response.key) }
        let softened = response.withoutFreshness(at: now).copy(born: newest)
        store(softened)
        dropDependents(of: response.key)
        // The sweep of a purge that came meanwhile may have looked there before.
        if purges.verdict(on: softened, since: newest) == .gone {
            memory.remove(softened)
            file?.remove(softened.key, receivedBy: softened.receivedAt)
        }
    }

    /// Whether a purge after that number has chosen an answer which was put into memory since.
    func isChosen(_ response: StoredResponse, since number: Int64) -> Bool {
        verdict(on: response, since: number) != .untouched
    }

    /// The verdict of the purges after that number which concern the answer.
    func verdict(on response: StoredResponse, since number: Int64) -> PurgeVerdict {
        purges.verdict(on: response, since: max(number, response.born))
    }
}

extension MemoryTier {
    /// Takes all entries through a sweep. Loops wait for one short piece of one shard at a time,
    /// and between the pieces the thread rests.
    /// - Parameter each: called with the chosen after their turn.
    func sweep(_ sweep: inout Sweep, at now: Int64, each: (StoredResponse) -> Void = { _ in }) {
        WorkPace.resting { rest in
            forEachResponse(betweenPieces: rest) { response in
                let verdict = sweep.judge(
                    response, born: response.born, index: response.key.isPersonal ? nil : response.key.index,
                    counts: response.countsAsEntry)
                switch verdict {
                case .untouched: return
                case .gone: remove(response)
                case .stale: soften(response, at: now, judged: sweep.last)
                }
                each(response)
            }
        }
    }

    /// Takes the freshness of an answer that a soft purge chose. What is left; nil where it goes.
    @discardableResult
    func soften(_ response: StoredResponse, at now: Int64, judged number: Int64) -> StoredResponse? {
        // A variant index has no content that could be too old, and its variants are softened
        // themselves.
        if response.isVariantIndex { return response }
        guard response.composition == nil else {
            // It can be composed again.
            remove(response)
            return nil
        }
        let softened = response.withoutFreshness(at: now).copy(born: number)
        replace(response, with: softened)
        return softened
    }
}
