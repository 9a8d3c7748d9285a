import Synchronization

/// Ends what-if runs before their time, from any thread: an ended run leaves nothing on disk, and
/// its figures mean nothing.
public final class WhatIfStop: Sendable {
    private let flag = Atomic<Bool>(false)

    public init() {}

    public var isStopped: Bool { flag.load(ordering: .relaxed) }

    public func stop() { flag.store(true, ordering: .relaxed) }
}
