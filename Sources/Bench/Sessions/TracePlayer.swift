import Foundation
import Synchronization

struct TracePlayer: Sendable {
    let port: Int
    let trace: [TraceRequest]
    /// Each sends its next request as soon as the one before it is answered.
    let connections: Int
    /// Whether another status than the simulated API's is an error.
    var checksStatus = true
    /// Called before the request at this place of the trace is sent.
    var willSend: @Sendable (Int) -> Void = { _ in }

    /// - Throws: `BenchError` where an answer is missing or has the wrong status.
    func play() throws {
        let run = Progress(trace.count)
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
            throw BenchError("\(failed.count) of \(trace.count) answers of port \(port) are wrong: \(first)")
        }
    }

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
            guard index < trace.count else { return }
            let request = trace[index]
            if let predecessor = request.predecessor { run.wait(forAnswerTo: predecessor) }
            willSend(index)
            let fault: String?
            do {
                let answer = try client.get(request.target)
                run.finish(index)
                let isRight = !checksStatus || answer.status == request.status
                fault = isRight ? nil : "\(answer.status) instead of \(request.status): \(request.target)"
            } catch {
                run.finish(index)
                fault = "\(error): \(request.target)"
            }
            if let fault { run.failures.withLock { $0.append(fault) } }
        }
    }
}
