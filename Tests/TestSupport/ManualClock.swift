import Synchronization

/// A time of day that changes only when a test moves it.
public final class ManualClock: Sendable {
    private let now: Atomic<Int64>

    public init(_ unixSeconds: Int64) { now = Atomic(unixSeconds) }

    public var unixSeconds: Int64 { now.load(ordering: .sequentiallyConsistent) }

    public func advance(seconds: Int) { now.add(Int64(seconds), ordering: .sequentiallyConsistent) }
}
