/// Which addresses of a name are tried, and when: Happy Eyeballs (RFC 8305). Pure.
///
/// Must hold:
/// - an attempt begins a quarter of a second after the one before it, or as soon as that has
///   failed; those under way go on, and the first that opens wins;
/// - a handshake under way has more time, since the address has answered;
/// - when all have failed the name is looked up once more, and addresses that were not tried are;
/// - no address is tried twice.
struct DialPlan<Address: Hashable> {
    enum Action: Equatable where Address: Equatable {
        case dial(Address)
        /// Answer with `found`, with addresses that are no older than this question.
        case lookUpAgain
        /// Every address has failed.
        case fail
    }

    private enum Lookup { case first, again, done }

    private let deadline: Instant
    private var lookup = Lookup.first
    private var waiting: [Address] = []
    private var tried: Set<Address> = []
    /// The attempts under way, in the order in which they began.
    private(set) var running: [Address] = []
    /// When `tick` must be called; nil: not at all.
    private(set) var nextAt: Instant?
    /// Whether the latest attempt has been given the time for its handshake.
    private var isExtended = false

    /// The pause between two attempts (RFC 8305, 5).
    static var attemptDelay: Duration { .milliseconds(250) }
    /// The time that a handshake under way has, beyond that, before the next attempt.
    static var handshakeDelay: Duration { .seconds(1) }

    /// - Parameter deadline: ends the whole. Short times are shared among the attempts.
    init(deadline: Instant) {
        self.deadline = deadline
    }

    /// The name has these addresses, in the order of trying.
    mutating func found(_ addresses: [Address], now: Instant) -> [Action] {
        lookup = lookup == .first ? .again : .done
        var known = tried
        waiting = addresses.filter { known.insert($0).inserted }
        return next(now: now)
    }

    /// An attempt has failed.
    mutating func failed(_ address: Address, now: Instant) -> [Action] {
        guard let index = running.firstIndex(of: address) else { return [] }
        running.remove(at: index)
        return next(now: now)
    }

    /// `nextAt` has come.
    /// - Parameter isShakingHands: whether the latest attempt is connected, and its handshake under
    ///   way.
    mutating func tick(isShakingHands: Bool, now: Instant) -> [Action] {
        guard let due = nextAt, due <= now else { return [] }
        guard isShakingHands, !isExtended else { return next(now: now) }
        isExtended = true
        nextAt = now + min(Self.handshakeDelay, share(now: now))
        return []
    }

    private mutating func next(now: Instant) -> [Action] {
        (nextAt, isExtended) = (nil, false)
        guard !waiting.isEmpty else {
            guard running.isEmpty else { return [] }
            return lookup == .again && !tried.isEmpty ? [.lookUpAgain] : [.fail]
        }
        let address = waiting.removeFirst()
        tried.insert(address)
        running.append(address)
        if !waiting.isEmpty { nextAt = now + min(Self.attemptDelay, share(now: now)) }
        return [.dial(address)]
    }

    /// An equal part of the time that is left, for the latest attempt and those to come.
    private func share(now: Instant) -> Duration {
        .nanoseconds(max(0, deadline.nanoseconds - now.nanoseconds) / Int64(waiting.count + 1))
    }
}
