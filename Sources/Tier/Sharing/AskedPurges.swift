import EventLoop

/// The purges that were asked for on this node and are not reported, or are not in the log.
struct AskedPurges: Sendable {
    /// Action for one of them.
    enum Step: Sendable {
        /// Purge the cache without the log; `unlogged` has it already.
        case purge(PurgeWait)
        case report(Int, PurgeReport)
    }

    static let widened =
        "purge log: too many purges are pending: other nodes will purge everything (soft) instead of the latest ones"

    private var waits: [PurgeWait] = []
    var unlogged = UnloggedPurges()

    var isEmpty: Bool { waits.isEmpty }

    /// When the next of them stops waiting for other nodes.
    func nextDeadline(after now: Instant) -> Instant? { waits.lazy.map(\.deadline).filter { $0 > now }.min() }

    mutating func add(_ number: Int, _ record: PurgeRecord, until deadline: Instant) {
        waits.append(PurgeWait(number: number, record: record, deadline: deadline))
    }

    /// The engine has answered.
    /// - Parameter position: nil where it did not take the purge.
    mutating func announced(
        _ number: Int, at position: LogPosition?, in epoch: LogEpoch?, _ replication: PurgeReport.Replication
    ) {
        for index in waits.indices where waits[index].number == number {
            waits[index].own = .unread
            (waits[index].position, waits[index].epoch) = (position, epoch)
            waits[index].replication = replication
        }
    }

    /// The log may lack those that it had, though other nodes come to be beyond their places.
    mutating func forgetPlaces() {
        for index in waits.indices { waits[index].position = nil }
        unlogged.forgetPlaces()
    }

    /// The cache is at work on the purge at that place of the log, or has ended it.
    mutating func note(_ own: PurgeWait.Own, at position: LogPosition) {
        for index in waits.indices where waits[index].position == position { waits[index].own = own }
    }

    mutating func done(_ number: Int, _ count: Int?) {
        for index in waits.indices where waits[index].number == number { waits[index].own = .done(count) }
    }

    /// The purges that the cache does as that job, reported as far as they are known.
    func reports(
        on job: FollowerState.Job, _ registry: NodeRegistry, now: Instant
    ) -> [(number: Int, report: PurgeReport)] {
        waits.filter { wait in
            switch job {
            case .logged(let entry): wait.position == entry.position
            case .asked(let number): wait.number == number
            case .everything: false
            }
        }.map { ($0.number, $0.report(registry, now: now)) }
    }

    /// Takes all waiting purges a step further, if there is one.
    /// - Parameters:
    ///   - isFollowing: whether the engine answers.
    ///   - position: the place up to which this node has applied the log.
    mutating func settle(
        isFollowing: Bool, at position: LogPosition, _ registry: NodeRegistry, now: Instant
    ) -> [Step] {
        var (kept, steps): ([PurgeWait], [Step]) = ([], [])
        for var wait in waits {
            let mayWait = wait.position != nil && isFollowing && now < wait.deadline
            let isAhead = wait.position.map { $0 > position } ?? false
            if case .done = wait.own, !mayWait || !wait.isAwaitingOthers(registry, now: now) {
                steps.append(.report(wait.number, wait.report(registry, now: now)))
                continue
            }
            // The log will not bring it in time. This node may have lost its place and gone on.
            if wait.own == .unread, !mayWait || !isAhead {
                wait.own = .applying
                wait.isWidened = unlogged.add(wait.number, wait.record, at: wait.position)
                steps.append(.purge(wait))
            }
            kept.append(wait)
        }
        waits = kept
        return steps
    }

    /// Gives all up: purges that were not begun are to be done, and all are reported.
    mutating func giveUp(_ registry: NodeRegistry, now: Instant) -> [Step] {
        defer { waits = [] }
        let undone = waits.filter { $0.own == .announced || $0.own == .unread }
        for wait in undone { _ = unlogged.add(wait.number, wait.record, at: wait.position) }
        return undone.map { .purge($0) } + waits.map { .report($0.number, $0.report(registry, now: now)) }
    }
}

extension PurgeWait {
    /// Whether a node that is up has not applied it.
    fileprivate func isAwaitingOthers(_ registry: NodeRegistry, now: Instant) -> Bool {
        !registry.knowsOthers || registry.missing(mark, now: now).contains(where: \.isAlive)
    }

    fileprivate func report(_ registry: NodeRegistry, now: Instant) -> PurgeReport {
        let purged: Int? = if case .done(let count) = own { count } else { nil }
        return PurgeReport(
            purged: purged, replication: replication, missing: registry.missing(mark, now: now).map(\.node),
            nodes: registry.knowsOthers ? registry.count(now: now) : nil, isWidened: isWidened)
    }
}
