import Dispatch
import EventLoop
import Glibc
import Recording
import Text
import Traffic

/// `refrain replay --dry-run`: one run for each configuration.
func runDryRun(_ arguments: CommandArguments, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    guard let file = arguments.positional.first, arguments.positional.count == 1 else {
        throw .usage("replay: name one recording to replay (see \"refrain help replay\")")
    }
    try ReplayOptions.refuse(
        allBut: [ReplayOptions.dryRun, ReplayOptions.config, ReplayOptions.html, .json], in: arguments,
        because: "--dry-run sends nothing")
    let given = arguments.all(ReplayOptions.config)
    let configurations =
        given.isEmpty
        ? [try ConfigurationFile.chosen(by: CommandArguments(), context)] : given.map(ConfigurationFile.init(named:))
    var settings: [WhatIfSettings] = []
    for file in configurations {
        let effective = try ConfigurationReader.read(file, files: context.files.withoutLooking)
        settings.append(effective.configuration.whatIfSettings(name: file.path))
    }
    let report: WhatIfReport
    do {
        let reader = try RecordingReader(path: file)
        let progress = ProgressLine(context.output)
        let traffic = try RecordedTraffic(reader, watch: progress.watching(RecordingReader.name(of: file)))
        progress.end()
        for warning in reader.warnings { context.output.problem(warning) }
        guard traffic.count > 0 else {
            throw CommandFailure.failed("replay: \(reader.path): no request in it reached the cache")
        }
        DescriptorLimit.raise()
        report = WhatIfReport(
            file: RecordingReader.name(of: file), traffic, try figures(of: traffic, settings, progress))
    } catch let failure as CommandFailure {
        throw failure
    } catch {
        throw .failed("replay: \(error)")
    }
    if let path = arguments.value(ReplayOptions.html) { try context.files.writeReport(report.page, to: path) }
    if arguments.has(.json) { context.output.json(report.json.bytes) } else { context.output.standard(report.text) }
    return .done
}

/// Runs them one after the other. A signal must not end the program at once: recorded content would
/// be left on disk.
private func figures(
    of traffic: RecordedTraffic, _ settings: [WhatIfSettings], _ progress: ProgressLine
) throws -> [WhatIfFigures] {
    defer { progress.end() }
    let (stop, signals) = (WhatIfStop(), SignalWatcher(queue: DispatchQueue(label: "refrain.signals")))
    for signal in [SIGTERM, SIGINT] { signals.on(signal) { @Sendable in stop.stop() } }
    return try withExtendedLifetime(signals) {
        try settings.map { settings in
            let figures = try WhatIf.run(traffic, settings, until: stop) { sent in
                progress.show("\(settings.name): \(Figure.count(sent)) of \(Figure.count(traffic.count)) requests")
            }
            guard !stop.isStopped else { throw CommandFailure.failed("replay: stopped before the end") }
            return figures
        }
    }
}
