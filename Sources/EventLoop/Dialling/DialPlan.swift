/// In which order the addresses of a name are tried, and how long each may take. Pure.
///
/// The preferred address comes first, the others keep the resolver's order (IPv6 and IPv4
/// interleaved). Each attempt but the last gets an equal share of the time that is left, so that an
/// address that swallows packets cannot use up the deadline of one that would answer.
struct DialPlan<Address: Equatable> {
    struct Attempt: Equatable where Address: Equatable {
        let address: Address
        /// When to give up and try the next one; nil for the last, which the connection's own
        /// deadline ends.
        let giveUp: Instant?
    }

    private var remaining: ArraySlice<Address>
    private let deadline: Instant

    init(_ addresses: [Address], preferred: Address?, deadline: Instant) {
        var ordered = addresses
        if let preferred, let index = ordered.firstIndex(of: preferred) {
            ordered.remove(at: index)
            ordered.insert(preferred, at: 0)
        }
        remaining = ordered[...]
        self.deadline = deadline
    }

    /// The next attempt, or nil when every address has been tried.
    mutating func next(now: Instant) -> Attempt? {
        let count = remaining.count
        guard let address = remaining.popFirst() else { return nil }
        guard count > 1 else { return Attempt(address: address, giveUp: nil) }
        let left = max(0, deadline.nanoseconds - now.nanoseconds)
        return Attempt(address: address, giveUp: now + .nanoseconds(left / Int64(count)))
    }
}
