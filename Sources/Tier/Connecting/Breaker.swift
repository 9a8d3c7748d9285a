import EventLoop

/// Says whether an engine that keeps failing is asked at all. Pure: `now` is passed in.
///
/// Must hold:
/// - it opens at the fifth failure without a success in between, and closes at a success;
/// - while it is open, no client's question is let through. One of the connection's own is, once a
///   second: so it closes by itself where no client asks, and costs no client a timeout.
struct Breaker: Sendable {
    /// Failures in a row that open it. Each may have cost a client its timeout, so five of them are
    /// 250 ms in all.
    static let failuresToOpen = 5
    /// Between two questions while it is open, and from the failure that opened it to the first.
    static let probeInterval: Duration = .seconds(1)

    private enum State: Equatable {
        case closed(failures: Int)
        case open(nextProbe: Instant)
    }

    private var state = State.closed(failures: 0)

    /// Whether the engine keeps failing, and is not to be waited for.
    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    /// When it wants to know again whether the engine answers; nil while it is closed.
    var nextProbe: Instant? {
        if case .open(let nextProbe) = state { nextProbe } else { nil }
    }

    /// Whether that is to be asked now, which uses up the second's probe.
    mutating func takesProbe(now: Instant) -> Bool {
        guard let nextProbe, nextProbe <= now else { return false }
        state = .open(nextProbe: now + Self.probeInterval)
        return true
    }

    /// A question was answered in time, whatever the answer says.
    mutating func succeeded() { state = .closed(failures: 0) }

    /// A question was not answered, or there was no connection. Questions that fail together
    /// are one failure.
    mutating func failed(now: Instant) {
        guard case .closed(let failures) = state else { return }
        state =
            failures + 1 < Self.failuresToOpen
            ? .closed(failures: failures + 1) : .open(nextProbe: now + Self.probeInterval)
    }
}
