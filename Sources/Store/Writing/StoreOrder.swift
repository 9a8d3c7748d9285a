/// Work for the runner, once it has let go of the lock.
enum StoreOrder {
    case turn
    /// A turn once more has had time to come.
    case gather
    case retry(after: Duration)
    case chore(Chore)
    case purge(Int)
    case answer(@Sendable (Int?) -> Void, Int?)

    var isTurn: Bool {
        switch self {
        case .turn, .gather: true
        case .retry, .chore, .purge, .answer: false
        }
    }
}
