import EventLoop
import Synchronization
import Text

/// The `RefusalLog` of all connections of a process. Counts are since the start, of this process.
package final class SharedRefusalLog: Sendable {
    private let log = Mutex(RefusalLog())
    /// Whether any refusal lasts: without one, replies are not looked up in the log.
    private let hasLasting = Atomic(false)

    package init() {}

    /// The refusals that last, by kind.
    package var lasting: [LastingRefusal] {
        hasLasting.load(ordering: .relaxed) ? log.withLock { $0.lasting } : []
    }

    /// How often the engine has refused a command for that reason.
    package func count(of kind: EngineRefusal.Kind) -> Int { log.withLock { $0.counts[kind] ?? 0 } }

    /// - Returns: lines for the log.
    func answered(_ commands: [[UInt8]], _ replies: [RESPReply], by engine: Endpoint, now: Instant) -> [String] {
        let refused = zip(commands, replies).compactMap { EngineRefusal($0, $1) }
        guard !refused.isEmpty || hasLasting.load(ordering: .relaxed) else { return [] }
        let accepted = zip(commands, replies).filter { EngineRefusal($0, $1) == nil }
        return change(now) { log, moment in
            log.answered(
                refused, accepted: accepted.map { String(decoding: $0.0, as: UTF8.self) }, by: "\(engine)", at: moment)
        }
    }

    /// A greeting was refused.
    func refusedGreeting(_ refusal: EngineRefusal, now: Instant) {
        change(now) { log, moment in log.refusedGreeting(refusal, at: moment) }
    }

    /// A connection was greeted.
    func greeted(by engine: Endpoint, now: Instant) {
        guard hasLasting.load(ordering: .relaxed) else { return }
        _ = change(now) { $0.answered([], accepted: RefusalLog.greeting, by: "\(engine)", at: $1) }
    }

    private func change<R>(_ now: Instant, _ body: (inout RefusalLog, RefusalLog.Moment) -> R) -> R {
        let moment = RefusalLog.Moment(now: now, wall: Timestamp.now().microseconds / 1_000_000)
        return log.withLock { log in
            defer { hasLasting.store(!log.lasting.isEmpty, ordering: .relaxed) }
            return body(&log, moment)
        }
    }
}
