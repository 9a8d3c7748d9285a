import EventLoop
import Recording
import Server
import Simulator
import Upstream

/// A recording with a live origin beside it: `simulate --mode record` and `--mode fallback`.
struct LiveSimulation {
    /// Makes the service, once, on its loop.
    let service: (LoopContext) -> any Service

    /// The time after which the recorded answer stands in.
    private static let patience = Duration.seconds(10)

    /// - Parameter recorded: opens the recording that answers where the origin does not.
    init(
        _ path: String, _ mode: RecordingMode, _ upstream: ServerURL, _ output: Output,
        recorded: () throws(CommandFailure) -> RecordedAPI
    ) throws(CommandFailure) {
        var settings = UpstreamSettings(
            endpoint: Endpoint(isTLS: upstream.isTLS, host: upstream.host, port: upstream.port))
        settings.timeouts.response = Self.patience
        let tls = try attempt("--upstream") { upstream.isTLS ? try ClientTLS(trustAnchors: .system) : nil }
        let use: LiveOrigin.Mode =
            mode == .record ? .record(try Self.recorder(path, output)) : .fallback(try recorded())
        service = { [settings] context in
            let pool = UpstreamPool(settings: settings, tls: tls, loop: context.loop, resolver: Resolver())
            return LiveOrigin(use, pool: pool, context: context)
        }
    }

    /// Writes each exchange as it comes: users of a recording look into it while it grows.
    private static func recorder(
        _ path: String, _ output: Output
    ) throws(CommandFailure) -> (RecordedExchange, [UInt8]) -> Void {
        let writer = try attempt("--recording") {
            try RecordingWriter(
                RecordingSettings(path: path),
                header: RecordingHeader(started: .now(), program: "refrain \(ProgramVersion.text)"))
        }
        var problem: RecordingError?
        return { exchange, body in
            writer.append(exchange) { body }
            writer.flush()
            if let failure = writer.failure, failure != problem { output.error("refrain: warn: \(failure)\n") }
            problem = writer.failure
        }
    }
}
