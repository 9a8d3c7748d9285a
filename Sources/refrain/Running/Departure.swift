import EventLoop

/// The end of a process that was told to stop, or whose place another one has taken. Pure.
///
/// Must hold: it ends within its limits, whatever fails to happen; before that, only the operator
/// cuts off requests in hand, by an INT after the first signal. Time for which the machine held up
/// the process is given back once.
struct Departure {
    /// The state of the process and of those around it, at one moment.
    struct Facts {
        /// TERM or INT came.
        var isAsked = false
        /// INT came after that.
        var isUrgent = false
        /// Nothing tells this process of purges any more.
        var successorHasEnded = false
        /// Purges reach a predecessor through this process alone.
        var predecessorHasEnded = true
        /// Once all requests are finished: the number of connections that were cut off.
        var cutOff: Int?
    }

    enum Ending: Equatable {
        case drained(cutOff: Int)
        /// The operator did not want to wait.
        case interrupted
        case timedOut
    }

    enum Step: Equatable {
        /// Looks again then, or when a fact has changed.
        case wait(until: Instant)
        /// Has the requests in hand finish as at a stop.
        case hurry
        case over(Ending)
    }

    private var deadline: Instant
    /// The limit from the moment that it has to hurry; nil once it does.
    private var hurriedLimit: Duration?
    private var wasHeldUp = false

    /// A process that is woken later than this was held up, and so was the end of its requests.
    private static let punctuality = Duration.seconds(1)

    /// - Parameter hurriedLimit: from the first signal or the end of the successor on; nil where it
    ///   hurries from the start.
    init(within limit: Duration, hurriedLimit: Duration? = nil, at now: Instant) {
        (deadline, self.hurriedLimit) = (now + limit, hurriedLimit)
    }

    mutating func next(_ facts: Facts, at now: Instant) -> Step {
        if let cutOff = facts.cutOff {
            let isTold = facts.isUrgent || facts.isAsked && hurriedLimit != nil
            let isAwaited = !facts.predecessorHasEnded && !facts.successorHasEnded && !isTold
            return isAwaited && now < deadline ? .wait(until: deadline) : .over(.drained(cutOff: cutOff))
        }
        if facts.isUrgent { return .over(.interrupted) }
        if let limit = hurriedLimit, facts.isAsked || facts.successorHasEnded {
            (hurriedLimit, deadline) = (nil, now + limit)
            return .hurry
        }
        return isOver(at: now) ? .over(.timedOut) : .wait(until: deadline)
    }

    private mutating func isOver(at now: Instant) -> Bool {
        let delay = now - deadline
        guard delay > Self.punctuality, !wasHeldUp else { return now >= deadline }
        (wasHeldUp, deadline) = (true, now + delay)
        return false
    }
}
