import EventLoop
import Recording
import Text
import Traffic

/// Replays a recording, and reports on it.
func runReplay(_ options: ReplayOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    for path in [options.htmlFile, options.failedFile].compactMap({ $0 }) {
        try context.files.checkReport(path, of: options.plan.file)
    }
    var plan = options.plan
    plan.failedFile = try options.failedFile.map { path throws(CommandFailure) in
        try attempt("cannot write \(path)") { () throws(FailedRequestFile.Errno) in try FailedRequestFile(path) }
    }
    var ending = try ending(of: plan, verifies: options.verifies, context)
    let problemOfFailed = plan.failedFile?.finish()
    let verdicts = options.thresholds.map { $0.verdict(on: ending.result) }
    ending.result.judge(verdicts)
    try write(ending.result, verdicts, options, context.files)
    if options.isJSON {
        context.output.json(JSON.object(of: ending.result, verdicts).bytes)
        for verdict in verdicts where verdict.isMissed { context.output.problem("missed: \(verdict.sentence)") }
    } else {
        context.output.standard(TerminalSummary.text(of: ending.result, thresholds: verdicts))
    }
    if ending.wasStopped { context.output.problem("stopped before the end") }
    if ending.result.answered == 0 { context.output.problem("no request was answered") }
    if let reason = ending.result.invalidBecause { context.output.problem("invalid run: \(reason)") }
    if let path = options.failedFile, let problem = problemOfFailed {
        context.output.problem("cannot write \(path): \(problem)")
        return .failed
    }
    return ending.status(verdicts)
}

/// Fills a cache with the requests of a recording, and reports on it.
func runWarming(_ options: WarmOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    let result = WarmResult(try ending(of: options.plan, verifies: false, context), rate: options.rate)
    if options.isJSON { context.output.json(result.json.bytes) } else { context.output.standard(result.text) }
    if let reason = result.stoppedBecause { context.output.problem("stopped: \(reason)") }
    if result.asked == 0 { context.output.problem("no request was answered") }
    return result.stoppedBecause != nil || result.asked == 0 ? .failed : .done
}

private func ending(
    of plan: ReplayPlan, verifies: Bool, _ context: CommandContext
) throws(CommandFailure) -> Replay.Ending {
    DescriptorLimit.raise()
    let reading = ProgressLine(context.output)
    let replay: Replay
    do throws(ReplayError) {
        replay = try Replay(plan, verifies: verifies, watch: reading.watching(RecordingReader.name(of: plan.file)))
    } catch {
        throw .failed(error.description)
    }
    reading.end()
    for warning in replay.warnings { context.output.problem(warning) }
    // Before that a signal ends the program: there is nothing to report.
    return try runToEnd(replay, StopSignals(), context.output)
}

extension Replay.Ending {
    /// A threshold that was missed whatever the generator did comes before an invalid run.
    func status(_ verdicts: [Threshold.Verdict]) -> ExitStatus {
        if wasStopped || result.answered == 0 || verdicts.contains(where: \.isMissed) { return .failed }
        return result.invalidBecause == nil ? .done : .invalidRun
    }
}

private func write(
    _ result: ReplayResult, _ verdicts: [Threshold.Verdict], _ options: ReplayOptions, _ files: FileAccess
) throws(CommandFailure) {
    if let path = options.htmlFile {
        try files.writeReport(HTMLReport.page(of: result, thresholds: verdicts), to: path)
    }
}

extension JSON {
    /// A result, notes on its figures, and the verdicts on the thresholds: `expression`, `failed`,
    /// `undecided` and `sentence` of each.
    fileprivate static func object(of result: ReplayResult, _ verdicts: [Threshold.Verdict]) -> JSON {
        var json = result.json.objectValue ?? JSONObject()
        let thresholds = verdicts.map { verdict -> JSON in
            [
                "expression": .string(verdict.threshold.text), "failed": .bool(verdict.isMissed),
                "undecided": .bool(verdict.isUndecided), "sentence": .string(verdict.sentence),
            ]
        }
        json.append("notes", .array(result.notes.map { .string($0) }))
        json.append("thresholds", .array(thresholds))
        return .object(json)
    }
}

extension FileAccess {
    /// Before the run, which would be for nothing if its report could not be written.
    func checkReport(_ path: String, of recording: String) throws(CommandFailure) {
        guard path != recording, !FileAccess.isSame(path, recording) else {
            throw .usage(
                "replay: \(path) is the recording; write the report to another file")
        }
        if let problem = saveProblem(path) { throw .failed("cannot write \(path): \(problem)") }
    }

    func writeReport(_ text: String, to path: String) throws(CommandFailure) {
        try attempt("cannot write \(path)") { try save(path, Array(text.utf8)) }
    }
}

/// `replay compare A B`: two results that were written with `--json`, side by side.
func compareReplays(_ arguments: CommandArguments, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    let names = arguments.positional.dropFirst()
    guard names.count == 2 else {
        throw .usage("replay: compare needs two results written with --json (see \"refrain help replay\")")
    }
    try ReplayOptions.refuse(allBut: [ReplayOptions.html, .json], in: arguments, because: "compare sends nothing")
    let runs = try names.map { name throws(CommandFailure) in
        (name: name, result: try result(inFile: name, context.files))
    }
    let comparison = ReplayComparison(runs[0], runs[1])
    if let path = arguments.value(ReplayOptions.html) { try context.files.writeReport(comparison.page, to: path) }
    if arguments.has(.json) {
        context.output.json(JSON.object(members: ["a": runs[0].result.json, "b": runs[1].result.json]).bytes)
    } else {
        context.output.standard(comparison.text)
    }
    return .done
}

private func result(inFile path: String, _ files: FileAccess) throws(CommandFailure) -> ReplayResult {
    let bytes = try attempt("cannot read \(path)") { try files.readResult(path) }
    return try attempt(path) { try ReplayResult(json: bytes) }
}
