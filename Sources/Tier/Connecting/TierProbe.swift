import Dispatch
import EventLoop
import Synchronization

/// A trial connection to each engine of a shared tier, for `check`.
package enum TierProbe {
    /// Why none of the engines can be used: a line for each, as the log would say it. Empty if one
    /// can. Blocks the caller for as long as that takes.
    package static func complaints(_ settings: TierSettings) -> [String] {
        complaints(settings, patience: .seconds(5), dialTime: SessionLimits().dialTimeout)
    }

    /// - Parameters:
    ///   - patience: the time for all engines together, which are asked side by side. One takes up
    ///     to twice `dialTime`; in a cluster others may follow.
    ///   - dialTime: the time for a connection, and for the greeting: a busy engine is not amiss.
    static func complaints(_ settings: TierSettings, patience: Duration, dialTime: Duration) -> [String] {
        let loop: EventLoop
        do {
            loop = try EventLoop(label: "refrain.check")
        } catch {
            return ["shared tier \(settings): not tried: \(error)"]
        }
        let results = ProbeResults(settings.endpoints)
        let connections = loop.sync {
            Confined(settings.endpoints.indices.map { connection(settings, $0, dialTime, results, loop) }, to: loop)
        }
        results.wait(patience)
        loop.sync { connections.perform { for connection in $0 { connection.close() } } }
        let stopped = DispatchSemaphore(value: 0)
        loop.stop { stopped.signal() }
        stopped.wait()
        return results.complaints(after: patience)
    }

    /// A connection to one of the engines alone.
    private static func connection(
        _ settings: TierSettings, _ index: Int, _ dialTime: Duration, _ results: ProbeResults, _ loop: EventLoop
    ) -> TierConnection {
        var (settings, limits) = (settings, SessionLimits())
        settings.endpoints = [settings.endpoints[index]]
        (settings.timeout, limits.dialTimeout) = (dialTime, dialTime)
        return TierConnection(
            settings, limits: limits, loop: loop,
            observe: { status in if status.endpoint != nil { results.noteUsable() } },
            log: { line in results.note(line, of: index) })
    }

    /// The findings so far, of all connections.
    private final class ProbeResults: Sendable {
        private struct State {
            var isUsable = false
            /// The first line about each engine.
            var lines: [String?]
        }

        private let endpoints: [Endpoint]
        private let state: Mutex<State>
        /// Signalled once it is known whether an engine can be used.
        private let done = DispatchSemaphore(value: 0)

        init(_ endpoints: [Endpoint]) {
            self.endpoints = endpoints
            state = Mutex(State(lines: endpoints.map { _ in nil }))
        }

        func noteUsable() {
            state.withLock { $0.isUsable = true }
            done.signal()
        }

        func note(_ line: String, of index: Int) {
            let isKnown = state.withLock { state in
                state.lines[index] = state.lines[index] ?? line
                return state.lines.allSatisfy { $0 != nil }
            }
            if isKnown { done.signal() }
        }

        func wait(_ patience: Duration) {
            _ = done.wait(timeout: .now() + .milliseconds(Int(patience.wholeNanoseconds / 1_000_000)))
        }

        func complaints(after patience: Duration) -> [String] {
            state.withLock { state in
                guard !state.isUsable else { return [] }
                return zip(endpoints, state.lines).map { endpoint, line in
                    line ?? "shared tier \(endpoint): no answer within \(patience.components.seconds) seconds"
                }
            }
        }
    }
}
