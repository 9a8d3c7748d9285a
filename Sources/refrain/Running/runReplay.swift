import Dispatch
import EventLoop
import Glibc
import Recording
import Synchronization
import Traffic

/// Replays a recording, and reports on it.
func runReplay(_ options: ReplayOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    DescriptorLimit.raise()
    let signals = StopSignals()
    let replay: Replay
    do throws(ReplayError) {
        replay = try Replay(options.plan)
    } catch {
        throw .failed(error.description)
    }
    for warning in replay.warnings { context.output.problem(warning) }
    let outcome = try outcome(of: replay, signals, ReplayProgress(replay), context.output)
    let verdicts = options.thresholds.map { $0.verdict(on: outcome.result) }
    try write(outcome.result, options, context.files)
    if options.isJSON {
        context.output.json(outcome.result.json.bytes)
        for verdict in verdicts where verdict.isMissed { context.output.problem("missed: \(verdict.sentence)") }
    } else {
        context.output.standard(TerminalSummary.text(of: outcome.result, thresholds: verdicts))
    }
    if outcome.wasStopped {
        context.output.problem("stopped before the end; the figures are of what was done until then")
    }
    if let reason = outcome.result.invalidBecause { context.output.problem("invalid run: \(reason)") }
    let isBad = outcome.wasStopped || outcome.result.invalidBecause != nil || verdicts.contains(where: \.isMissed)
    return isBad ? .failed : .done
}

/// Runs it to its end, or until a signal, and says meanwhile how far it is. Nothing is written on the loop that sends: a slow
/// terminal would make it late.
private func outcome(
    of replay: Replay, _ signals: StopSignals, _ progress: ReplayProgress, _ output: Output
) throws(CommandFailure) -> Replay.Outcome {
    let box = ResultBox()
    var progress = progress
    let wake = signals.wake
    replay.start { @Sendable result in
        box.result.withLock { $0 = result }
        wake()
    }
    while !signals.wait(atMost: progress.interval) {
        output.error(progress.text(replay.progress))
    }
    if box.result.withLock({ $0 == nil }) {
        replay.stop()
        signals.wait()
    }
    output.error(progress.end)
    switch box.result.withLock({ $0 }) {
    case .success(let outcome): return outcome
    case .failure(let error): throw .failed(error.description)
    case nil: throw .failed("stopped")
    }
}

private final class ResultBox: Sendable {
    let result = Mutex<Result<Replay.Outcome, ReplayError>?>(nil)
}

private func write(_ result: ReplayResult, _ options: ReplayOptions, _ files: FileAccess) throws(CommandFailure) {
    var reports: [(path: String, text: String)] = []
    if let path = options.hgrmFile { reports.append((path, HGRM.text(of: result.corrected, in: result))) }
    for (path, text) in reports {
        do throws(FileProblem) {
            try files.write(path, Array(text.utf8))
        } catch {
            throw .failed("cannot write \(path): \(error.message)")
        }
    }
}
