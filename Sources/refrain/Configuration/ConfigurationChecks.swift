import EventLoop
import Glibc

// Checks that no directive can make alone: which settings need or exclude one another, and whether
// the files they name can be used.

struct ConfigurationChecks {
    let configuration: Configuration
    let lines: [SettingLine]
    let files: FileAccess
    /// Directives with a line that is wrong: no error asks for a line of them.
    var refused: Set<String> = []

    /// Everything that is wrong; empty: it can be run.
    func problems() -> [ConfigurationError] {
        listeners() + exposure() + credentials() + sharedTier() + namedFiles() + recording()
    }

    private func listeners() -> [ConfigurationError] {
        var errors: [ConfigurationError] = []
        var taken: [(address: SocketAddress, line: SettingLine)] = []
        for line in listenLines {
            let addresses = Self.addresses(of: line)
            for path in addresses.compactMap(\.path) {
                if let problem = files.socketProblem(path) { errors.append(error(line, problem)) }
            }
            for address in addresses {
                guard let other = taken.first(where: { $0.address.excludes(address) }) else { continue }
                let what = other.address == address ? "" : " by \(other.address)"
                let first = other.line.place.map { "at \($0)" } ?? "by the default of \(other.line.directive.name)"
                errors.append(error(line, "\(address) is already taken\(what) \(first)"))
            }
            taken += addresses.map { ($0, line) }
            guard line.words.dropFirst().contains("tls") else { continue }
            for need in ["tls_certificate", "tls_certificate_key"] where !isNamed(need) {
                errors.append(error(line, "tls needs \(need)"))
            }
        }
        return errors
    }

    private var listenLines: [SettingLine] { lines.filter { ["listen", "admin_listen"].contains($0.directive.name) } }

    /// Addresses on which a line has the proxy listen; none where it is wrong or `off`.
    private static func addresses(of line: SettingLine) -> [SocketAddress] {
        (try? HostPort(admin: line.words[0]))?.all ?? []
    }

    /// Errors about services open to the network without a key.
    private func exposure() -> [ConfigurationError] {
        var errors: [ConfigurationError] = []
        if let admin = configuration.adminListener, !admin.address.isLoopback, !isNamed("admin_token_file") {
            errors.append(
                error(of: "admin_listen", "\(admin) is not a loopback address and needs admin_token_file"))
        }
        let open = configuration.listeners.first { !$0.address.isLoopback }
        if let open, isSet("music_user_token_file"), !isNamed("client_keys_file") {
            errors.append(
                error(
                    of: "music_user_token_file",
                    "any client that reaches \(open.address) could use this account; set client_keys_file"))
        }
        return errors
    }

    private func credentials() -> [ConfigurationError] {
        let parts = ["developer_key_file", "developer_key_id", "developer_team_id"]
        let present = parts.filter(isSet)
        if isSet("developer_token_file"), let first = present.first {
            return [error(of: first, "developer_token_file already provides the token; remove one of the two")]
        }
        let missing = parts.filter { !isNamed($0) }
        guard let first = present.first, !missing.isEmpty else { return [] }
        return [error(of: first, "needs \(missing.joined(separator: " and ")) as well")]
    }

    // MARK: The shared tier

    private func sharedTier() -> [ConfigurationError] {
        let isOff = lines.contains { $0.directive.name == "shared_tier" && $0.words == [Directive.off] }
        if isOff { return lines.filter(needsTheTier).map { error($0, "needs shared_tier, which is off") } }
        guard let tier = configuration.sharedTier, !tier.isTLS, isSet("shared_tier_ca_file") else { return [] }
        return [error(of: "shared_tier_ca_file", "applies only to a shared_tier with rediss://")]
    }

    /// Whether a line is for the tier alone. One with the default value is not: `check` shows it,
    /// and its output has to be a configuration.
    private func needsTheTier(_ line: SettingLine) -> Bool {
        let spelling = line.words.joined(separator: " ")
        return line.directive.name.hasPrefix("shared_tier_") && !line.directive.defaults.contains(spelling)
    }

    // MARK: Files

    private func recording() -> [ConfigurationError] {
        guard let settings = configuration.recording?.settings, let problem = files.recordingProblem(settings) else {
            return []
        }
        return [error(of: "record", problem + LiteralPath.hint(settings.path))]
    }

