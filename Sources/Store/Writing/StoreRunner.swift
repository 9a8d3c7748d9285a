import Dispatch
import EventLoop
import Purging
import Synchronization

// Gives the store's work its turns, on a queue.
// Must hold: one turn at a time has the writer's lock, and holds it for one bounded thing; every
// turn of the queue lets the others have theirs. Lock order: the writer's, then one of
// `SharedState`'s or a reader's.

final class StoreRunner: Sendable {
    let shared: SharedState
    let work: Mutex<StoreWork>
    /// Does all that takes the writer. Its thread gives way to the loops, but has a share of a busy
    /// machine (niceness 10): it may hold a lock that others wait for (DECISIONS 7.17).
    let queue = DispatchQueue(label: "refrain.cache.writer", qos: .background)
    /// Whether queued operations wait for `flush`. Then batches and evictions do not depend on
    /// chance.
    private let isTemporary: Bool
    /// The reports of readers that wait. One at a time is enough.
    private let isReported = Atomic<Bool>(false)

    /// The longest time that last-use times wait for another write, to be written with it.
    private static let touchDelay = DispatchTimeInterval.seconds(15)
    /// How long a queued operation waits for others, to be written with them.
    private static let gathering = DispatchTimeInterval.milliseconds(100)
    /// Beyond this many bytes it does not wait.
    private static let gatheredBytes = 4 << 20

    init(_ work: sending StoreWork, _ shared: SharedState, isTemporary: Bool) {
        self.work = Mutex(work)
        self.shared = shared
        self.isTemporary = isTemporary
    }

    /// Opens the file and begins to write.
    func start() { perform(work.withLock { $0.handle(.due(isForced: true)) }) }

    // MARK: The queue

    /// Called after an operation was queued. Operations within `gathering` are written together:
    /// they mostly change the same pages.
    func schedule(_ isFirst: Bool, _ byteCount: Int) {
        guard !isTemporary else { return }
        if isFirst {
            begin(.scheduled, after: Self.gathering)
        } else if byteCount >= Self.gatheredBytes, shared.pending.withLock({ $0.claim(.early) }) {
            begin(.early, after: .seconds(0))
        }
    }

    /// Called after the first last-use time was noted.
    func scheduleTouches() {
        guard !isTemporary else { return }
        queue.asyncAfter(deadline: .now() + Self.touchDelay) { @Sendable [weak self] in self?.turn() }
    }

