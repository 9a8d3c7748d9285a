import Foundation
import Synchronization

/// Sends a trace to a server and checks the statuses of its answers.
struct TracePlayer: Sendable {
    /// How fast, and over how many connections.
    struct Pace: Sendable {
        let connections: Int
        /// The clients' time divided by this; nil for one request as soon as the one before it is
        /// answered.
        let speed: Double?

        static let oneByOne = Pace(connections: 1, speed: nil)

        /// All clients at once, in about so many seconds.
        static func together(_ trace: SessionTrace, seconds: Double) -> Pace {
            Pace(connections: 32, speed: Double(trace.length) / 1000 / seconds)
        }
    }

    let port: Int
    let trace: SessionTrace
    let pace: Pace

    /// - Throws: when an answer did not come, or had another status than the simulated API gives.
    func play() throws {
        let run = Progress(trace.requests.count)
        let finished = DispatchGroup()
        for _ in 0..<pace.connections {
            finished.enter()
            Thread.detachNewThread { @Sendable in
                sendInTurn(run)
                finished.leave()
            }
        }
        finished.wait()
        let failed = run.failures.withLock { $0 }
        if let first = failed.first {
            throw BenchError("\(failed.count) of \(trace.requests.count) answers of port \(port) are wrong: \(first)")
        }
    }

    /// What the connections of one run share.
    private final class Progress: Sendable {
        let next = Atomic<Int>(0)
        let failures = Mutex<[String]>([])
        let start = ContinuousClock.now
        private let answered: Mutex<[Bool]>

        init(_ count: Int) {
            answered = Mutex(Array(repeating: false, count: count))
        }

        func finish(_ index: Int) { answered.withLock { $0[index] = true } }

        /// The predecessor was taken earlier by some connection, so that it does get its answer.
        func wait(forAnswerTo index: Int) {
            while !answered.withLock({ $0[index] }) { usleep(200) }
        }
    }

    /// One connection: sends whatever request is next, until there is none.
    private func sendInTurn(_ run: Progress) {
        let client = TraceClient(port: port)
        while true {
            let index = run.next.add(1, ordering: .relaxed).oldValue
            guard index < trace.requests.count else { return }
            let request = trace.requests[index]
            wait(for: request, since: run.start)
            if let predecessor = request.predecessor { run.wait(forAnswerTo: predecessor) }
            defer { run.finish(index) }
            do {
                let status = try client.status(of: request.target)
                guard status != request.status else { continue }
                run.failures.withLock { $0.append("\(status) instead of \(request.status): \(request.target)") }
            } catch {
                run.failures.withLock { $0.append("\(error): \(request.target)") }
            }
        }
    }

    private func wait(for request: TraceRequest, since start: ContinuousClock.Instant) {
        guard let speed = pace.speed else { return }
        let due = start + .microseconds(Int(Double(request.due) * 1000 / speed))
        let left = (due - .now) / .microseconds(1)
        if left > 0 { usleep(UInt32(left)) }
    }
}
