import EventLoop
import Text

/// Decides which request may go to the origin next: the brain of the upstream budget
/// (DECISIONS 11.1). Events in, actions out, no I/O and no clock. The developer team's rate is one
/// for the process (APPLE-MUSIC-API 10.2), so this is shared by all loops; each has a *lane* with
/// as many places as its pool has connections.
///
/// Must hold:
/// - at most `connections` requests in flight in a lane, and at most half of them, but one, in the
///   background;
/// - in a lane no party holds more than seven times what is free, and so seven eighths at most, its
///   work in the background included, but one connection at least (`Lane.hasShare`);
/// - no request starts before the rate allows it, and the rate of its own account, if it has one;
/// - the parties are served in turns; of one party the more urgent go first, among equals the
///   repeats, and among these and the rest those that came first; requests in the background go
///   when nothing else can;
/// - nothing waits that could start, and `wakeAt` is set while a rate alone holds something back;
/// - at most `maxWaiting` requests wait, at most `maxWaitingInBackground` of them in the
///   background, and at most a quarter of one party while others wait;
/// - while the origin refuses all requests of an account, these are turned away (`RefusalState`);
/// - when there are more, the newest of the background is refused, else that of the party of which
///   the most wait: never another's;
/// - a job ends once: refused, or by `end`.
struct BudgetState {
    var rate: CommonRate
    private var accounts = AccountLimits()
    /// For the requests that are no account's.
    private var refusal = RefusalState()
    private let maxWaiting, maxWaitingInBackground: Int
    private(set) var lanes: [Lane] = []
    private(set) var jobs: [JobID: Job] = [:]
    private var lines = WaitingLines()
    /// When `tick` must be called; nil when nothing waits for a rate alone.
    private(set) var wakeAt: Instant?
    /// Whether the common rate holds something back.
    private var isBinding = false
    private var sharedRefusalAt = Instant(nanoseconds: .min)
    private var nextOrder = 1

    /// The longest wait that a refused client is told of, in seconds.
    private static let longestRetryAfter = 60.0
    /// For so long after a 429 that a shared request met, those of single accounts are about the
    /// common limit too.
    private static let sharedTrouble = Duration.seconds(2)

    init(rate: Int?, maxWaiting: Int, maxWaitingInBackground: Int) {
        self.rate = CommonRate(ceiling: rate)
        (self.maxWaiting, self.maxWaitingInBackground) = (maxWaiting, maxWaitingInBackground)
    }
}

// MARK: Events

extension BudgetState {
    /// A request wants to start.
    /// - Parameters:
    ///   - cause: the party that caused work in the background, whose share it uses.
    ///   - account: whose own limit counts beside the common one; 0: no one's, the request is the
    ///     proxy's own.
    ///   - isRepeated: it has waited already, and goes before its equals.
    mutating func submit(
        _ id: JobID, _ priority: UpstreamPriority, of party: UpstreamParty = .everyone,
        causedBy cause: UpstreamParty = .background, account: UInt64 = 0, isRepeated: Bool = false, now: Instant
    ) -> ActionList<Action> {
        nextOrder += 1
        let limit = accounts.limit(of: account)
        if let wait = account == 0 ? refusal.admit(now: now) : accounts.admit(limit, now: now) {
            return ActionList(.turnAway(id, retryAfter: wait))
        }
        let holder = priority.isBackground ? cause : party
        var job = Job(priority: priority, account: account, holder: holder)
        // Mostly nothing waits: it starts without ever being in a line.
        if lines.count == 0, lanes[id.lane].mayStart(holder, inBackground: priority.isBackground),
            isOpen(limit, now: now)
        {
            job.startedAt = now
            jobs[id] = job
            lanes[id.lane].enter(priority, of: holder)
            countStart(limit, now: now)
            return ActionList(.start(id))
        }
        jobs[id] = job
        let order = isRepeated ? .min + nextOrder : nextOrder
        lines.add(.init(id, of: party, holder, under: limit, priority, order: order))
        return settle(newest: priority.isBackground ? nil : party, now: now)
    }

