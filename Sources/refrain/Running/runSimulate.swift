import AppleMusic
import EventLoop
import Glibc
import HTTP
import Recording
import Server
import Simulator

/// Runs the simulated API until it is told to stop.
func runSimulate(_ options: SimulateOptions, _ context: CommandContext) throws(CommandFailure) -> ExitStatus {
    let signals = StopSignals()
    let service = try options.service(context.output)
    let tls = try options.serverTLS()
    let listener = ListenerSettings(address: try options.listen.socketAddress(), tls: tls)
    let host: ServiceHost
    do throws(SystemError) {
        host = try ServiceHost(label: "simulator", listener: listener, service)
    } catch {
        throw .failed("--listen: \(options.listen): \(error)")
    }
    context.output.error("refrain: info: simulated API at \(tls == nil ? "http" : "https")://\(host.address)\n")
    signals.wait()
    host.stop()
    return .done
}

extension SimulateOptions {
    /// What answers. Everything that can fail fails here, before anything listens.
    func service(_ output: Output) throws(CommandFailure) -> (LoopContext) -> any Service {
        guard let recording, let upstream else {
            let responder = try responder(output)
            return { SimulatorService(responder, context: $0) }
        }
        return try LiveSimulation(recording, mode, upstream, output) { () throws(CommandFailure) in
            try recorded(recording, output)
        }.service
    }

    private func recorded(_ path: String, _ output: Output) throws(CommandFailure) -> RecordedAPI {
        do {
            let recorded = try RecordedAPI(path: path, pace: latency.map { .fixed($0) } ?? .recorded)
            for warning in recorded.warnings { output.error("refrain: warn: \(warning)\n") }
            return recorded
        } catch {
            throw .failed("--recording: \(error)")
        }
    }

    func responder(_ output: Output) throws(CommandFailure) -> any Responder {
        if let recording { return try recorded(recording, output) }
        var configuration = SimulatorConfiguration()
        if let seed { configuration.seed = seed }
        configuration.latency = latency ?? .zero
        configuration.requiresAuthorization = requiresAuthorization
        for fault in faults { configuration.add(fault) }
        configuration.reviseEvery = reviseEvery
        configuration.flipAfter = flipAfter
        return SimulatedAPI(configuration: configuration, verifier: try tokenCheck())
    }

    private func tokenCheck() throws(CommandFailure) -> DeveloperTokenCheck? {
        guard let publicKeyFile else { return nil }
        do {
            return DeveloperTokenChecks.verifying(
                with: try TokenVerifier(publicKeyPEM: FileAccess.system.read(publicKeyFile)))
        } catch {
            throw .failed("--public-key: \(publicKeyFile): \(error)")
        }
    }

    /// A throw-away authority's certificate for this machine's own names; the authority's goes to
    /// the file.
    fileprivate func serverTLS() throws(CommandFailure) -> ServerTLS? {
        guard let tlsAuthorityFile else { return nil }
        do {
            let authority = try ThrowawayAuthority()
            try PublicFile.write(authority.certificatePEM(), to: tlsAuthorityFile)
            return try ServerTLS(authority: authority, hosts: ["localhost", "127.0.0.1", "::1", listen.host])
        } catch {
            throw .failed("--tls-authority: \(tlsAuthorityFile): \(error)")
        }
    }
}

/// A check of developer tokens for the simulated API.
enum DeveloperTokenChecks {
    /// Accepts what `verifier` accepts.
    static func verifying(with verifier: TokenVerifier) -> DeveloperTokenCheck {
        { @Sendable token, origin, now in
            let bytes = Array(token.utf8)
            return (try? verifier.verify(bytes.span, at: now, origin: origin)) != nil
        }
    }
}

/// Files that anyone may read.
enum PublicFile {
    static func write(_ text: String, to path: String) throws(FileProblem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .lastError() }
        defer { close(descriptor) }
        var text = text
        let count = text.withUTF8 { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == text.utf8.count else { throw .lastError() }
    }
}
