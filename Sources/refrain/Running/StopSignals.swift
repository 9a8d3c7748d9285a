import Dispatch
import EventLoop
import Glibc
import Synchronization

/// Waits for the operator to stop the program: TERM or INT.
///
/// The handlers run on a queue of their own, so that the main thread can simply wait.
/// Must hold: signals alone are counted; a wake-up only has the main thread look again. Only an INT
/// after the first signal means at once: service managers, shells and timeout(1) send TERM twice.
final class StopSignals {
    private let watcher = SignalWatcher(queue: DispatchQueue(label: "refrain.signals"))
    private let woken = DispatchSemaphore(value: 0)
    private let shared = ReceivedSignals()

    /// The signals so far.
    struct Received {
        /// Several at once may count as one.
        private(set) var count = 0
        /// Whether an INT came after the first signal.
        private(set) var isUrgent = false

        mutating func note(_ signal: CInt) {
            if signal == SIGINT, count > 0 { isUrgent = true }
            count += 1
        }
    }

    private final class ReceivedSignals: Sendable {
        let received = Mutex(Received())
    }

    init() {
        for signal in [SIGTERM, SIGINT] {
            watcher.on(signal) { @Sendable [woken, shared] in
                shared.received.withLock { $0.note(signal) }
                woken.signal()
            }
        }
    }

    /// Runs `handler` on each delivery of `signal`.
    func on(_ signal: CInt, _ handler: @escaping @Sendable () -> Void) {
        watcher.on(signal, handler)
    }

    private var received: Received { shared.received.withLock { $0 } }

    /// The signals so far.
    var count: Int { received.count }

    /// Has the main thread look again at the condition that it waits for.
    var wake: @Sendable () -> Void { { @Sendable [woken] in _ = woken.signal() } }

    /// Waits for a signal.
    func wait() {
        wait { count > 0 }
    }

    /// Waits until `condition` holds, or `deadline` has come; false: it does not hold.
    @discardableResult
    func wait(until deadline: Instant? = nil, _ condition: () -> Bool) -> Bool {
        while !condition() {
            if let deadline, deadline <= .now() { return false }
            pause(until: deadline)
        }
        return true
    }

    /// Begins to drain, and returns when the departure is over.
    /// - Parameters:
    ///   - drain: has to call its completion when all requests are finished.
    ///   - look: adds the facts about other processes.
    ///   - hurry: called once at most.
    func depart(
        _ departure: Departure, by drain: (_ completion: @escaping @Sendable (_ cutOff: Int) -> Void) -> Void,
        look: (inout Departure.Facts) -> Void = { _ in }, hurry: () -> Void = {}
    ) -> Departure.Ending {
        var departure = departure
        let drained = Mutex<Int?>(nil)
        drain { @Sendable [woken] cutOff in
            drained.withLock { $0 = cutOff }
            woken.signal()
        }
        while true {
            let received = received
            var facts = Departure.Facts(
                isAsked: received.count > 0, isUrgent: received.isUrgent, cutOff: drained.withLock { $0 })
            look(&facts)
            switch departure.next(facts, at: .now()) {
            case .wait(let deadline): pause(until: deadline)
            case .hurry: hurry()
            case .over(let ending): return ending
            }
        }
    }

    private func pause(until deadline: Instant?) {
        guard let deadline else { return woken.wait() }
        let left = max(0, (deadline - .now()).wholeNanoseconds)
        _ = woken.wait(timeout: .now() + .nanoseconds(Int(left)))
    }
}
