import EventLoop
import Glibc

// The findings of a start beyond the configuration: `check` looks for them without a trace, so that
// it does not accept a configuration that `serve` refuses a moment later.

/// The troubles that `serve` would meet.
struct StartForecast {
    /// The start would fail.
    var errors: [ConfigurationError] = []
    /// The proxy would say so and run.
    var warnings: [String] = []
    /// True of a proxy that runs already.
    var notes: [String] = []
}

extension ConfigurationChecks {
    /// Tries what `serve` does first.
    func forecast() -> StartForecast {
        var forecast = StartForecast()
        if case .file(let path) = configuration.accessLog.destination, let problem = files.logProblem(path) {
            forecast.errors.append(error(of: "access_log", "\(quoted(path)): \(problem)\(LiteralPath.hint(path))"))
        }
        if configuration.upstream.isTLS, configuration.upstreamCAFile == nil, let problem = files.anchorsProblem(nil) {
            forecast.errors.append(error(of: "upstream", problem))
        }
        if let path = configuration.cacheFile {
            if let trouble = files.cacheForecast(path) { forecast.warnings.append("cache_file: \(trouble)") }
            if let holder = files.cacheHolder(path) {
                forecast.notes.append("cache_file: \(path) is in use by process \(holder)")
            }
        }
        for line in listenLines {
            for address in Self.addresses(of: line) { tryToListen(address, line, &forecast) }
        }
        return forecast
    }

    private func tryToListen(_ address: SocketAddress, _ line: SettingLine, _ forecast: inout StartForecast) {
        guard let problem = files.listenProblem(address) else { return }
        switch problem.errno {
        // The proxy that this configuration is for may run.
        case EADDRINUSE:
            forecast.notes.append("\(line.directive.name): \(address) is in use; a start fails until it is free")
        // A service manager may give the proxy more rights, or the socket.
        case EACCES:
            forecast.warnings.append(
                "\(line.directive.name): \(address): \(problem)\(address.remedy(for: problem))")
        default: forecast.errors.append(error(line, "\(address): \(problem)"))
        }
    }
}

extension SocketAddress {
    /// The end of a message about this address: the way to a port that a service without rights
    /// cannot bind. Empty where the error is another one.
    func remedy(for error: SystemError) -> String {
        guard error.errno == EACCES, path == nil, port < 1024 else { return "" }
        return "; let systemd bind this port (ListenStream= in refrain.socket), or grant CAP_NET_BIND_SERVICE"
    }
}
