import EventLoop

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
        /// The lower, the earlier it came.
        let order: Int
        /// Nil while it waits.
        var startedAt: Instant?
        /// Its neighbours in the line in which it waits.
        var previous: JobID?
        var next: JobID?

        init(priority: UpstreamPriority, order: Int) {
            self.priority = priority
            self.order = order
        }

        func started(at now: Instant) -> Job {
            var job = self
            job.startedAt = now
            return job
        }
    }

    /// The ends of a line of waiting jobs; the jobs hold its links, so that any of them can leave
    /// in constant time.
    struct Line {
        var first: JobID?
        var last: JobID?
    }

    /// One loop's share.
    struct Lane {
        let connections: Int
        private(set) var inFlight = 0
        private(set) var inBackground = 0
        /// By priority.
        var lines = InlineArray<4, Line>(repeating: Line())

        init(connections: Int) {
            self.connections = connections
        }

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
    mutating func enqueue(_ id: JobID, atFront: Bool) {
        guard let priority = jobs[id]?.priority.rawValue else { return }
        var line = lanes[id.lane].lines[priority]
        if atFront {
            jobs[id]?.next = line.first
            if let first = line.first { jobs[first]?.previous = id }
            line = Line(first: id, last: line.last ?? id)
        } else {
            jobs[id]?.previous = line.last
            if let last = line.last { jobs[last]?.next = id }
            line = Line(first: line.first ?? id, last: id)
        }
        lanes[id.lane].lines[priority] = line
        waiting[priority] += 1
    }

    mutating func dequeue(_ id: JobID) {
        guard let job = jobs[id] else { return }
        let priority = job.priority.rawValue
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
