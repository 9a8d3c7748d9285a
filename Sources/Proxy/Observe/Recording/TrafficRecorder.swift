// Records what the loops answer. Loops hand batches over; one thread of its own, which the scheduler runs when nothing else wants
// to, formats and writes them.
// What must hold: nothing here makes a loop wait; what waits to be written is bounded, and what exceeds the bound is counted.

import Dispatch
import EventLoop
import Recording
import Synchronization

/// How a recording fares.
public struct RecordingStatus: Sendable, Equatable {
    /// What the configuration says; nil: nothing can be recorded.
    public var configured: RecordingSettings?
    public var isOn = false
    /// When the recording in progress began; nil without one.
    public var since: Timestamp?
    /// Since the process began: exchanges and bytes that were written, requests that should have been and were not.
    public var exchanges = 0
    public var bytes = 0
    public var dropped = 0
    /// Why nothing can be written at the moment.
    public var problem: String?

    public init() {}
}

/// One for the process; whether and where it records may change while it runs.
public final class TrafficRecorder: Sendable {
    /// What recordings say who wrote them.
    private let program: String
    private let warn: @Sendable (String) -> Void
    /// Of 2^32 requests; 0: none.
    private let taken = Atomic<Int>(0)
    /// Events that wait, and the bytes that they may keep.
    private let waiting = Atomic<Int>(0)
    private let waitingBytes = Atomic<Int>(0)
    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    private struct State {
        var status = RecordingStatus()
        var orders: [Order] = []
        var hasThread = false
    }

    enum Order: Sendable {
        case write(TrafficBatch)
        case begin(RecordingSettings, @Sendable (RecordingError?) -> Void)
        case end(@Sendable () -> Void)
        case reopen(@Sendable (Result<Bool, RecordingError>) -> Void)
    }

    static let wholeShare = 1 << 32
    /// A second of a busy loop.
    static let mostWaiting = 32 << 10
    static let mostWaitingBytes = 64 << 20

    public init(program: String = "refrain", warn: @escaping @Sendable (String) -> Void = { _ in }) {
        self.program = program
        self.warn = warn
    }

    public var status: RecordingStatus { state.withLock { $0.status } }

    /// Says what can be recorded; what is being recorded goes on.
    public func configure(_ settings: RecordingSettings?) {
        state.withLock { $0.status.configured = settings }
    }

    /// How many of 2^32 requests are recorded.
    @inline(__always)
    var share: Int { taken.load(ordering: .relaxed) }

    /// Takes what a loop has gathered; false where too much is waiting already, or the writer, which anybody may keep from running,
    /// holds the lock, and more than this will come.
    func take(_ batch: TrafficBatch, isLast: Bool = false) -> Bool {
        let isBehind =
            waiting.load(ordering: .relaxed) >= Self.mostWaiting
            || waitingBytes.load(ordering: .relaxed) >= Self.mostWaitingBytes
        guard !isBehind || isLast else { return false }
        waiting.add(batch.events.count, ordering: .relaxed)
        waitingBytes.add(batch.byteCount, ordering: .relaxed)
        if isLast {
            order(.write(batch))
            return true
        }
        // Another loop holds the lock for a moment; the writer, where it was kept from running in the middle, for long.
        for _ in 0..<Self.mostTries where state.withLockIfAvailable({ $0.orders.append(.write(batch)) }) != nil {
            wake.signal()
            return true
        }
        forget(batch)
        return false
    }

    /// Some microseconds.
    private static let mostTries = 256

    private func forget(_ batch: TrafficBatch) {
        waiting.subtract(batch.events.count, ordering: .relaxed)
        waitingBytes.subtract(batch.byteCount, ordering: .relaxed)
    }

    /// Begins to record; where it does already, nothing changes. `completion` is called from a thread of its own.
    func begin(_ settings: RecordingSettings, _ completion: @escaping @Sendable (RecordingError?) -> Void) {
        order(.begin(settings, completion))
    }

    /// Takes nothing more from now on; what the loops have gathered is still written, until `end`.
    func pause() {
        taken.store(0, ordering: .relaxed)
    }

    /// Writes what is waiting and closes the files.
    func end(_ completion: @escaping @Sendable () -> Void) {
        pause()
        guard state.withLock({ $0.hasThread }) else { return completion() }
        order(.end(completion))
    }

    /// The same, and waits for it; not for ever, because on a machine that has too much to do it may be long.
    func end(within patience: DispatchTimeInterval) {
        let done = DispatchSemaphore(value: 0)
        end { done.signal() }
        _ = done.wait(timeout: .now() + patience)
    }

    /// Goes on in a new file where the old one was moved away. `completion` is called from a thread of its own with whether it
    /// was, or what went wrong; never where nothing is recorded.
    func reopen(_ completion: @escaping @Sendable (Result<Bool, RecordingError>) -> Void) {
        guard state.withLock({ $0.status.isOn }) else { return }
        order(.reopen(completion))
    }

    private func order(_ order: Order) {
        let needsThread = state.withLock { state in
            state.orders.append(order)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { BackgroundThread.start { [self] in carryOutOrders() } }
        wake.signal()
    }

    /// The thread, for as long as the process lives.
    private func carryOutOrders() {
        var session: RecordingSession?
        while true {
            wake.wait()
            let orders = state.withLock { state in
                defer { state.orders = [] }
                return state.orders
            }
            for order in orders { carryOut(order, &session) }
        }
    }

    private func carryOut(_ order: Order, _ session: inout RecordingSession?) {
        switch order {
        case .write(let batch):
            forget(batch)
            session?.write(batch)
            if let session { note(session) } else { count(dropped: batch.events.count + batch.dropped) }
        case .begin(let settings, let completion):
            do throws(RecordingError) {
                if session == nil { session = try RecordingSession(settings, program: program) }
                taken.store(Int(settings.sampling * Double(Self.wholeShare)), ordering: .relaxed)
                if let session { note(session) }
                completion(nil)
            } catch {
                completion(error)
            }
        case .end(let completion):
            pause()
            if let session { note(session) }
            session = nil
            state.withLock { state in
                state.status.isOn = false
                state.status.since = nil
                state.status.problem = nil
            }
            completion()
        case .reopen(let completion):
            do throws(RecordingError) {
                completion(.success(try session?.reopen() ?? false))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func count(dropped count: Int) {
        state.withLock { $0.status.dropped += count }
    }

    /// Adds what a session has done since the last time, and says once what has gone wrong.
    private func note(_ session: RecordingSession) {
        let progress = session.takeProgress()
        let problem = state.withLock { state in
            state.status.isOn = true
            state.status.since = session.began
            state.status.exchanges += progress.exchanges
            state.status.bytes += progress.bytes
            state.status.dropped += progress.dropped
            defer { state.status.problem = progress.problem }
            return state.status.problem == progress.problem ? nil : progress.problem
        }
        if let problem { warn("record: \(problem); exchanges are left out until it can be written again") }
    }
}