    private func namedFiles() -> [ConfigurationError] {
        let problems = lines.compactMap(fileProblem)
        guard problems.isEmpty, let certificate = configuration.tlsCertificateFile,
            let key = configuration.tlsCertificateKeyFile,
            let problem = files.certificateProblem(certificate, key)
        else { return problems }
        return [error(of: "tls_certificate", problem)]
    }

    private func fileProblem(_ line: SettingLine) -> ConfigurationError? {
        let path = line.words[0]
        let problem = line.directive.fileRule.problem(files, path)
        return problem.map { error(line, "\(quoted(path)): \($0)\(LiteralPath.hint(path))") }
    }

    private func isSet(_ name: String) -> Bool { lines.contains { $0.directive.name == name } }

    /// Whether a line names it, be the line right or wrong.
    private func isNamed(_ name: String) -> Bool { isSet(name) || refused.contains(name) }

    private func error(_ line: SettingLine, _ message: String) -> ConfigurationError {
        ConfigurationError(place: line.place, message: "\(line.directive.name): \(message)")
    }

    private func error(of name: String, _ message: String) -> ConfigurationError {
        let place = lines.first { $0.directive.name == name }?.place
        return ConfigurationError(place: place, message: "\(name): \(message)")
    }
}

// MARK: - The start

/// The findings of a start beyond the configuration: `check` names them and changes nothing, so
/// that it accepts no configuration that `serve` refuses.
struct StartForecast {
    /// The start would fail.
    var errors: [ConfigurationError] = []
    /// The proxy would log it and run.
    var warnings: [String] = []
    /// True while another proxy runs.
    var notes: [String] = []
}

extension ConfigurationChecks {
    /// Tries the first steps of `serve`.
    func forecast() -> StartForecast {
        var forecast = StartForecast()
        if case .file(let path) = configuration.accessLog.destination, let problem = files.logProblem(path) {
            forecast.errors.append(error(of: "access_log", "\(quoted(path)): \(problem)\(LiteralPath.hint(path))"))
        }
        forecast.warnings += othersFiles
        if configuration.upstream.isTLS, configuration.upstreamCAFile == nil, let problem = files.anchorsProblem(nil) {
            forecast.errors.append(error(of: "upstream", problem))
        }
        if let path = configuration.cacheFile {
            if let trouble = files.cacheForecast(path) { forecast.warnings.append("cache_file: \(trouble)") }
            forecast.warnings += files.cacheOthers(path, configuration.upstream.origin).map {
                "cache_file: \(path): \($0)"
            }
            if let holder = files.cacheHolder(path) {
                forecast.notes.append("cache_file: \(path) is in use by process \(holder)")
            }
        }
        lookAtCredentials(&forecast)
        for line in listenLines {
            for address in Self.addresses(of: line) { tryToListen(address, line, &forecast) }
        }
        return forecast
    }

    private func lookAtCredentials(_ forecast: inout StartForecast) {
        for line in lines where line.directive.fileRule.sum != nil {
            let path = line.words[0]
            if let words = files.credentialWarning(path) {
                forecast.warnings.append("\(line.directive.name): \(words)")
            }
            if let note = files.credentialNote(path), !forecast.notes.contains(note) { forecast.notes.append(note) }
        }
    }

    /// Files that the service's user may use, and root, who asks here, would refuse to serve with.
    private var othersFiles: [String] {
        var named: [(name: String, path: String, use: FileUse)] = []
        if let path = configuration.cacheFile { named.append(("cache_file", path, .believed)) }
        if case .file(let path) = configuration.accessLog.destination { named.append(("access_log", path, .appended)) }
        if let path = configuration.recording?.settings.path { named.append(("record", path, .appended)) }
        return named.compactMap { name, path, use in
            files.othersFile(path, use).map { "\(name): a proxy run by this user will refuse it: \($0)" }
        }
    }

    private func tryToListen(_ address: SocketAddress, _ line: SettingLine, _ forecast: inout StartForecast) {
        guard let problem = files.listenProblem(address) else { return }
        switch problem.errno {
        // The proxy that this configuration is for may run.
        case EADDRINUSE:
            let consequence = "a start fails while another process has it"
            forecast.notes.append("\(line.directive.name): \(address) is in use; \(consequence)")
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