    /// A waiting request has become more urgent, or another party wants it too; it goes after those
    /// that were there. A request that is as urgent as before changes to another party only where
    /// that has a share left and its own has none, or fewer wait of that.
    mutating func promote(
        _ id: JobID, to priority: UpstreamPriority, of party: UpstreamParty? = nil, now: Instant
    ) -> ActionList<Action> {
        guard let job = jobs[id], let item = lines[id] else { return ActionList() }
        let (own, isMoreUrgent) = (item.party, job.priority < priority)
        var better = own == .background ? party ?? .everyone : own
        if let party, own != .background, isServedSooner(party, than: own, in: id.lane) { better = party }
        guard isMoreUrgent || own != .background && better != own else { return ActionList() }
        lines.remove(id)
        nextOrder += 1
        let urgency = max(priority, job.priority)
        let holder = urgency.isBackground ? item.holder : better
        jobs[id] = Job(priority: urgency, account: job.account, holder: holder)
        lines.add(.init(id, of: better, holder, under: item.channel.limit, urgency, order: nextOrder))
        return settle(newest: urgency.isBackground ? nil : better, now: now)
    }

    /// Whether a request that waits goes sooner as another party's.
    private func isServedSooner(_ other: UpstreamParty, than own: UpstreamParty, in lane: Int) -> Bool {
        let (othersShare, ownShare) = (lanes[lane].hasShare(other), lanes[lane].hasShare(own))
        return othersShare == ownShare ? lines.count(of: other) + 1 < lines.count(of: own) : othersShare
    }

    /// A request is over, whether it had started or not. Says nothing of one that was refused.
    mutating func end(_ id: JobID, _ outcome: Outcome, now: Instant) -> ActionList<Action> {
        guard let job = jobs.removeValue(forKey: id) else { return ActionList() }
        var actions = ActionList<Action>()
        if let startedAt = job.startedAt {
            lanes[id.lane].leave(job.priority, of: job.holder)
            learn(from: outcome, job.account, startedAt: startedAt, now: now)
            if case .rateLimited = outcome { actions = turnAway(job.account, now: now) }
        } else {
            lines.remove(id)
        }
        return actions + settle(now: now)
    }

    /// Turns away the waiting requests of an account that the origin refuses.
    private mutating func turnAway(_ account: UInt64, now: Instant) -> ActionList<Action> {
        guard let wait = wait(of: account, now: now) else { return ActionList() }
        let waiting = jobs.filter { $0.value.account == account && $0.value.startedAt == nil }.keys.sorted()
        for id in waiting {
            lines.remove(id)
            jobs[id] = nil
        }
        return ActionList(of: waiting.map { .turnAway($0, retryAfter: wait) })
    }

    /// A 429 to one client's own token says nothing of the limit that all share, unless shared
    /// requests meet it too.
    private mutating func learn(from outcome: Outcome, _ account: UInt64, startedAt: Instant, now: Instant) {
        switch outcome {
        case .unanswered: break
        case .answered:
            rate.succeeded(now: now, isBinding: isBinding)
            if account == 0 { refusal.answered() } else { accounts.succeeded(account, now: now) }
        case .rateLimited(let retryAfter):
            if account == 0 {
                sharedRefusalAt = now
                refusal.refused(retryAfter: retryAfter, now: now)
            } else {
                // A copy: the closure must not look at `self` while it is changed.
                let lines = lines
                accounts.refused(account, retryAfter: retryAfter, startedAt: startedAt, now: now) {
                    lines.isWaiting(under: $0)
                }
            }
            if sharedRefusalAt.nanoseconds != .min, now - sharedRefusalAt < Self.sharedTrouble {
                rate.refused(startedAt: startedAt, now: now)
            }
        }
    }

    /// The origin is another one: it has refused none, and its rate is not known.
    mutating func forgetOrigin() {
        (refusal, sharedRefusalAt) = (RefusalState(), Instant(nanoseconds: .min))
        rate.forget()
        accounts.forgetOrigin()
    }

    /// `wakeAt` has come.
    mutating func tick(now: Instant) -> ActionList<Action> {
        settle(now: now)
    }

    /// A loop joins; the number names its lane.
    mutating func addLane(connections: Int) -> Int {
        // Lanes come and go with reloads: closed ones are used again.
        if let closed = lanes.firstIndex(where: { $0.connections == 0 }) {
            lanes[closed] = Lane(connections: connections)
            return closed
        }
        lanes.append(Lane(connections: connections))
        return lanes.count - 1
    }

