import CLinux
import Dispatch
import Glibc

/// A serial queue that owns sockets and timers and runs their handlers.
///
/// There is one Dispatch read source, on a private epoll descriptor that holds every socket: a
/// source per socket is slower (0.74 against 1.51 of nginx's rate in the same run) and can crash
/// the process when peers hang up (swift-corelibs-libdispatch #949), whereas an epoll descriptor
/// never hangs up.
///
/// Must hold:
/// - everything but `execute`, `sync`, `stop` and `isOnLoop` is called on the loop;
/// - handlers run in a *turn*: the kernel's events, the timers that are due, and one round of the
///   streams that asked to read on. `now` is read once a turn;
/// - between two rounds of reading on the kernel is asked, so that a stream with much to read costs
///   its neighbours one round at most;
/// - a block runs in a turn: one that goes straight to the queue finds an old `now`;
/// - a loop lives, and holds its descriptors, until `stop`.
///
/// `@unchecked Sendable` because all mutable state is confined to `queue`, which debug builds
/// check.
public final class EventLoop: @unchecked Sendable {
    private let queue: LoopQueue

    /// The time, read once a turn: everything that happens in one turn happens at one instant.
    public private(set) var now: Instant
    private var previousTurn: Instant
    /// Nil, but in runs that do not wait: the clock on the machine is the time then.
    private let virtualTime: VirtualTime?

    /// Bytes that any code may use within one call on the loop: gathering TLS records, discarding
    /// input.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: EventLoop.scratchBytes, alignment: 16)
    /// Size of a TLS record's content (RFC 8446, 5.1).
    static let scratchBytes = 16 * 1024
    /// In nanoseconds: arithmetic with `Duration` is of 128 bits, and took 100 instructions a turn.
    private let longestWait: Int64
    private static let wakeTag = UInt64.max
    /// Rounds of `streamDidClose` in one turn: a handler that is told may close further streams.
    private static let closingRounds = 8

    let poller: Poller
    private let pollSource: any DispatchSourceRead
    private let timerSource: any DispatchSourceTimer
    /// Sockets of this loop (listening, connecting and connected) and its precise timers.
    private(set) var slots = SlotTable<any PollTarget>()
    private var timers = TimerQueue()
    private var timerHold = TimerHold()
    /// When it takes a turn for a timer.
    private var armedDeadline: Instant?
    /// Streams that asked to read on.
    private var readers: [Stream] = []
    /// Streams whose handlers are to be told of the end.
    private var closed: [Stream] = []
    /// Storage for a round, used again.
    private var round: [Stream] = []
    /// Counts turns.
    private(set) var turnNumber = 0
    var handshakes = HandshakeAllowance()
    private var isInTurn = false
    private var isTurnRequested = false
    private var isLeapRequested = false
    private var isStopped = false

    /// Starts a loop; `label` names its queue for debuggers.
    /// - Parameters:
    ///   - virtualTime: the time in place of the machine's clock.
    ///   - longestWait: how long it waits for its sockets before Dispatch does. Only whole
    ///     milliseconds count.
    public init(label: String, virtualTime: VirtualTime? = nil, longestWait: Duration = .milliseconds(10))
        throws(SystemError)
    {
        EventLoop.ignoreSignalsOfWrites
        self.virtualTime = virtualTime
        self.longestWait = virtualTime == nil ? longestWait.wholeNanoseconds : 0
        now = virtualTime?.now ?? Instant.now()
        previousTurn = now
        queue = try LoopQueue(label: label)
        poller = try Poller()
        try poller.add(queue.wakeDescriptor, tag: EventLoop.wakeTag, .level)
        pollSource = DispatchSource.makeReadSource(fileDescriptor: poller.descriptor, queue: queue.dispatch)
        timerSource = DispatchSource.makeTimerSource(queue: queue.dispatch)
        // The handlers keep the loop alive; `stop` cancels the sources, which releases them.
        pollSource.setEventHandler { @Sendable in self.drain() }
        timerSource.setEventHandler { @Sendable in
            self.armedDeadline = nil
            // Asks the kernel first: events that have come count before a deadline that has passed.
            self.drain()
        }
        timerSource.schedule(deadline: .distantFuture)
        timerSource.activate()
        // In virtual time the kernel is asked at the end of every turn; told besides, the order of
        // events would be chance.
        if virtualTime == nil { pollSource.activate() }
    }

    deinit {
        scratch.deallocate()
    }

    /// A write to a closed connection, or to a file at the limit of its size (RLIMIT_FSIZE), is an
    /// error to handle, not a signal to die of. Once per process.
    private static let ignoreSignalsOfWrites: Void = { for write in [SIGPIPE, SIGXFSZ] { signal(write, SIG_IGN) } }()

    // MARK: Work

    /// Runs `body` on the loop, later, in a turn. From any thread.
    public func execute(_ body: @escaping @Sendable () -> Void) {
        queue.async {
            self.turn(body)
            if !self.queue.hasWork { self.drain() }
        }
    }

