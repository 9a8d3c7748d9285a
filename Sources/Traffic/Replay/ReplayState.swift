// Which request goes over which connection next. Pure: events in, steps out, times in nanoseconds
// since the start.
//
// Must hold:
// - requests are sent in the order in which they are due; those that find all connections busy
//   wait, in order;
// - a connection is opened only for a waiting request, up to a bound, and the one used last is used
//   next: no more are open than the load needs;
// - a waiting request is reported as held once, when that is noticed: until then the generator was
//   late, afterwards the target keeps it waiting;
// - in a warming the throttle decides when the next request may go, and a refused one goes again
//   before all others.

struct ReplayState {
    enum Step: Equatable {
        /// `wasHeld`: it was reported as `held` before.
        case send(position: Int, connection: Int, wasHeld: Bool)
        /// It is due, and no connection is free for it.
        case held(position: Int)
        case open(connection: Int)
        /// Nothing to do before; nil: until something happens.
        case wait(until: Int64?)
        case finished
    }

    let schedule: Schedule
    private let mostConnections: Int
    /// Position of the first request that is not due yet.
    private var due = 0
    /// Position of the first request that was neither sent nor failed without being sent.
    private(set) var taken = 0
    /// Position of the first request that was neither reported as held nor sent.
    private var told = 0
    private var idle: [Int] = []
    private var numbers = ConnectionNumbers()
    private var dialing = 0
    private var busy = 0
    private var mayDialAt: Int64 = 0
    /// Nil for a replay.
    private(set) var throttle: Throttle?
    /// Requests that a warming sends again.
    private var refused: [Int] = []

    /// Pause after a failed attempt in a closed loop: a target that is down would otherwise be
    /// dialled as fast as the machine can.
    static let dialPause: Int64 = 10_000_000

    init(_ schedule: Schedule, mostConnections: Int) {
        self.schedule = schedule
        self.mostConnections = mostConnections
        throttle = schedule.throttle
    }

    /// The next step; call again until it is `wait` or `finished`.
    mutating func next(at now: Int64) -> Step {
        noteDue(now)
        let waiting = refused.isEmpty ? due - taken : ready(at: now)
        if waiting > 0, let connection = idle.popLast() { return send(over: connection, at: now) }
        if !schedule.isClosed {
            told = max(told, taken)
            if told < due {
                defer { told += 1 }
                return .held(position: told)
            }
        }
        if waiting > dialing, connections < mostConnections, now >= mayDialAt {
            dialing += 1
            return .open(connection: numbers.take())
        }
        guard waiting == 0, !hasMore(at: now) else { return .wait(until: nextEvent(now)) }
        return busy == 0 ? .finished : .wait(until: nil)
    }

    private mutating func send(over connection: Int, at now: Int64) -> Step {
        busy += 1
        throttle?.noteSent(at: now)
        if let position = refused.popLast() {
            return .send(position: position, connection: connection, wasHeld: false)
        }
        defer { taken += 1 }
        return .send(position: taken, connection: connection, wasHeld: taken < told)
    }

    /// Open, or being opened.
    private var connections: Int { idle.count + busy + dialing }

    private mutating func noteDue(_ now: Int64) {
        if schedule.isClosed {
            due = min(taken + ready(at: now), schedule.count ?? .max)
            return
        }
        while let count = schedule.count, due < count, let time = schedule.due(due), time <= now { due += 1 }
    }

    /// Clients of a closed loop that take their next request: as many as there may be connections,
    /// and one at a time in a warming.
    private func ready(at now: Int64) -> Int {
        guard hasMore(at: now) else { return 0 }
        guard let throttle else { return mostConnections - busy }
        return now < throttle.opensAt ? 0 : min(1, mostConnections - busy)
    }

    /// Whether requests follow that are not due yet.
    private func hasMore(at now: Int64) -> Bool {
        guard schedule.isClosed else { return due < schedule.count ?? 0 }
        guard throttle?.stop == nil else { return false }
        guard refused.isEmpty else { return true }
        return taken < schedule.count ?? .max && now < schedule.end ?? .max
    }

    private func nextEvent(_ now: Int64) -> Int64? {
        if schedule.isClosed {
            let earliest = throttle?.opensAt ?? mayDialAt
            return now < earliest ? earliest : nil
        }
        return due < schedule.count ?? 0 ? schedule.due(due) : nil
    }
}

// MARK: - Events

extension ReplayState {
    /// A connection that was open before the start.
    mutating func begin() -> Int {
        let number = numbers.take()
        idle.append(number)
        return number
    }

    mutating func opened(_ connection: Int) {
        dialing -= 1
        idle.append(connection)
    }

    /// Returns the first waiting request, which fails with it; a warming sends it later, unless
    /// this ends it.
    mutating func couldNotOpen(_ connection: Int, at now: Int64) -> Int? {
        dialing -= 1
        numbers.giveBack(connection)
        guard throttle == nil else {
            throttle?.noteFailure(at: now)
            return sendsAgain ? nil : refused.last ?? taken
        }
        if schedule.isClosed { mayDialAt = now + Self.dialPause }
        noteDue(now)
        return takeWaiting()
    }

    /// The target answered, with 401 where it `isDenied`. The connection `stays` open for another
    /// request, or has gone.
    mutating func answered(_ connection: Int, isDenied: Bool = false, stays: Bool) {
        end(connection, stays: stays)
        throttle?.noteAnswer(isDenied: isDenied)
    }

    /// The target answered 429 or 503: in a warming the request is sent again.
    /// - Parameter seconds: that it says to wait; nil where it does not say.
    mutating func refused(_ connection: Int, _ position: Int, retryAfter seconds: Int?, stays: Bool, at now: Int64) {
        end(connection, stays: stays)
        guard throttle != nil else { return }
        refused.append(position)
        throttle?.noteRefusal(retryAfter: seconds, at: now)
    }

    /// Whether a request that the target refused is sent again: in a warming that goes on.
    var sendsAgain: Bool { throttle.map { $0.stop == nil } ?? false }

    /// The request got no whole answer and is not sent again.
    mutating func failed(_ connection: Int, at now: Int64) {
        end(connection, stays: false)
        throttle?.noteFailure(at: now)
    }

    private mutating func end(_ connection: Int, stays: Bool) {
        busy -= 1
        if stays { idle.append(connection) } else { numbers.giveBack(connection) }
    }

    /// The target closed an idle connection.
    mutating func lost(_ connection: Int) {
        guard let index = idle.firstIndex(of: connection) else { return }
        idle.remove(at: index)
        numbers.giveBack(connection)
    }

    /// Gives up the first waiting request if it was due before `time`.
    mutating func giveUp(dueBefore time: Int64) -> Int? {
        guard taken < due, let first = schedule.due(taken), first < time else { return nil }
        return takeWaiting()
    }

    private mutating func takeWaiting() -> Int? {
        guard taken < due else { return nil }
        defer { taken += 1 }
        return taken
    }
}

/// Numbers of connections, the small ones first: one that has ended leaves its number to the next.
private struct ConnectionNumbers {
    private var free: [Int] = []
    private var count = 0

    mutating func take() -> Int {
        if let number = free.popLast() { return number }
        defer { count += 1 }
        return count
    }

    mutating func giveBack(_ number: Int) { free.append(number) }
}