    /// A loop stops: nothing of it waits or is in flight any more.
    mutating func closeLane(_ lane: Int) {
        for id in jobs.keys.filter({ $0.lane == lane }) {
            lines.remove(id)
            jobs[id] = nil
        }
        lanes[lane] = Lane(connections: 0)
    }
}

// MARK: Questions

extension BudgetState {
    var waitingCount: Int { lines.count }
    var inFlight: Int { lanes.reduce(0) { $0 + $1.inFlight } }

    /// Seconds after which a request is worth another try: until those before it have gone, of its
    /// own party in turns with the others.
    mutating func retryAfter(_ priority: UpstreamPriority, of party: UpstreamParty = .everyone, now: Instant) -> Int {
        var before = UpstreamPriority.allCases.reduce(0) { $1 >= priority ? $0 + lines.waiting[$1.rawValue] : $0 }
        if !priority.isBackground { before = min(before, max(1, lines.count(of: party)) * max(1, lines.partyCount)) }
        let rate = rate.currentHere ?? max(1, rate.recentSuccesses(now: now))
        return Int(clamping: max(1, min(Self.longestRetryAfter, (Double(before) / rate).rounded(.up))))
    }

    /// Seconds after which a request of an account is worth another try, where the origin refuses
    /// them all for now.
    func wait(of account: UInt64, now: Instant) -> Int? {
        account == 0 ? refusal.wait(now: now) : accounts.wait(accounts.limit(of: account), now: now)
    }

    /// On whose behalf a request waits; nil for one that does not.
    func party(of id: JobID) -> UpstreamParty? { lines[id]?.party }

    /// Whether an optional request would delay no other: none waits or is turned away, at least
    /// half of the lane's places stay free, and the rate is far from used up.
    mutating func hasRoom(_ lane: Int, now: Instant) -> Bool {
        lines.count == 0 && refusal.wait(now: now) == nil && 2 * (lanes[lane].inFlight + 1) <= lanes[lane].connections
            && rate.isQuiet(now: now)
    }

    /// Whether requests wait in a lane because all its connections are taken, or a share of them.
    func isCrowded(_ lane: Int) -> Bool {
        lanes[lane].isFull || lines.isWaiting(in: lane) { !lanes[lane].hasShare($0.holder) }
    }

    /// Whether a request waits although a connection is free, for want of a share.
    func lacksShare(_ id: JobID) -> Bool {
        guard let item = lines[id] else { return false }
        return lanes[id.lane].hasRoom(inBackground: item.priority.isBackground)
            && !lanes[id.lane].hasShare(item.holder)
    }
}

// MARK: Deciding

extension BudgetState {
    /// Starts requests that may start, refuses those that are too many, and sees when to look
    /// again.
    /// - Parameter newest: whose request has come, where one has.
    private mutating func settle(newest: UpstreamParty? = nil, now: Instant) -> ActionList<Action> {
        rate.giveUpOverdue(now: now)
        guard lines.count > 0 else {
            (wakeAt, isBinding) = (nil, false)
            return ActionList()
        }
        var actions = ActionList<Action>()
        while nextStart(now: now) <= now, let item = nextToStart(now: now) {
            actions.append(start(item, now: now))
        }
        while let item = oneTooMany(newest) {
            actions.append(refuse(item, now: now))
        }
        if rate.wantsTokens(now: now) { wantTokens(now: now) }
        lookAhead(now: now)
        return actions
    }

    /// Tells the rate that nodes share how many requests could start but for it.
    private mutating func wantTokens(now: Instant) {
        let next = lines.next(
            { channel, inBackground in
                lanes[channel.lane].hasRoom(inBackground: inBackground)
                    && accounts.nextStart(channel.limit, now: now) <= now
            }, { hasShare($0) })
        guard let next else { return }
        let isBackground = next.priority.isBackground
        let places = lanes.reduce(0) { $0 + $1.connections - $1.inFlight }
        rate.want(
            isBackground ? 1 : min(lines.count - lines.backgroundCount, places), isBackground: isBackground, now: now)
    }

    private func nextStart(now: Instant) -> Instant { max(rate.nextStart(now: now), refusal.heldUntil) }

    private func isOpen(_ limit: UInt64, now: Instant) -> Bool {
        nextStart(now: now) <= now && accounts.nextStart(limit, now: now) <= now
    }

