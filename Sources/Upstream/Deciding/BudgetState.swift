import EventLoop

/// Decides which request may go to the origin next: the brain of the upstream budget
/// (DECISIONS 11.1). Events in, actions out, no I/O and no clock. The developer team's rate is one
/// for the process (APPLE-MUSIC-API 10.2), so this is shared by all loops; each has a *lane* with
/// as many places as its pool has connections.
///
/// What must hold:
/// - at most `connections` requests in flight in a lane, and at most half of them, but one, in the
///   background;
/// - no request starts before the rate allows it;
/// - the more urgent go first, among equals the repeats, and among these and the rest those that
///   came first;
/// - nothing waits that could start, and `wakeAt` is set while the rate alone holds something back;
/// - at most `maxWaiting` requests wait, at most `maxWaitingInBackground` of them in the
///   background; when there are more, the newest of the least urgent is refused;
/// - a job ends once: refused, or by `end`.
struct BudgetState {
    var rate: RateLimit
    private let maxWaiting: Int
    private let maxWaitingInBackground: Int
    var lanes: [Lane] = []
    var jobs: [JobID: Job] = [:]
    /// How many wait, by priority.
    var waiting = InlineArray<4, Int>(repeating: 0)
    /// When `tick` must be called; nil when nothing waits for the rate alone.
    private(set) var wakeAt: Instant?
    private var nextOrder = 1

    /// The longest wait that a refused client is told of, in seconds.
    private static let longestRetryAfter = 60.0

    init(rate: Int?, maxWaiting: Int, maxWaitingInBackground: Int) {
        self.rate = RateLimit(ceiling: rate)
        self.maxWaiting = maxWaiting
        self.maxWaitingInBackground = maxWaitingInBackground
    }
}

// MARK: Events

extension BudgetState {
    /// A request wants to start. One that is repeated goes before its equals: it has waited
    /// already.
    mutating func submit(_ id: JobID, _ priority: UpstreamPriority, isRepeated: Bool = false, now: Instant) -> [Action]
    {
        nextOrder += 1
        var job = Job(priority: priority, order: isRepeated ? .min + nextOrder : nextOrder)
        // Mostly nothing waits: it starts without ever standing in a line.
        if waitingCount == 0, lanes[id.lane].hasRoom(for: priority), rate.nextStart(now: now) <= now {
            job.startedAt = now
            jobs[id] = job
            lanes[id.lane].enter(priority)
            rate.started(now: now)
            return [.start(id)]
        }
        jobs[id] = job
        enqueue(id, isRepeated: isRepeated)
        return settle(now: now)
    }

    /// A waiting request has become more urgent; it goes behind those that already were.
    mutating func promote(_ id: JobID, to priority: UpstreamPriority, now: Instant) -> [Action] {
        guard let job = jobs[id], job.startedAt == nil, job.priority < priority else { return [] }
        dequeue(id)
        nextOrder += 1
        jobs[id] = Job(priority: priority, order: nextOrder)
        enqueue(id, isRepeated: false)
        return settle(now: now)
    }

    /// A request is over, whether it had started or not. Says nothing of one that was refused.
    mutating func end(_ id: JobID, _ outcome: Outcome, now: Instant) -> [Action] {
        guard let job = jobs[id] else { return [] }
        if let startedAt = job.startedAt {
            lanes[id.lane].leave(job.priority)
            switch outcome {
            case .answered: rate.succeeded(now: now, isBinding: wakeAt != nil)
            case .rateLimited: rate.refused(startedAt: startedAt, now: now)
            case .unanswered: break
            }
        } else {
            dequeue(id)
        }
        jobs[id] = nil
        return settle(now: now)
    }

    /// `wakeAt` has come.
    mutating func tick(now: Instant) -> [Action] {
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
            if jobs[id]?.startedAt == nil { dequeue(id) }
            jobs[id] = nil
        }
        lanes[lane] = Lane(connections: 0)
    }
}

// MARK: Questions

extension BudgetState {
    var waitingCount: Int {
        var count = 0
        for priority in waiting.indices { count += waiting[priority] }
        return count
    }
    var inFlight: Int { lanes.reduce(0) { $0 + $1.inFlight } }

    /// Seconds after which a request of this priority is worth another try: until those before it
    /// have gone.
    mutating func retryAfter(_ priority: UpstreamPriority, now: Instant) -> Int {
        let before = UpstreamPriority.allCases.reduce(0) { $1 >= priority ? $0 + waiting[$1.rawValue] : $0 }
        let rate = max(1, rate.current ?? rate.recentSuccesses(now: now))
        return Int(max(1, min(Self.longestRetryAfter, (Double(before) / rate).rounded(.up))))
    }
}

// MARK: Deciding

extension BudgetState {
    /// Starts what may start, refuses what is too much, and sees when to look again.
    private mutating func settle(now: Instant) -> [Action] {
        guard waitingCount > 0 else {
            wakeAt = nil
            return []
        }
        var actions: [Action] = []
        while waitingCount > 0, rate.nextStart(now: now) <= now, let id = nextToStart {
            actions.append(start(id, now: now))
        }
        while let id = oneTooMany {
            actions.append(refuse(id, now: now))
        }
        wakeAt = nextToStart == nil ? nil : rate.nextStart(now: now)
        return actions
    }

