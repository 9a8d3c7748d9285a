import Purging

typealias SweepCompletion = @Sendable (Sweep, SweepEnd) -> Void

/// Work for the runner, once it has let go of the lock.
enum StoreOrder {
    case turn
    /// A turn, once new operations have waited for others.
    case gather
    case retry(after: Duration)
    case chore(Chore)
    /// The next step of a sweep.
    case sweep(Int)
    case ended(SweepCompletion, Sweep, SweepEnd)
    /// A sweep that is owed can be done now.
    case resume
}