    /// Runs `body` on the loop and waits for it: for starting and stopping, never on the way of a
    /// request. On the loop it runs at once. Its result stays confined to the loop.
    public func sync<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        if isOnLoop { return try body() }
        var result: Result<R, E>?
        queue.sync {
            turn { result = Result(catching: body) }
        }
        // `queue.sync` has run the block, and `turn` its body, exactly once.
        return try result.unsafelyUnwrapped.get()
    }

    /// True in code that runs on this loop.
    var isOnLoop: Bool { queue.isCurrent }

    /// Traps, in debug builds, if the caller is not on the loop.
    @inline(__always)
    public func assertOnLoop() {
        #if DEBUG
            dispatchPrecondition(condition: .onQueue(queue.dispatch))
        #endif
    }

    // MARK: Timers

    /// The time at this very moment, later in a turn than `now`: for measuring. One
    /// `clock_gettime`.
    public var currentTime: Instant { virtualTime?.now ?? .now() }

    /// Runs `body` on the loop at `deadline`, or in the next turn if that is past. Timers run in
    /// the order of their deadlines, those of equal deadlines in the order in which they were
    /// scheduled.
    ///
    /// The closure is an allocation: a user that changes its deadline with each request keeps one
    /// timer that looks, when it runs, whether it is due, and schedules itself again.
    @discardableResult
    public func schedule(at deadline: Instant, _ body: @escaping () -> Void) -> TimerToken {
        assertOnLoop()
        guard !isStopped else { return TimerToken(tag: .max) }
        requestTurn()
        return timers.insert(at: deadline, body)
    }

    /// Runs `body` after `delay`.
    @discardableResult
    public func schedule(after delay: Duration, _ body: @escaping () -> Void) -> TimerToken {
        schedule(at: now + delay, body)
    }

    /// Forgets the timer and releases its closure. Constant time.
    public func cancel(_ token: TimerToken) {
        assertOnLoop()
        timers.cancel(token)
    }

    private var nextTimer: Instant? { timers.earliest.map { max($0, timerHold.end) } }

    private func runDueTimers() {
        // A timer that has become due since the last turn, or was set to the past, is late by then.
        if now - previousTurn >= TimerHold.lateness, let earliest = timers.earliest {
            timerHold.noteTurn(expected: max(earliest, previousTurn), at: now)
        }
        guard now >= timerHold.end else { return }
        // Bounded by the sequence, so that a timer that schedules itself for now waits for the next
        // turn.
        let bound = timers.nextSequence
        while let (_, body) = timers.popDue(at: now, before: bound) { body() }
        timerHold.noteTimersRun()
    }

    /// The Dispatch timer is set only when an earlier deadline has appeared; one that was cancelled
    /// meanwhile costs one idle turn.
    private func armTimer() {
        if virtualTime != nil { return requestLeap() }
        guard let next = nextTimer, armedDeadline.map({ next < $0 }) ?? true, !isStopped else { return }
        armedDeadline = next
        let delay = max(0, (next - Instant.now()).wholeNanoseconds)
        timerSource.schedule(deadline: .now() + .nanoseconds(Int(delay)), leeway: .milliseconds(1))
    }

    // MARK: Turns

    /// Takes turns until there is nothing more to do, or until other work must have its chance. The
    /// first turn runs in any case: it may have been asked for by a timer or a close.
    private func drain() {
        isInTurn = true
        var count = isStopped ? 0 : poller.poll()
        repeat {
            takeTurn(count)
            if queue.hasWork { break }
            count = isStopped ? 0 : poller.poll()
            if count == 0, readers.isEmpty, closed.isEmpty { count = waitForMore() }
        } while count > 0 || !readers.isEmpty
        endTurns()
    }

    /// Waits a moment before it leaves the queue; returns how many events came. Dispatch would wake
    /// the loop by another thread, with five system calls and some 50 us later.
    private func waitForMore() -> Int {
        guard !isStopped else { return 0 }
        var wait = longestWait
        if let nextTimer {
            let (left, isFar) = nextTimer.nanoseconds.subtractingReportingOverflow(Instant.now().nanoseconds)
            if !isFar { wait = min(wait, left) }
        }
        let milliseconds = Int(wait / 1_000_000)
        return milliseconds > 0 ? queue.wait { poller.poll(waiting: milliseconds) } : 0
    }

    /// A turn for the events of the poller.
    private func takeTurn(_ count: Int) {
        readTime()
        for index in 0..<count {
            let (tag, readiness) = poller.event(index)
            if tag == EventLoop.wakeTag { queue.takeWake() } else { slots[tag]?.descriptorIsReady(readiness) }
        }
        runDueTimers()
        deliverClosed()
        deliverReadable()
        deliverClosed()
    }

    /// A turn for work that was handed in. Streams that read on wait until the kernel was asked.
    private func turn(_ body: () -> Void) {
        if isInTurn { return body() }
        isInTurn = true
        readTime()
        body()
        runDueTimers()
        deliverClosed()
        endTurns()
    }

    private func readTime() {
        previousTurn = now
        now = currentTime
        turnNumber &+= 1
        handshakes.renew()
    }

    private func endTurns() {
        isInTurn = false
        if !readers.isEmpty || !closed.isEmpty { requestTurn() }
        armTimer()
    }

    /// Work that was handed in outside a turn, or is left over from one, needs another.
    private func requestTurn() {
        guard !isInTurn, !isTurnRequested else { return }
        isTurnRequested = true
        queue.async {
            self.isTurnRequested = false
            self.drain()
        }
    }

    /// In virtual time, after every turn. After all work that was handed in by then, because the
    /// queue is serial.
    private func requestLeap() {
        guard !isLeapRequested, !isStopped else { return }
        isLeapRequested = true
        queue.async {
            self.isLeapRequested = false
            self.leap()
        }
    }

    /// Takes a turn; where there is nothing left to do for one, the time of the next timer has
    /// come.
    private func leap() {
        isInTurn = true
        let count = isStopped ? 0 : poller.poll()
        if count == 0, readers.isEmpty, closed.isEmpty, !isTurnRequested {
            guard let next = nextTimer else {
                isInTurn = false
                return
            }
            virtualTime?.pass(to: next)
        }
        takeTurn(count)
        endTurns()
    }

    /// Calls `stream.deliverReadable()` once, at the end of this turn or the next, never from
    /// inside the caller. In the order in which they asked.
    func readLater(_ stream: Stream) {
        readers.append(stream)
        requestTurn()
    }

    /// Calls `stream.deliverClosed()` at the end of this turn, never from inside the caller.
    func tellClosedLater(_ stream: Stream) {
        closed.append(stream)
        requestTurn()
    }

    /// Reads each waiting stream once: a stream that asks again waits until the kernel has been
    /// asked for its neighbours.
    private func deliverReadable() {
        guard !readers.isEmpty else { return }
        swap(&readers, &round)
        for stream in round { stream.deliverReadable() }
        round.removeAll(keepingCapacity: true)
    }

    private func deliverClosed() {
        guard !closed.isEmpty else { return }
        for _ in 0..<EventLoop.closingRounds where !closed.isEmpty {
            swap(&closed, &round)
            for stream in round { stream.deliverClosed() }
            round.removeAll(keepingCapacity: true)
        }
    }

    // MARK: Descriptors

    /// Watches a descriptor for `target`, which stays alive until `remove`.
    func add(_ descriptor: CInt, _ target: any PollTarget, _ trigger: Poller.Trigger) throws(SystemError) -> UInt64 {
        assertOnLoop()
        guard !isStopped else { throw SystemError(call: "epoll_ctl", errno: ESHUTDOWN) }
        let tag = slots.insert(target)
        do {
            try poller.add(descriptor, tag: tag, trigger)
        } catch {
            slots.remove(tag)
            throw error
        }
        return tag
    }

    func setEnabled(_ isEnabled: Bool, _ descriptor: CInt, tag: UInt64) throws(SystemError) {
        try poller.setEnabled(isEnabled, descriptor, tag: tag)
    }

    /// Forgets a descriptor; the caller closes it, which takes it out of the kernel's queue.
    func remove(_ tag: UInt64) {
        slots.remove(tag)
    }

    /// Forgets a descriptor that is not the only one of its socket: closing it leaves it in the
    /// kernel's queue (epoll(7)).
    func remove(_ tag: UInt64, shared descriptor: CInt) {
        slots.remove(tag)
        // It is in the set, so this cannot fail.
        try? poller.remove(descriptor)
    }

    // MARK: Stopping

    /// Closes every socket, drops the timers and lets go of the loop's own descriptors, later and
    /// on the loop. From any thread. `completion` runs on the loop's queue when no descriptor is
    /// left. Stopping twice does nothing more.
    public func stop(_ completion: (@Sendable () -> Void)? = nil) {
        queue.async {
            self.close()
            // The poll source's cancellation handler, which closes epoll, is queued before this.
            if let completion {
                self.pollCancelled.notify(queue: self.queue.dispatch) { @Sendable in completion() }
            }
        }
    }

    private let pollCancelled = DispatchGroup()

    private func close() {
        guard !isStopped else { return }
        turn {
            for target in slots.values { target.loopStops() }
        }
        isStopped = true
        timers.removeAll()
        pollCancelled.enter()
        pollSource.setCancelHandler { @Sendable in
            _ = Glibc.close(self.poller.descriptor)
            self.pollCancelled.leave()
        }
        timerSource.cancel()
        // A source that was never active cannot be cancelled.
        if virtualTime != nil { pollSource.activate() }
        pollSource.cancel()
    }
}