    private mutating func start(_ id: JobID, now: Instant) -> Action {
        dequeue(id)
        jobs[id]?.startedAt = now
        if let priority = jobs[id]?.priority { lanes[id.lane].enter(priority) }
        rate.started(now: now)
        return .start(id)
    }

    private mutating func refuse(_ id: JobID, now: Instant) -> Action {
        let priority = jobs[id]?.priority ?? .refresh
        dequeue(id)
        jobs[id] = nil
        return .refuse(id, retryAfter: retryAfter(priority, now: now))
    }

    /// The most urgent waiting request whose lane has room, the first of those that came.
    private var nextToStart: JobID? {
        for priority in UpstreamPriority.allCases.reversed() where waiting[priority.rawValue] > 0 {
            let heads = lanes.lazy.filter { $0.hasRoom(for: priority) }.compactMap { $0.lines[priority.rawValue].first }
            if let id = heads.min(by: { order($0) < order($1) }) { return id }
        }
        return nil
    }

    /// The newest of the least urgent, if more wait than may.
    private var oneTooMany: JobID? {
        let inBackground = UpstreamPriority.allCases.reduce(0) { $1.isBackground ? $0 + waiting[$1.rawValue] : $0 }
        guard waitingCount > maxWaiting || inBackground > maxWaitingInBackground else { return nil }
        guard let priority = UpstreamPriority.allCases.first(where: { waiting[$0.rawValue] > 0 }) else { return nil }
        return lanes.lazy.compactMap { $0.lines[priority.rawValue].last }.max { order($0) < order($1) }
    }

    private func order(_ id: JobID) -> Int { jobs[id]?.order ?? 0 }
}

extension BudgetState {
    /// One sending of a request, named by its lane.
    struct JobID: Hashable, Sendable {
        let lane: Int
        let number: Int
    }

    /// What the lane's gate has to do.
    enum Action: Equatable, Sendable {
        case start(JobID)
        /// Seconds after which another try is worth it.
        case refuse(JobID, retryAfter: Int)

        var job: JobID {
            switch self {
            case .start(let job), .refuse(let job, _): job
            }
        }
    }

    /// How a request ended, as far as the rate is concerned.
    enum Outcome: Equatable {
        case answered
        /// By a 429.
        case rateLimited
        /// Not at all, or it was taken back.
        case unanswered
    }

    struct Job {
        let priority: UpstreamPriority
        /// The lower, the earlier it came; repeats are below all others.
        let order: Int
        /// Nil while it waits.
        var startedAt: Instant?
        /// Its neighbours in the line in which it waits.
        var previous: JobID?
        var next: JobID?
    }

    /// The ends of a line of waiting jobs; the jobs hold its links, so that any of them can leave
    /// in constant time.
    struct Line {
        var first: JobID?
        /// The repeats stand before the others.
        var lastRepeated: JobID?
        var last: JobID?
    }

    /// One loop's share.
    struct Lane {
        let connections: Int
        private(set) var inFlight = 0
        private(set) var inBackground = 0
        /// By priority.
        var lines = InlineArray<4, Line>(repeating: Line())

        /// Background requests leave half of the connections to the others, so that a purge of many
        /// entries does not make clients wait.
        func hasRoom(for priority: UpstreamPriority) -> Bool {
            guard inFlight < connections else { return false }
            return !priority.isBackground || inBackground < max(1, connections / 2)
        }

        mutating func enter(_ priority: UpstreamPriority) {
            inFlight += 1
            if priority.isBackground { inBackground += 1 }
        }

        mutating func leave(_ priority: UpstreamPriority) {
            inFlight -= 1
            if priority.isBackground { inBackground -= 1 }
        }
    }
}

// MARK: Lines

extension BudgetState {
    mutating func enqueue(_ id: JobID, isRepeated: Bool) {
        guard let priority = jobs[id]?.priority.rawValue else { return }
        var line = lanes[id.lane].lines[priority]
        let previous = isRepeated ? line.lastRepeated : line.last
        let next = previous.map { jobs[$0]?.next } ?? line.first
        jobs[id]?.previous = previous
        jobs[id]?.next = next
        if let previous { jobs[previous]?.next = id } else { line.first = id }
        if let next { jobs[next]?.previous = id } else { line.last = id }
        if isRepeated { line.lastRepeated = id }
        lanes[id.lane].lines[priority] = line
        waiting[priority] += 1
    }

    mutating func dequeue(_ id: JobID) {
        guard let job = jobs[id] else { return }
        let priority = job.priority.rawValue
        // Before a repeat stand only repeats.
        if lanes[id.lane].lines[priority].lastRepeated == id {
            lanes[id.lane].lines[priority].lastRepeated = job.previous
        }
        if let previous = job.previous {
            jobs[previous]?.next = job.next
        } else {
            lanes[id.lane].lines[priority].first = job.next
        }
        if let next = job.next {
            jobs[next]?.previous = job.previous
        } else {
            lanes[id.lane].lines[priority].last = job.previous
        }
        jobs[id]?.previous = nil
        jobs[id]?.next = nil
        waiting[priority] -= 1
    }
}
