import EventLoop
import Synchronization

/// A client that is known by name: its rate of requests, and its counters. The service checks its
/// key. Used from any thread.
public final class Client: Sendable {
    /// The operator's name for the client.
    public let name: String
    /// Requests a second; nil: any number.
    public let rate: Int?
    private let allowance: Mutex<RequestAllowance?>
    private let counters: Counters

    /// A client's record, which its successor under another configuration goes on with.
    private final class Counters: Sendable {
        let requests = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
        let limited = Atomic<Int>(0)
        let bytes = Atomic<Int>(0)
        /// By the first digit of the status; the first without one: the client had left.
        let answers: InlineArray<6, Atomic<Int>> = InlineArray { _ in Atomic<Int>(0) }
    }

    /// - Parameter previous: the client of that name before the file was read again; its counters
    ///   go on.
    package init(name: String, rate: Int?, continuing previous: Client? = nil) {
        (self.name, self.rate) = (name, rate)
        allowance = Mutex(rate.map { RequestAllowance(perSecond: $0) })
        counters = previous?.counters ?? Counters()
    }

    /// Requests that were answered, refused ones included.
    public var requests: Int { counters.requests.load(ordering: .relaxed) }
    /// Requests that were refused, for whatever reason.
    public var refused: Int { counters.refused.load(ordering: .relaxed) }
    /// Requests that were refused because the client had asked for too many in a second.
    public var limited: Int { counters.limited.load(ordering: .relaxed) }
    /// Bytes of content that it was sent.
    public var bytes: Int { counters.bytes.load(ordering: .relaxed) }

    /// Admits one request, or returns the seconds after which there is room for it.
    /// - Parameter nodes: how many nodes serve it, each of which admits its part of the rate.
    package func admit(at now: Instant, nodes: Int = 1) -> Int? {
        guard rate != nil, let wait = allowance.withLock({ $0?.take(at: now, nodes: nodes) }) else { return nil }
        counters.limited.add(1, ordering: .relaxed)
        return wait.secondsToWait
    }

    /// Answers by the first digit of their status, from 1 to 5, together `requests`; under 0 those
    /// that did not go out because the client had left.
    public func answers(ofClass digit: Int) -> Int { counters.answers[digit].load(ordering: .relaxed) }

    /// Counts an answer.
    /// - Parameter status: 0 if the client had left.
    package func count(status: Int, bytes: Int, isRefused: Bool) {
        counters.answers[min(max(0, status / 100), 5)].add(1, ordering: .relaxed)
        counters.requests.add(1, ordering: .relaxed)
        counters.bytes.add(bytes, ordering: .relaxed)
        if isRefused { counters.refused.add(1, ordering: .relaxed) }
    }
}

/// A number of requests a second, all of which may come at once: the generic cell rate algorithm,
/// which keeps nothing but when the next request would be due if they came evenly. Pure.
struct RequestAllowance: Sendable {
    private let interval: Duration
    private var due = Instant(nanoseconds: .min)

    init(perSecond rate: Int) {
        interval = .seconds(1) / rate
    }

    /// nil where there was one left; else how long it takes until there is.
    /// - Parameter nodes: among which the requests are divided; one at a time is always admitted.
    mutating func take(at now: Instant, nodes: Int = 1) -> Duration? {
        let interval = interval * nodes
        let burst = max(.zero, .seconds(1) - interval)
        let expected = max(due, now)
        let early = expected - now
        guard early <= burst else { return early - burst }
        due = expected + interval
        return nil
    }
}
