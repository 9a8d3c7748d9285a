import Dispatch
import EventLoop
import Recording
import Synchronization
import Traffic
import Upstream

/// Requests over keep-alive connections, sent as a replay sends those of a recording. Where they
/// have a rate the load is open: latency counts from when a request was due, so that a server which
/// stalls cannot hide how many it kept waiting.
enum Load {
    /// Asks for each target once, at a rate or all at once.
    ///
    /// A result is returned though its generator was late: its figures are shown together with that
    /// (`Sample.invalidBecause`).
    /// - Throws: `BenchError` unless each of them is a 200.
    static func run(
        _ targets: some Sequence<String>, port: Int, connections: Int, perSecond rate: Int? = nil
    ) throws -> ReplayResult {
        let exchanges = exchanges(targets)
        let plan = plan(port, rate.map { .rate(RequestRate(perSecond: $0)) } ?? .recorded(speed: 1), connections)
        return try run(plan, exchanges) { $0 == exchanges.count }
    }

    /// Finds the rate that a server sustains for clients that ask again.
    ///
    /// - Parameter repeats: begins with the first target again after the last one.
    /// - Throws: `BenchError` unless each answer is a 200.
    static func closed(
        _ targets: some Sequence<String>, port: Int, connections: Int, seconds: Int, repeats: Bool
    ) throws -> ReplayResult {
        var plan = plan(port, .closed, connections)
        (plan.duration, plan.repeats) = (.seconds(seconds), repeats)
        return try run(plan, exchanges(targets)) { $0 > 0 }
    }

    private static func plan(_ port: Int, _ pace: ReplayPace, _ connections: Int) -> ReplayPlan {
        var plan = ReplayPlan(
            file: "songs", target: Endpoint(isTLS: false, host: "127.0.0.1", port: UInt16(port)),
            pace: pace, connections: connections)
        plan.timeout = .seconds(60)
        return plan
    }

    private static func exchanges(_ targets: some Sequence<String>) -> [RecordedExchange] {
        var exchange = RecordedExchange(
            time: .now(), offset: .zero, method: "GET", target: "", status: 200, latency: .zero, length: 0)
        exchange.requestFields = [RecordedField("accept", "application/json")]
        return targets.map { target in
            exchange.target = target
            return exchange
        }
    }

    /// - Throws: `BenchError` where an answer is no 200, or their number not as it should be.
    private static func run(
        _ plan: ReplayPlan, _ exchanges: [RecordedExchange], isComplete: (Int) -> Bool
    ) throws -> ReplayResult {
        let result = try run(Replay(plan, sending: exchanges))
        guard result.failed == 0, isComplete(result.answered), result.statuses == [200: result.answered] else {
            throw BenchError("\(result.sent) requests: statuses \(result.statuses), failures \(result.failures)")
        }
        return result
    }

    private static func run(_ replay: Replay) throws -> ReplayResult {
        let ending = Mutex<Result<Replay.Ending, ReplayError>?>(nil)
        let done = DispatchSemaphore(value: 0)
        return try withExtendedLifetime(replay) {
            replay.start { @Sendable result in
                ending.withLock { $0 = result }
                done.signal()
            }
            done.wait()
            guard let ending = ending.withLock({ $0 }) else { throw BenchError("a replay without an end") }
            return try ending.get().result
        }
    }
}

extension ReplayResult {
    /// Milliseconds that this share of the latencies did not exceed; 0 where there are none.
    func milliseconds(atShare share: Double) -> Double { Double(corrected.quantile(share) ?? 0) / 1e6 }
}
