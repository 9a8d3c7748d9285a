import Testing

@testable import Traffic

/// A target that takes one request at a time, and a run against it over one connection, in a time
/// that is only counted.
struct OneAtATime {
    enum Event {
        /// How long after it was due the run got to a request.
        case lag(Int64)
        case sent(at: Int64)
        case answered(position: Int, sentAt: Int64, at: Int64)
    }

    /// How long the target takes for the request of this number, in nanoseconds.
    let latency: (_ position: Int) -> Int64

    /// Plays all requests.
    func play(_ schedule: Schedule, _ note: (Event) -> Void) {
        var state = ReplayState(schedule, mostConnections: 1)
        var now: Int64 = 0
        var answer: (position: Int, sentAt: Int64, at: Int64)?
        _ = state.begin()
        while true {
            switch state.next(at: now) {
            case .send(let position, _, let wasHeld):
                if !wasHeld { note(.lag(now - (schedule.due(position) ?? now))) }
                note(.sent(at: now))
                answer = (position, now, now + latency(position))
            case .held(let position): note(.lag(now - (schedule.due(position) ?? now)))
            case .wait(let until):
                if let arrived = answer, arrived.at <= until ?? .max {
                    now = arrived.at
                    answer = nil
                    note(.answered(position: arrived.position, sentAt: arrived.sentAt, at: now))
                    state.answered(0, stays: true)
                } else {
                    now = until ?? now
                }
            case .open:
                Issue.record("one connection, which stays")
                return
            case .finished: return
            }
        }
    }
}
