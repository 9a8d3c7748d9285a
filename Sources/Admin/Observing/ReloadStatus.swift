import Synchronization

/// Result of a reload.
public enum ReloadOutcome: Sendable, Equatable {
    /// The names of the directives that mean something else now, and the number of clients'
    /// connections that end because their listener is gone or wants others.
    case adopted(changed: [String], ending: Int)
    /// Why nothing was changed.
    case refused([String])

    /// Words for the log and `refrain reload`.
    /// - Parameter count: at least one.
    public static func words(ofEnding count: Int) -> String {
        count == 1 ? "1 connection of a changed listener ends" : "\(count) connections of changed listeners end"
    }
}

/// Results of the reloads of the configuration, and of upgrades that failed, for the operator's
/// surface.
public final class ReloadStatus: Sendable {
    struct Snapshot: Sendable, Equatable {
        /// Since the start.
        var succeeded = 0
        var failed = 0
        /// Unix seconds; nil before the first.
        var lastSuccess: Int64?
        /// Error of the last reload; nil where it succeeded. For the operator alone.
        var lastFailure: String?
        /// Upgrades (SIGUSR2) after which this process went on, since the start.
        var failedUpgrades = 0
        /// Error of the last such upgrade; nil once a reload has succeeded. For the operator alone.
        var lastFailedUpgrade: String?
    }

    private let state = Mutex(Snapshot())

    public init() {}

    var snapshot: Snapshot { state.withLock { $0 } }

    public func noteSuccess(at unixSeconds: Int64) {
        state.withLock { state in
            state.succeeded += 1
            state.lastSuccess = unixSeconds
            state.lastFailure = nil
            state.lastFailedUpgrade = nil
        }
    }

    public func noteFailure(_ message: String) {
        state.withLock { state in
            state.failed += 1
            state.lastFailure = message
        }
    }

    public func noteFailedUpgrade(_ message: String) {
        state.withLock { state in
            state.failedUpgrades += 1
            state.lastFailedUpgrade = message
        }
    }
}
