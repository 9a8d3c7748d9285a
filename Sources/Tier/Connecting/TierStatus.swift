import EventLoop

/// State and counters of one loop's connection to the shared tier. Counts are since the start.
package struct TierStatus: Sendable, Equatable {
    /// The engine whose connection is in use; nil while there is none.
    package var endpoint: Endpoint?
    /// Whether the engine has failed so often that it is asked once a second.
    package var isBreakerOpen = false
    /// Pipelines that wait for a connection or for their replies, and the bytes of their commands.
    package var waiting = 0
    var waitingBytes = 0

    /// Commands that were handed over, those that were refused at once included.
    package var commands = 0
    /// Pipelines that ended without their replies, for whatever reason.
    package var failures = 0
    /// Failures by timeout.
    package var timeouts = 0
    /// Connections after the first that were greeted as a master's.
    package var reconnects = 0
    /// Why the engine was last not usable or its connection lost, in a word; nil where it never
    /// was.
    package var lastError: String?

    /// From sending a pipeline to its last reply, all together, and how many those are.
    package var latencySum: Duration = .zero
    package var latencyCount = 0

    /// Whether there is an engine to talk to.
    package var isConnected: Bool { endpoint != nil }
}
