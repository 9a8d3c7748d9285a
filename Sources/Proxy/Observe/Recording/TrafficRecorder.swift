// Records the answers of the loops. Loops hand batches over; one thread of its own, which the
// scheduler runs when nothing else wants to, formats and writes them.
// Must hold: nothing here makes a loop wait; what waits to be written is bounded, and what
// exceeds the bound is counted.

import Dispatch
import EventLoop
import Glibc
import Recording
import Synchronization
import Text

/// The status of a recording.
public struct RecordingStatus: Sendable, Equatable {
    /// Settings of the configuration; nil: nothing can be recorded.
    public var configured: RecordingSettings?
    public var isOn = false
    /// When the recording in progress began; nil without one.
    public var since: Timestamp?
    /// Since the process began: exchanges and bytes that were written, requests that should have
    /// been and were not.
    public var exchanges = 0
    public var bytes = 0
    public var dropped = 0
    /// Why nothing can be written at the moment, or could not be begun.
    public var problem: String?

    public init() {}
}

/// The process's recorder; whether and where it records may change while it runs.
public final class TrafficRecorder: Sendable {
    /// The writer's name in recordings.
    private let program: String
    private let warn: @Sendable (String) -> Void
    /// Share of 2^32 requests; 0: none.
    private let taken = Atomic<Int>(0)
    private let batches = BatchQueue()
    /// Events that wait, and the bytes that they may keep.
    private let waiting = Atomic<Int>(0)
    private let waitingBytes = Atomic<Int>(0)
    /// The loops never touch it.
    let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let startThread: @Sendable (@escaping BackgroundThread.Body) -> CInt?

    struct State {
        fileprivate var status = RecordingStatus()
        fileprivate var orders: [Order] = []
        fileprivate var hasThread = false
        /// Orders to begin so far, and how many there had been at the last pause: an earlier one
        /// does not undo that.
        fileprivate var begun = 0
        fileprivate var paused = 0
    }

    fileprivate enum Order: Sendable {
        case begin(Int, RecordingSettings, @Sendable (RecordingError?) -> Void)
        case end(Int, @Sendable () -> Void)
        case reopen(@Sendable (Result<Bool, RecordingError>) -> Void)
    }

    static let wholeShare = 1 << 32
    /// A second of a busy loop.
    static let mostWaiting = 32 << 10
    static let mostWaitingBytes = ProxyMemory.recordedBytes

    public convenience init(program: String = "refrain", warn: @escaping @Sendable (String) -> Void = { _ in }) {
        self.init(program: program, warn: warn) { BackgroundThread.start($0) }
    }

    init(
        program: String, warn: @escaping @Sendable (String) -> Void,
        startThread: @escaping @Sendable (@escaping BackgroundThread.Body) -> CInt?
    ) {
        (self.program, self.warn, self.startThread) = (program, warn, startThread)
    }

    public var status: RecordingStatus { state.withLock { $0.status } }

    /// Says what can be recorded; a recording in progress goes on.
    public func configure(_ settings: RecordingSettings?) {
        state.withLock { $0.status.configured = settings }
    }

    /// How many of 2^32 requests are recorded.
    @inline(__always)
    var share: Int { taken.load(ordering: .relaxed) }

    /// Takes a loop's batch; false where too much is waiting already, and more than this
    /// will come.
    func take(_ batch: TrafficBatch, isLast: Bool = false) -> Bool {
        let isBehind =
            waiting.load(ordering: .relaxed) >= Self.mostWaiting
            || waitingBytes.load(ordering: .relaxed) >= Self.mostWaitingBytes
        guard !isBehind || isLast else { return false }
        waiting.add(batch.events.count, ordering: .relaxed)
        waitingBytes.add(batch.byteCount, ordering: .relaxed)
        batches.add(batch)
        wake.signal()
        return true
    }

    /// Begins to record; where it does already, nothing changes. `completion` is called from a
    /// thread of its own, or from this one where there is none.
    func begin(_ settings: RecordingSettings, _ completion: @escaping @Sendable (RecordingError?) -> Void) {
        order { state in
            state.begun += 1
            return .begin(state.begun, settings, completion)
        }
    }

    /// Takes no more requests from now on; the loops' batches are still written, until `end`.
    /// - Returns: what `end` has to be told.
    @discardableResult
    func pause() -> Int {
        state.withLock { state in
            state.paused = state.begun
            taken.store(0, ordering: .relaxed)
            return state.paused
        }
    }

    /// Writes the waiting batches and closes the files; where it was told to begin again since the
    /// pause, it goes on.
    /// - Parameter paused: what `pause` said; nil: it pauses now.
    func end(_ paused: Int? = nil, _ completion: @escaping @Sendable () -> Void) {
        let paused = paused ?? pause()
        guard state.withLock({ $0.hasThread }) else { return completion() }
        order { _ in .end(paused, completion) }
    }

