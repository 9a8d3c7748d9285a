import EventLoop
import Text

// The values in the events and actions of `BudgetState`.

extension BudgetState {
    /// One sending of a request, named by its lane.
    struct JobID: NumberedKey, Comparable, Sendable {
        let lane: Int
        let number: Int
        var hashNumber: UInt64 { UInt64(truncatingIfNeeded: lane << 48 ^ number) }
        static func < (a: Self, b: Self) -> Bool { (a.number, a.lane) < (b.number, b.lane) }
    }

    /// A task of the lane's gate.
    enum Action: Equatable, Sendable {
        case start(JobID)
        /// Seconds after which another try is worth it.
        case refuse(JobID, retryAfter: Int)
        /// The same, because the origin refuses for now what is asked.
        case turnAway(JobID, retryAfter: Int)

        var job: JobID {
            switch self {
            case .start(let job), .refuse(let job, _), .turnAway(let job, _): job
            }
        }
    }

    /// How a request ended, as far as the rate is concerned.
    enum Outcome: Equatable {
        case answered
        /// By a 429, which may say after which time to come back.
        case rateLimited(retryAfter: Duration? = nil)
        /// Not at all, or it was taken back.
        case unanswered
    }

    struct Job {
        let priority: UpstreamPriority
        let account: UInt64
        /// Nil while it waits.
        var startedAt: Instant?
    }

    /// One loop's share.
    struct Lane {
        let connections: Int
        private(set) var inFlight = 0
        private(set) var inBackground = 0

        /// Background requests leave half of the connections to the others, so that a purge of many
        /// entries does not make clients wait.
        func hasRoom(inBackground isBackground: Bool) -> Bool {
            guard inFlight < connections else { return false }
            return !isBackground || inBackground < max(1, connections / 2)
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
