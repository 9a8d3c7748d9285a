import EventLoop

/// The rate of all requests of the process: learnt here, or this node's part of a rate that many
/// nodes have learnt together. Pure.
///
/// Must hold:
/// - without an authority it is `RateLimit` and nothing else;
/// - while the authority is away, this node goes by its part of the last limit: the limit through
///   the number of nodes that were last there; from then on it learns alone.
struct CommonRate {
    private(set) var own: RateLimit
    private var shared: SharedRate?
    /// Start of this node's pacing when it goes on alone: 0 to 1.
    private var phase = 0.0
    /// Requests a second of all nodes together.
    private var ceiling: Double?

    init(ceiling: Int?) {
        self.ceiling = ceiling.map(Double.init)
        own = RateLimit(ceiling: self.ceiling)
    }

    private var isShared: Bool { shared.map { !$0.isAway } ?? false }
}

// MARK: As RateLimit

extension CommonRate {
    /// Requests a second that may be sent now, of all nodes where these share a limit; nil for any
    /// number.
    var current: Double? { isShared ? shared?.current(ceiling) : own.current }

    /// The part of this node, if all want the same.
    var currentHere: Double? {
        guard isShared, let shared else { return own.current }
        return shared.current(ceiling).map { $0 / Double(shared.nodes) }
    }

    /// When the next request may leave, or when to look again: `now` or later.
    func nextStart(now: Instant) -> Instant {
        guard isShared, let shared else { return own.nextStart(now: now) }
        return shared.nextStart(ceiling, now: now)
    }

    mutating func started(now: Instant) {
        if isShared { shared?.started(now: now) } else { own.started(now: now) }
    }

    mutating func succeeded(now: Instant, isBinding: Bool) {
        // Where the limit is shared nothing is learnt here, and this only counts.
        own.succeeded(now: now, isBinding: isBinding)
        if isShared { shared?.succeeded(isBinding: isBinding) }
    }

    mutating func refused(startedAt: Instant, now: Instant) {
        if isShared {
            shared?.refused(startedAt: startedAt, ceiling, now: now)
        } else {
            own.refused(startedAt: startedAt, now: now)
        }
    }

    mutating func recentSuccesses(now: Instant) -> Double { own.recentSuccesses(now: now) }

    /// Whether one more request would delay no other.
    mutating func isQuiet(now: Instant) -> Bool {
        nextStart(now: now) <= now && own.isQuiet(under: currentHere, now: now)
    }

    /// Forgets the learnt rate, which was that of another origin.
    mutating func forget() {
        own.forget()
        shared?.forget()
    }

    /// Another ceiling; the learnt rate stays.
    mutating func limit(to ceiling: Int?) {
        self.ceiling = ceiling.map(Double.init)
        own.limit(to: self.ceiling.map { $0 / Double(shared?.nodes ?? 1) })
    }
}

// MARK: The authority

extension CommonRate {
    /// Nodes that share the limit; 1 where none do.
    var nodes: Int { shared?.nodes ?? 1 }

    /// From now on an authority is asked. Until it has answered, this node goes by its own rate.
    /// - Parameter phase: another one for each node, 0 to 1.
    mutating func share(phase: Double) {
        self.phase = phase
        if shared == nil { shared = SharedRate() }
    }

    /// Whether requests that wait should be told of by `want`.
    func wantsTokens(now: Instant) -> Bool {
        isShared && shared?.isDry(ceiling, now: now) == true
    }

    mutating func want(_ tokens: Int, isBackground: Bool, now: Instant) {
        shared?.want(tokens, isBackground: isBackground, ceiling, now: now)
    }

    mutating func poll(now: Instant) {
        giveUpOverdue(now: now)
        shared?.poll(ceiling, now: now)
    }

    mutating func takeQuestion() -> (number: Int, question: BudgetQuestion)? { shared?.takeQuestion() }

    /// The authority has answered, or will not: nil.
    mutating func answered(_ answer: BudgetAnswer?, to number: Int, now: Instant) {
        guard let answer else { return failed(number, now: now) }
        guard shared?.answered(answer, to: number, ceiling, now: now) == true else { return }
        own.forget()
    }

    /// A question that is not answered in time is not waited for.
    mutating func giveUpOverdue(now: Instant) {
        if let number = shared?.overdue(now: now) { failed(number, now: now) }
    }

    /// A request has waited for the authority in vain: no other does, until a poll finds it again.
    mutating func lost(now: Instant) {
        if isShared, let unheard = shared?.lose() { goOn(wasShared: true, unheard, now: now) }
    }

    private mutating func failed(_ number: Int, now: Instant) {
        let wasShared = isShared
        if let unheard = shared?.failed(number) { goOn(wasShared: wasShared, unheard, now: now) }
    }

    private mutating func goOn(wasShared: Bool, _ unheard: (refused: Int, lastStart: Instant?), now: Instant) {
        guard let shared else { return }
        if wasShared { own.goOn(shared.limit, ceiling: ceiling, nodes: shared.nodes, phase: phase, now: now) }
        if unheard.refused > 0, let lastStart = unheard.lastStart { own.refused(startedAt: lastStart, now: now) }
    }
}
