/// Work for the runner, once it has let go of the lock.
enum StoreOrder {
    case turn
    /// A turn, once new operations have waited for others.
    case gather
    case retry(after: Duration)
    case chore(Chore)
    case purge(Int)
    case answer(@Sendable (Int?) -> Void, Int?)
}
