import Dispatch
import EventLoop
import Synchronization

/// One look at the engines of a shared tier, for `check`.
package enum TierProbe {
    /// How long it waits: every engine has a second.
    private static let patience: Duration = .seconds(5)

    /// Why none of the engines can be used, as the log would say it; nil if one can. Blocks the
    /// caller for as long as connecting takes.
    package static func complaint(_ settings: TierSettings) -> String? {
        guard let loop = try? EventLoop(label: "refrain.check") else { return nil }
        let (first, done) = (FirstLine(), DispatchSemaphore(value: 0))
        // A busy engine is not amiss: the greeting has the time of a dial.
        var settings = settings
        settings.timeout = SessionLimits().dialTimeout
        let connection = loop.sync {
            Confined(TierConnection(settings, loop: loop) { if first.take($0) { done.signal() } }, to: loop)
        }
        _ = done.wait(timeout: .now() + .milliseconds(Int(Self.patience.wholeNanoseconds / 1_000_000)))
        loop.sync { connection.perform { $0.close() } }
        let (line, stopped) = (first.line, DispatchSemaphore(value: 0))
        loop.stop { stopped.signal() }
        stopped.wait()
        guard let line else { return "shared tier \(settings): no answer within \(Self.patience)" }
        return line.hasSuffix(": connected") ? nil : line
    }

    /// The first line of a log.
    private final class FirstLine: Sendable {
        private let kept = Mutex<String?>(nil)

        var line: String? { kept.withLock { $0 } }

        /// Whether it is the first.
        func take(_ line: String) -> Bool {
            kept.withLock { kept in
                defer { kept = kept ?? line }
                return kept == nil
            }
        }
    }
}
