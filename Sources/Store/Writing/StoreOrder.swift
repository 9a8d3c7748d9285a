/// Work for the runner, once it has let go of the lock.
enum StoreOrder {
    case turn
    /// A turn, after what has come has waited for more.
    case gather
    case retry(after: Duration)
    case chore(Chore)
    case purge(Int)
    case answer(@Sendable (Int?) -> Void, Int?)
}
