import Synchronization

/// How often each loop was found to take no turns. From any thread.
public final class LoopStalls: Sendable {
    private let state: Mutex<[Int]>

    /// - Parameter loops: their number.
    public init(loops: Int) { state = Mutex(Array(repeating: 0, count: loops)) }

    /// Counts a stall of one loop.
    public func note(loop: Int) { state.withLock { $0[loop] += 1 } }

    /// The stalls of each loop.
    public var counts: [Int] { state.withLock { $0 } }
}
