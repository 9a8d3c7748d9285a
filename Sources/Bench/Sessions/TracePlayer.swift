import Foundation
import Synchronization

/// Sends a trace to a server and checks its answers.
struct TracePlayer: Sendable {
    let port: Int
    let trace: SessionTrace
    /// Each sends its next request as soon as the one before it is answered.
    let connections: Int
    /// The fault of an answer, by its request, status and body; without one nil.
    var check: @Sendable (TraceRequest, Int, [UInt8]) -> String? = { request, status, _ in
        status == request.status ? nil : "\(status) instead of \(request.status): \(request.target)"
    }
    /// Called before the request at this place of the trace is sent.
    var willSend: @Sendable (Int) -> Void = { _ in }

    /// - Throws: when an answer did not come, or has a fault.
    func play() throws {
        let run = Progress(trace.requests.count)
        let finished = DispatchGroup()
        for _ in 0..<connections {
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
            if let predecessor = request.predecessor { run.wait(forAnswerTo: predecessor) }
            willSend(index)
            let fault: String?
            do {
                let answer = try client.get(request.target)
                run.finish(index)
                fault = check(request, answer.status, answer.body)
            } catch {
                run.finish(index)
                fault = "\(error): \(request.target)"
            }
            if let fault { run.failures.withLock { $0.append(fault) } }
        }
    }
}
