import Synchronization

/// Ends what-if runs before their time, from any thread: an ended run leaves nothing on disk, and
/// its figures mean nothing.
public final class WhatIfStop: Sendable {
    private struct State {
        var isStopped = false
        var tell: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    public var isStopped: Bool { state.withLock { $0.isStopped } }

    public func stop() {
        let tell = state.withLock { state in
            state.isStopped = true
            return state.tell
        }
        tell?()
    }

    /// Calls `tell` when this is stopped, and at once if it has been stopped; of several the last
    /// one counts.
    func onStop(_ tell: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            state.tell = tell
            return state.isStopped
        }
        if isStopped { tell() }
    }
}
