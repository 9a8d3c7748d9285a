// Which request of a warming goes when. Pure: events in, steps out, times in nanoseconds since the
// start.
//
// What must hold:
// - two requests are never closer than the pace, however late the one before was, so that nothing
//   is made up for in a burst;
// - a refusal (429, 503) stops all sending for as long as it says, halves the pace from then on,
//   and its request is asked again first;
// - who refuses `mostRefusals` times without an answer between, or asks for longer than
//   `longestPause`, is left alone, and so is a target to which nothing gets through.

struct WarmState: Sendable {
    enum Step: Equatable {
        case send(request: Int, connection: Int)
        case open(connection: Int)
        /// Nothing to do before; nil: until something happens.
        case wait(until: Int64?)
        case finished
    }

    /// Why it ends before all was asked.
    enum Stop: Equatable {
        case refused(times: Int)
        case toldToWait(seconds: Int)
        case failed(times: Int)
    }

    static let mostRefusals = 5
    static let mostFailures = 5
    static let longestPause: Int64 = 300_000_000_000
    /// The first pause after a refusal that names none; each one after it is twice as long.
    static let usualPause: Int64 = 5_000_000_000
    /// The pace is halved down to one request in ten seconds.
    static let slowestSpacing: Int64 = 10_000_000_000

    private let count: Int
    private let mostConnections: Int
    /// Between two requests, in nanoseconds.
    private(set) var spacing: Int64
    private var next = 0
    /// Those that were refused, or whose connection could not be opened.
    private var again: [Int] = []
    private var mayAskAt: Int64 = 0
    /// Of the last refusal.
    private var pauseEnd: Int64 = 0
    private var idle: [Int] = []
    private var numbers = ConnectionNumbers()
    private var dialing = 0
    private var underWay: [Int: Int] = [:]
    private var refusalsInARow = 0
    private var failuresInARow = 0
    private(set) var stop: Stop?

    /// - Parameters:
    ///   - count: of requests, which are numbered from 0.
    ///   - rate: at most so many are sent.
    init(count: Int, rate: RequestRate, mostConnections: Int) {
        (self.count, self.mostConnections) = (count, mostConnections)
        spacing = rate.spacing
    }

    /// What to do now; to be asked again until it says `wait` or `finished`.
    mutating func next(at now: Int64) -> Step {
        guard stop == nil, hasMore else { return underWay.isEmpty ? .finished : .wait(until: nil) }
        guard now >= mayAskAt else { return .wait(until: mayAskAt) }
        if let connection = idle.popLast() {
            let request = again.popLast() ?? next
            if request == next { next += 1 }
            underWay[connection] = request
            mayAskAt = now + spacing
            return .send(request: request, connection: connection)
        }
        guard dialing == 0, underWay.count < mostConnections else { return .wait(until: nil) }
        dialing += 1
        return .open(connection: numbers.take())
    }

    private var hasMore: Bool { next < count || !again.isEmpty }
}

// MARK: - What happens

extension WarmState {
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

    mutating func couldNotOpen(_ connection: Int, at now: Int64) {
        dialing -= 1
        numbers.giveBack(connection)
        noteFailure(at: now)
    }

    /// The target answered, with whatever but a refusal.
    mutating func answered(_ connection: Int, stays: Bool) {
        end(connection, stays)
        (refusalsInARow, failuresInARow) = (0, 0)
    }

    /// - Parameter seconds: that it says to wait; nil where it does not say.
    mutating func refused(_ connection: Int, retryAfter seconds: Int?, stays: Bool, at now: Int64) {
        if let request = end(connection, stays) { again.append(request) }
        // Of several that were under way together one tells all that there is to learn.
        if now >= pauseEnd {
            refusalsInARow += 1
            spacing = min(2 * spacing, max(spacing, Self.slowestSpacing))
        }
        if let seconds, seconds > Self.longestPause / 1_000_000_000 {
            stop = .toldToWait(seconds: seconds)
        } else if refusalsInARow >= Self.mostRefusals {
            stop = .refused(times: refusalsInARow)
        }
        guard stop == nil else { return }
        let pause = seconds.map { max(1, Int64($0)) * 1_000_000_000 } ?? Self.usualPause << (refusalsInARow - 1)
        pauseEnd = max(pauseEnd, now + pause)
        mayAskAt = max(mayAskAt, pauseEnd)
    }

    /// Its answer did not come, or not whole. It is not asked again.
    mutating func failed(_ connection: Int, at now: Int64) {
        end(connection, false)
        noteFailure(at: now)
    }

    /// The target closed a connection that had nothing to do.
    mutating func lost(_ connection: Int) {
        guard let index = idle.firstIndex(of: connection) else { return }
        idle.remove(at: index)
        numbers.giveBack(connection)
    }

    private mutating func noteFailure(at now: Int64) {
        failuresInARow += 1
        if failuresInARow >= Self.mostFailures { stop = .failed(times: failuresInARow) }
        mayAskAt = max(mayAskAt, now + 1_000_000_000)
    }

    @discardableResult
    private mutating func end(_ connection: Int, _ stays: Bool) -> Int? {
        if stays { idle.append(connection) } else { numbers.giveBack(connection) }
        return underWay.removeValue(forKey: connection)
    }
}
