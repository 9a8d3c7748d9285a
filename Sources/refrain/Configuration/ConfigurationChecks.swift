import EventLoop

// Checks that no directive can make alone: which settings need or exclude one another, and whether
// the files they name can be used.

struct ConfigurationChecks {
    let configuration: Configuration
    let lines: [SettingLine]
    let files: FileAccess

    /// Everything that is wrong; empty: it can be run.
    func problems() -> [ConfigurationError] {
        listeners() + exposure() + credentials() + sharedTier() + namedFiles() + recording()
    }

    private func listeners() -> [ConfigurationError] {
        var errors: [ConfigurationError] = []
        var taken: [(address: SocketAddress, line: SettingLine)] = []
        for line in listenLines {
            let addresses = Self.addresses(of: line)
            for address in addresses {
                guard let other = taken.first(where: { $0.address.excludes(address) }) else { continue }
                let what = other.address == address ? "" : " by \(other.address)"
                let first = other.line.place.map { "at \($0)" } ?? "by the default of \(other.line.directive.name)"
                errors.append(error(line, "\(address) is already taken\(what) \(first)"))
            }
            taken += addresses.map { ($0, line) }
            guard line.words.dropFirst().contains("tls") else { continue }
            for need in ["tls_certificate", "tls_certificate_key"] where !isSet(need) {
                errors.append(error(line, "tls needs \(need)"))
            }
        }
        return errors
    }

    var listenLines: [SettingLine] { lines.filter { ["listen", "admin_listen"].contains($0.directive.name) } }

    /// Where a line has the proxy listen; none where it is wrong or `off`.
    static func addresses(of line: SettingLine) -> [SocketAddress] {
        switch try? AdminAddress(line.words[0]) {
        case .tcp(let address): address.all.compactMap { SocketAddress(host: $0.host, port: $0.port) }
        case .unix(let path): SocketAddress(path: path).map { [$0] } ?? []
        case nil: []
        }
    }

    /// Errors about services open to the network without a key.
    private func exposure() -> [ConfigurationError] {
        var errors: [ConfigurationError] = []
        if case .tcp(let admin) = configuration.adminListener, !admin.isLoopback, !isSet("admin_token_file") {
            errors.append(
                error(of: "admin_listen", "\(admin) is not a loopback address and needs admin_token_file"))
        }
        let open = configuration.listeners.first { !$0.address.isLoopback }
        if let open, isSet("music_user_token_file"), !isSet("client_keys_file") {
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
        guard let first = present.first, present.count < parts.count else { return [] }
        let missing = parts.filter { !present.contains($0) }.joined(separator: " and ")
        return [error(of: first, "needs \(missing) as well")]
    }

    // MARK: The shared tier

    private func sharedTier() -> [ConfigurationError] {
        let isOff = lines.contains { $0.directive.name == "shared_tier" && $0.words == [Directive.off] }
        if isOff { return lines.filter(needsTheTier).map { error($0, "needs shared_tier, which is off") } }
        guard let tier = configuration.sharedTier, !tier.isTLS, isSet("shared_tier_ca_file") else { return [] }
        return [error(of: "shared_tier_ca_file", "applies only to a shared_tier with rediss://")]
    }

    /// Whether a line is for the tier alone. One that says what holds anyway is not: `check` shows
    /// it, and what it shows has to be a configuration.
    private func needsTheTier(_ line: SettingLine) -> Bool {
        let spelling = line.words.joined(separator: " ")
        return line.directive.name.hasPrefix("shared_tier_") && !line.directive.defaults.contains(spelling)
    }

    // MARK: Files

    private func recording() -> [ConfigurationError] {
        let problem = configuration.recording.flatMap { files.recordingProblem($0.settings) }
        return problem.map { [error(of: "record", $0)] } ?? []
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
        let problem =
            switch line.directive.fileRule {
            case .none: nil as String?
            case .readable: files.problem(line.words[0])
            case .trustAnchors: files.problem(line.words[0]) ?? files.anchorsProblem(line.words[0])
            case .cache: line.words[0] == Directive.off ? nil : files.cacheProblem(line.words[0])
            case .secret(let kind): files.secretProblem(line.words[0], kind)
            }
        return problem.map { error(line, "\(quoted(line.words[0])): \($0)\(LiteralPath.hint(line.words[0]))") }
    }

    func isSet(_ name: String) -> Bool { lines.contains { $0.directive.name == name } }

    func error(_ line: SettingLine, _ message: String) -> ConfigurationError {
        ConfigurationError(place: line.place, message: "\(line.directive.name): \(message)")
    }

    func error(of name: String, _ message: String) -> ConfigurationError {
        let place = lines.first { $0.directive.name == name }?.place
        return ConfigurationError(place: place, message: "\(name): \(message)")
    }
}