    /// Ends, and waits for it; not for ever, because on a machine that has too much to do it may be
    /// long.
    func end(within patience: DispatchTimeInterval) {
        let done = DispatchSemaphore(value: 0)
        end { done.signal() }
        _ = done.wait(timeout: .now() + patience)
    }

    /// Goes on in a new file where the old one was moved away. `completion` is called from a thread
    /// of its own with whether it was, or what went wrong; never where nothing is recorded.
    public func reopen(_ completion: @escaping @Sendable (Result<Bool, RecordingError>) -> Void) {
        guard state.withLock({ $0.status.isOn }) else { return }
        order { _ in .reopen(completion) }
    }

    private func order(_ make: (inout State) -> Order) {
        let needsThread = state.withLock { state in
            state.orders.append(make(&state))
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread, let code = startThread({ [self] in carryOutOrders($0) }) { return refuseOrders(code) }
        wake.signal()
    }

    /// There is no thread; the next order tries to start one again.
    private func refuseOrders(_ code: CInt) {
        let orders = state.withLock { state in
            state.hasThread = false
            defer { state.orders = [] }
            return state.orders
        }
        for order in orders {
            switch order {
            case .begin(_, let settings, let completion):
                refuse(.cannotWrite(path: settings.path, code: code), completion)
            case .end(_, let completion): completion()
            case .reopen(let completion): completion(.success(false))
            }
        }
        warn("record: the writer thread could not be started (\(String(cString: strerror(code)))); nothing is recorded")
    }

    /// The thread, for as long as the process lives.
    private func carryOutOrders(_ refusal: CInt?) {
        if let refusal {
            let reason = String(cString: strerror(refusal))
            warn("record: the writer thread cannot get the lowest priority (\(reason)); it may delay answers")
        }
        var session: RecordingSession?
        while true {
            wake.wait()
            let orders = state.withLock { state in
                defer { state.orders = [] }
                return state.orders
            }
            // Taken after the orders: a batch that a loop handed over before an order is written
            // before that is carried out.
            for batch in batches.takeAll() { write(batch, session) }
            for order in orders { carryOut(order, &session) }
        }
    }

    private func write(_ batch: TrafficBatch, _ session: RecordingSession?) {
        waiting.subtract(batch.events.count, ordering: .relaxed)
        waitingBytes.subtract(batch.byteCount, ordering: .relaxed)
        guard let session else {
            return state.withLock { $0.status.dropped += batch.events.count + batch.dropped }
        }
        session.write(batch)
        note(session)
    }

    private func carryOut(_ order: Order, _ session: inout RecordingSession?) {
        switch order {
        case .begin(let number, let settings, let completion):
            // Paused, and not ended yet: the same goes on, another takes its place.
            if share == 0, let old = session, old.settings != settings { close(&session) }
            do throws(RecordingError) {
                if session == nil { session = try RecordingSession(settings, program: program) }
                take(settings.sampling, unlessPausedSince: number)
                if let session { note(session) }
                completion(nil)
            } catch {
                refuse(error, completion)
            }
        case .end(let paused, let completion):
            if state.withLock({ $0.begun == paused }) { close(&session) }
            completion()
        case .reopen(let completion):
            do throws(RecordingError) {
                completion(.success(try session?.reopen() ?? false))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func refuse(_ error: RecordingError, _ completion: (RecordingError?) -> Void) {
        state.withLock { $0.status.problem = error.description }
        completion(error)
    }

    private func take(_ sampling: Double, unlessPausedSince number: Int) {
        state.withLock { state in
            guard state.paused < number else { return }
            taken.store(Int(clamping: sampling * Double(Self.wholeShare)), ordering: .relaxed)
        }
    }

    private func close(_ session: inout RecordingSession?) {
        if let session { note(session) }
        session = nil
        state.withLock { state in
            state.status.isOn = false
            state.status.since = nil
            state.status.problem = nil
        }
    }

    /// Adds a session's progress since the last time, and warns of a new problem once.
    private func note(_ session: RecordingSession) {
        let progress = session.takeProgress()
        let before = state.withLock { state in
            defer { state.status.problem = progress.problem }
            state.status.isOn = true
            state.status.since = session.began
            state.status.exchanges += progress.exchanges
            state.status.bytes += progress.bytes
            state.status.dropped += progress.dropped
            return state.status.problem
        }
        guard progress.problem != before else { return }
        guard let problem = progress.problem else {
            return warn("record: \(session.settings.path) can be written again")
        }
        warn("record: \(problem); exchanges are dropped until the file can be written again")
    }
}