    private func begin(_ turn: PendingWrites.Turn, after delay: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + delay) { @Sendable [weak self] in
            guard let self else { return }
            shared.pending.withLock { $0.begin(turn) }
            self.turn()
        }
    }

    func enqueue(_ operation: PendingWrites.Operation, _ index: Int64) {
        let (admission, isFirst, byteCount) = shared.pending.withLock { pending in
            let admission = pending.enqueue(
                operation, index, isInFile: shared.directory.find(index.relative(to: shared.home)) != .absent)
            return (admission, pending.claim(.scheduled), pending.byteCount)
        }
        if case .store = operation, admission != .taken { shared.counters.withLock { $0.dropped += 1 } }
        if admission == .overflown {
            shared.owner.purgeAll()
            shared.pending.withLock { $0.forgetRemovals() }
            resume()
        }
        schedule(isFirst, byteCount)
    }

    /// Counts a damaged record, and removes it.
    func removeDamaged(_ index: Int64, receivedBy: Int64 = .max) {
        shared.counters.withLock { $0.damaged += 1 }
        enqueue(.remove(receivedBy: receivedBy), index)
    }

    /// A line of the log about the file, on the queue.
    func tell(_ words: String) {
        queue.async { @Sendable [weak self] in self?.work.withLock { $0.tell(words) } }
    }

    // MARK: Turns

    /// A turn of writing, on the queue.
    private func turn() {
        perform(work.withLock { $0.handle(.due(isForced: false)) })
    }

    /// Writes all that waits, or fails. The rest of a round and the next one have all of that. On
    /// the queue.
    func drain(isForced: Bool) {
        let last = shared.pending.withLock { $0.roundCount } + 2
        var isGoingOn = true
        while isGoingOn {
            isGoingOn = false
            for order in work.withLock({ $0.handle(.due(isForced: isForced)) }) {
                let isLast = shared.pending.withLock { $0.roundCount } >= last
                switch order {
                case .turn where !isLast, .gather where !isLast: isGoingOn = true
                default: perform(order)
                }
            }
        }
    }

    /// Waits until an event is dealt with. Never on a loop.
    func wait(for event: StoreEvent) {
        queue.sync { perform(work.withLock { $0.handle(event) }) }
    }

    /// Writes all that waits, and ends. Purges that are under way are refused.
    func stop() {
        queue.sync {
            perform(work.withLock { $0.handle(.stopping) })
            drain(isForced: true)
            perform(work.withLock { $0.handle(.stop) })
        }
    }

    /// Writes all that waits, and lets another process write the file.
    func lend() {
        queue.sync {
            drain(isForced: true)
            perform(work.withLock { $0.handle(.lend) })
        }
    }

    private func perform(_ orders: [StoreOrder]) {
        for order in orders { perform(order) }
    }

    private func perform(_ order: StoreOrder) {
        switch order {
        case .turn: turnSoon()
        case .gather:
            // Operations that came during a round wait for others as if there had been no round.
            if shared.pending.withLock({ $0.claim(.scheduled) }) { schedule(true, 0) }
        case .retry(let delay):
            let deadline = DispatchTime.now() + .nanoseconds(Int(delay.wholeNanoseconds))
            queue.asyncAfter(deadline: deadline) { @Sendable [weak self] in self?.turn() }
        case .chore(let chore):
            queue.async { @Sendable [weak self] in
                guard let self else { return }
                perform(work.withLock { $0.handle(.choreDue(chore)) })
            }
        case .sweep(let id): queue.async { @Sendable [weak self] in self?.step(sweep: id) }
        case .ended(let completion, let sweep, let end): completion(sweep, end)
        case .resume: resume()
        }
    }

    // MARK: Purges

    /// Takes the queue through a sweep, and then the file in small steps between which the writer
    /// rests or does other work (`WorkPace`). `completion` runs on the queue.
    func sweep(_ sweep: Sweep, at now: Int64, _ completion: @escaping SweepCompletion) {
        queue.async { @Sendable [self] in
            rest { $0.begin(sweep, at: now, completion) }
        }
    }

    private func step(sweep id: Int) {
        rest { $0.handle(.sweep(.due(id))) }
    }

    /// A step, after which the sweep rests longer than it took.
    private func rest(_ step: (inout StoreWork) -> [StoreOrder]) {
        let begun = DispatchTime.now().uptimeNanoseconds
        let orders = work.withLock { step(&$0) }
        let rest = isTemporary ? 0 : WorkPace.rest(after: DispatchTime.now().uptimeNanoseconds - begun)
        for order in orders {
            guard case .sweep(let id) = order else {
                perform(order)
                continue
            }
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: rest))) { @Sendable [self] in
                self.step(sweep: id)
            }
        }
    }

    /// Calls `completion` on the queue, once the marks of purges that wait are on the disk, or with
    /// false.
    func sync(_ completion: @escaping @Sendable (Bool) -> Void) {
        queue.async { @Sendable [self] in
            let (orders, isDone) = work.withLock { $0.synchronizePurges() }
            perform(orders)
            completion(isDone)
        }
    }

    /// The sweep that is owed to the file can be done.
    private func resume() { shared.resuming.withLock { $0.call }?() }

    // MARK: Reports of readers

    /// A look-up or a look at many records failed.
    func noteFailedRead(_ error: SQLiteError, generation: Int, at place: Place? = nil) {
        shared.counters.withLock { $0.failedReads += 1 }
        report(error, generation: generation, at: place)
    }

    /// Reads a place with `read`, for code that goes through many; nil where its segment cannot be
    /// read: that is reported, and costs no other record.
    func ifReadable<R>(
        _ place: Place?, _ generation: Int, _ read: () throws(SQLiteError) -> R
    ) throws(SQLiteError) -> R? {
        do throws(SQLiteError) { return try read() } catch {
            guard error.segment != nil else { throw error }
            noteFailedRead(error, generation: generation, at: place)
            return nil
        }
    }

    /// Called when a reader could not read the file, or found it damaged. The file is checked,
    /// unless it has been replaced since.
    func report(_ error: SQLiteError, generation: Int, at place: Place? = nil) {
        let isSegment = error.segment != nil && place != nil
        guard isSegment || [.damage, .unreadable].contains(error.fault), !isReported.exchange(true, ordering: .relaxed)
        else { return }
        queue.async { @Sendable [self] in
            isReported.store(false, ordering: .relaxed)
            guard shared.generation.load(ordering: .acquiring) == generation else { return }
            perform(
                work.withLock { work in
                    if isSegment, let place { return work.probe(place) }
                    return work.handle(.reported("\(error)", error.fault))
                })
        }
    }

    /// At most one turn that continues a round is scheduled.
    private func turnSoon() {
        guard !isTemporary, shared.pending.withLock({ $0.claim(.next) }) else { return }
        begin(.next, after: .seconds(0))
    }
}
