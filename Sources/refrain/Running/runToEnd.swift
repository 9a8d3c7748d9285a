import EventLoop
import Synchronization
import Traffic

/// Runs something to its end, or until a signal, and says meanwhile how far it is. Nothing is
/// written on the loop that sends: a slow terminal would make it late.
/// - Parameters:
///   - start: begins, and calls back once from any thread.
///   - stop: has it call back soon, with what was done until then.
func runToEnd<Ending: Sendable>(
    _ signals: StopSignals, _ progress: ReplayProgress, _ output: Output, latest: () -> Replay.Progress,
    stop: () -> Void, start: (@escaping @Sendable (Result<Ending, ReplayError>) -> Void) -> Void
) throws(CommandFailure) -> Ending {
    let box = ResultBox<Ending>()
    var progress = progress
    let wake = signals.wake
    start { @Sendable result in
        box.result.withLock { $0 = result }
        wake()
    }
    while !signals.wait(atMost: progress.interval) {
        output.error(progress.text(latest()))
    }
    if box.isEmpty {
        stop()
        // timeout(1) sends its signal twice, to the process and to its group: the second one must
        // not cost the report.
        let end = Instant.now() + .seconds(2)
        while box.isEmpty, Instant.now() < end { _ = signals.wait(atMost: .milliseconds(100)) }
    }
    output.error(progress.end)
    switch box.result.withLock({ $0 }) {
    case .success(let ending): return ending
    case .failure(let error): throw .failed(error.description)
    case nil: throw .failed("stopped")
    }
}

private final class ResultBox<Ending: Sendable>: Sendable {
    let result = Mutex<Result<Ending, ReplayError>?>(nil)
    var isEmpty: Bool { result.withLock { $0 == nil } }
}