    /// Requests under a limit that their account got while they waited go there first.
    private mutating func nextToStart(now: Instant) -> WaitingLines.Item? {
        while true {
            let item = lines.next(
                { channel, inBackground in
                    lanes[channel.lane].hasRoom(inBackground: inBackground) && isOpen(channel.limit, now: now)
                }, { hasShare($0) })
            guard let item, item.channel.limit == 0, let job = jobs[item.id] else { return item }
            let limit = accounts.limit(of: job.account)
            guard limit != 0 else { return item }
            lines.remove(item.id)
            lines.add(.init(item.id, of: item.party, item.holder, under: limit, item.priority, order: item.order))
        }
    }

    private func hasShare(_ item: WaitingLines.Item) -> Bool { lanes[item.id.lane].hasShare(item.holder) }

    /// The common rate allows a start: a channel is open if its lane, its own limit and the share
    /// of the party are.
    private mutating func start(_ item: WaitingLines.Item, now: Instant) -> Action {
        do {
            // Copies, because the closure must not look at `self` while it is changed, and none of
            // them is left when that is.
            let (lanes, accounts) = (lanes, accounts)
            lines.take(item) { channel in
                lanes[channel.lane].mayStart(item.holder, inBackground: false)
                    && accounts.nextStart(channel.limit, now: now) <= now
            }
        }
        if let job = jobs.index(forKey: item.id) { jobs.values[job].startedAt = now }
        self.lanes[item.id.lane].enter(item.priority, of: item.holder)
        countStart(item.channel.limit, now: now)
        return .start(item.id)
    }

    private mutating func countStart(_ limit: UInt64, now: Instant) {
        rate.started(now: now)
        accounts.started(limit, now: now)
    }

    private mutating func refuse(_ item: WaitingLines.Item, now: Instant) -> Action {
        lines.remove(item.id)
        jobs[item.id] = nil
        return .refuse(item.id, retryAfter: retryAfter(item.priority, of: item.party, now: now))
    }

    /// Requests refused if more wait than may, or more of one party.
    private func oneTooMany(_ newest: UpstreamParty?) -> WaitingLines.Item? {
        if lines.count > maxWaiting || lines.backgroundCount > maxWaitingInBackground {
            return lines.newest(of: .background) ?? lines.newestOfTheLongest(newest)
        }
        guard let newest, lines.partyCount > 1, lines.count(of: newest) > max(1, maxWaiting / 4) else { return nil }
        return lines.newest(of: newest)
    }

    /// Sees when something could start that has room, and which rate it waits for.
    private mutating func lookAhead(now: Instant) {
        let common = nextStart(now: now)
        var (earliest, isBinding, bound) = (Instant?.none, false, [UInt64]())
        let note = { (channel: WaitingLines.Channel) in
            let own = accounts.nextStart(channel.limit, now: now)
            earliest = min(earliest ?? .init(nanoseconds: .max), max(own, common))
            if own > common { bound.append(channel.limit) } else { isBinding = true }
        }
        lines.forEachChannel({ lanes[$0].hasRoom(inBackground: $1) }, { hasShare($0) }, note)
        (wakeAt, self.isBinding) = (earliest, isBinding)
        accounts.bind(only: bound)
    }
}

// MARK: Values

extension BudgetState {
    typealias JobID = TurnID

    /// A task of the lane's gate; `retryAfter` is in seconds.
    enum Action: Equatable, Sendable {
        case start(JobID)
        /// The queue is full.
        case refuse(JobID, retryAfter: Int)
        /// The origin refuses the account's requests for now.
        case turnAway(JobID, retryAfter: Int)

        var job: JobID {
            switch self {
            case .start(let job), .refuse(let job, _), .turnAway(let job, _): job
            }
        }
    }

    /// How a request ended, for the rate.
    enum Outcome: Equatable {
        case answered
        /// A 429 came, perhaps with a `Retry-After`.
        case rateLimited(retryAfter: Duration? = nil)
        /// No answer came, or the request was cancelled.
        case unanswered
    }

    struct Job {
        let priority: UpstreamPriority
        let account: UInt64
        /// The party whose share it uses.
        let holder: UpstreamParty
        /// Nil while it waits.
        var startedAt: Instant?
    }
}
