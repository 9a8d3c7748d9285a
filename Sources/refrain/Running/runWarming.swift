import Glibc
import Traffic

/// Fills a cache with what a recording asked for, and says what came of it.
func runWarming(_ options: WarmOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    DescriptorLimit.raise()
    let reading = ProgressLine(context.output)
    let warming: Warming
    do throws(ReplayError) {
        warming = try Warming(options.plan, rate: options.rate, watch: reading.watching(options.plan.file))
    } catch {
        throw .failed(error.description)
    }
    reading.end()
    for warning in warming.warnings { context.output.problem(warning) }
    let result = try runToEnd(
        StopSignals(), ReplayProgress(planned: warming.plannedCount, expected: nil, terminal: .of(STDERR_FILENO)),
        context.output, latest: { warming.progress }, stop: warming.stop, start: warming.start)
    if options.isJSON { context.output.json(result.json.bytes) } else { context.output.standard(result.text) }
    if let reason = result.stoppedBecause { context.output.problem("stopped: \(reason)") }
    if result.asked == 0 { context.output.problem("no request was answered") }
    return result.stoppedBecause != nil || result.asked == 0 ? .failed : .done
}
