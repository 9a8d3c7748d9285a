import Dispatch
import Glibc
import Testing

/// Waits for an effect of other threads; records an issue where it does not come in time, be that
/// its own or the test's.
///
/// - Parameter seconds: times what `Patience` allows. A wait ends when its condition holds, so a
///   long one costs nothing where all is well.
/// - Returns: whether the condition holds.
@discardableResult public func waitUntil(
    within seconds: Int = 60, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () -> Bool
) -> Bool {
    if waitAtMost(seconds, condition) { return true }
    recordMissed(seconds, sourceLocation)
    return false
}

/// Waits like `waitUntil` where either outcome is right; returns whether the condition holds.
@discardableResult public func waitAtMost(_ seconds: Int, _ condition: () -> Bool) -> Bool {
    let deadline = DispatchTime.now() + .seconds(Patience.seconds(seconds))
    while !condition() {
        if TimeLimit.hasPassed || DispatchTime.now() >= deadline { return false }
        usleep(1_000)
    }
    return true
}

extension DispatchSemaphore {
    /// Waits for a signal; records an issue where none comes in time.
    public func waitOrFail(within seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation) {
        waitInParts(seconds, sourceLocation) { wait(timeout: $0) }
    }
}

extension DispatchGroup {
    /// Waits until all have left; records an issue where some do not in time.
    public func waitOrFail(within seconds: Int = 120, sourceLocation: SourceLocation = #_sourceLocation) {
        waitInParts(seconds, sourceLocation) { wait(timeout: $0) }
    }
}

/// Looks at the test's time limit between parts of the wait.
private func waitInParts(_ seconds: Int, _ place: SourceLocation, _ wait: (DispatchTime) -> DispatchTimeoutResult) {
    let deadline = DispatchTime.now() + .seconds(Patience.seconds(seconds))
    while wait(min(deadline, .now() + .milliseconds(500))) == .timedOut {
        guard !TimeLimit.hasPassed, DispatchTime.now() < deadline else { return recordMissed(seconds, place) }
    }
}

private func recordMissed(_ seconds: Int, _ place: SourceLocation) {
    let limit = TimeLimit.hasPassed ? "until the test's time limit" : "\(Patience.seconds(seconds)) s"
    Issue.record("this line waited \(limit) in vain", sourceLocation: place)
}
