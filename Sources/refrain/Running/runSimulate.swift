import AppleMusic
import EventLoop
import Glibc
import HTTP
import Recording
import Server
import Simulator
import Upstream

/// Runs the simulated API until it is told to stop.
func runSimulate(_ options: SimulateOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    let signals = StopSignals()
    let service = try options.service(context.output)
    let tls = try options.serverTLS()
    let listeners = options.listen.all.map { ListenerSettings(address: $0, tls: tls) }
    let host = try attempt("--listen: \(options.listen)") {
        try ServiceHost(label: "simulator", listener: listeners[0], others: Array(listeners.dropFirst()), service)
    }
    context.output.error("refrain: info: simulated API at \(tls == nil ? "http" : "https")://\(host.address)\n")
    signals.wait()
    host.stop()
    return .done
}

extension SimulateOptions {
    /// Makes the service. Everything that can fail fails here, before anything listens.
    func service(_ output: Output) throws(CommandFailure) -> (LoopContext) -> any Service {
        guard let recording, let upstream else {
            let responder = try responder(output)
            return { SimulatorService(responder, context: $0) }
        }
        return try liveService(recording, upstream, output)
    }

    private func liveService(
        _ path: String, _ upstream: Endpoint, _ output: Output
    ) throws(CommandFailure) -> (LoopContext) -> any Service {
        var settings = UpstreamSettings(endpoint: upstream)
        // After that the recorded answer is served.
        settings.timeouts.response = .seconds(10)
        let tls = try attempt("--upstream") { upstream.isTLS ? try ClientTLS(trustAnchors: .system) : nil }
        let use: LiveOrigin.Mode =
            mode == .record ? .record(try recorder(path, output)) : .fallback(try recorded(path, output))
        return { [settings] context in
            let pool = UpstreamPool(settings: settings, tls: tls, loop: context.loop, resolver: Resolver())
            return LiveOrigin(use, pool: pool, context: context)
        }
    }

    /// Writes each exchange as it comes: users of a recording look into it while it grows.
    private func recorder(
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

    private func recorded(_ path: String, _ output: Output) throws(CommandFailure) -> RecordedAPI {
        let recorded = try attempt("--recording") {
            try RecordedAPI(path: path, latency: latency)
        }
        for warning in recorded.warnings { output.error("refrain: warn: \(warning)\n") }
        return recorded
    }

    func responder(_ output: Output) throws(CommandFailure) -> any Responder {
        if let recording { return try recorded(recording, output) }
        return SimulatedAPI(configuration: configuration, verifier: try tokenCheck())
    }

    private func tokenCheck() throws(CommandFailure) -> DeveloperTokenCheck? {
        guard let publicKeyFile else { return nil }
        return try attempt("--public-key: \(publicKeyFile)") {
            try TokenVerifier(publicKeyPEM: FileAccess.system.read(publicKeyFile)).developerTokenCheck
        }
    }

    /// A throw-away authority's certificate for this machine's own names; the authority's goes to
    /// the file.
    fileprivate func serverTLS() throws(CommandFailure) -> ServerTLS? {
        guard let tlsAuthorityFile else { return nil }
        return try attempt("--tls-authority: \(tlsAuthorityFile)") {
            let authority = try ThrowawayAuthority()
            let certificate = Array(authority.certificatePEM().utf8)
            // Anyone may read it.
            try FileAccess.put(certificate, at: tlsAuthorityFile, mode: 0o644)
            return try ServerTLS(authority: authority, hosts: ["localhost", "127.0.0.1", "::1", listen.address.host])
        }
    }
}

extension TokenVerifier {
    /// A check of developer tokens for the simulated API, which accepts the same tokens.
    var developerTokenCheck: DeveloperTokenCheck {
        { @Sendable token, origin, now in
            let bytes = Array(token.utf8)
            return self.accepts(bytes.span, at: now, origin: origin)
        }
    }
}
