import EventLoop
import Synchronization
import Traffic

/// Runs a replay to its end, or until a signal, and writes its progress meanwhile. Nothing is
/// written on the loop that sends: a slow terminal would make it late.
func runToEnd(_ replay: Replay, _ signals: StopSignals, _ output: Output) throws(CommandFailure) -> Replay.Ending {
    let result = Mutex<Result<Replay.Ending, ReplayError>?>(nil)
    let hasEnded = { result.withLock { $0 != nil } }
    let progress = ReplayProgress(planned: replay.plannedCount, expected: replay.expectedLength ?? nil)
    let line = ProgressLine(output)
    let wake = signals.wake
    replay.start { @Sendable ending in
        result.withLock { $0 = ending }
        wake()
    }
    while !signals.wait(until: .now() + line.interval, { signals.count > 0 || hasEnded() }) {
        line.show(progress.text(replay.progress))
    }
    if !hasEnded() {
        replay.stop()
        // timeout(1) sends its signal twice, to the process and to its group: the second one must
        // not cost the report.
        signals.wait(until: .now() + .seconds(2), hasEnded)
    }
    line.end()
    switch result.withLock({ $0 }) {
    case .success(let ending): return ending
    case .failure(let error): throw .failed(error.description)
    case nil: throw .failed("stopped")
    }
}
