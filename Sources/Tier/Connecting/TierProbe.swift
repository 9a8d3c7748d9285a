import Dispatch
import EventLoop
import Synchronization

/// One look at the engines of a shared tier, for `check`.
package enum TierProbe {
    /// The time for all engines together, which are asked side by side. One has a second to be
    /// connected to, and one to greet; in a cluster others may follow.
    private static let patience: Duration = .seconds(5)

    /// Why none of the engines can be used: a line for each, as the log would say it. Empty if one
    /// can. Blocks the caller for as long as that takes.
    package static func complaints(_ settings: TierSettings) -> [String] {
        let loop: EventLoop
        do {
            loop = try EventLoop(label: "refrain.check")
        } catch {
            return ["shared tier \(settings): not tried: \(error)"]
        }
        let look = Look(settings.endpoints)
        let connections = loop.sync {
            Confined(settings.endpoints.indices.map { connection(settings, $0, look, loop) }, to: loop)
        }
        look.wait(Self.patience)
        loop.sync { connections.perform { for connection in $0 { connection.close() } } }
        let stopped = DispatchSemaphore(value: 0)
        loop.stop { stopped.signal() }
        stopped.wait()
        return look.complaints(after: Self.patience)
    }

    /// A connection to one of the engines alone.
    private static func connection(
        _ settings: TierSettings, _ index: Int, _ look: Look, _ loop: EventLoop
    ) -> TierConnection {
        var settings = settings
        settings.endpoints = [settings.endpoints[index]]
        // A busy engine is not amiss: the greeting has the time of a dial.
        settings.timeout = SessionLimits().dialTimeout
        return TierConnection(
            settings, loop: loop, observe: { status in if status.endpoint != nil { look.noteUsable() } },
            log: { line in look.note(line, of: index) })
    }

    /// The findings so far, of all connections.
    private final class Look: Sendable {
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
