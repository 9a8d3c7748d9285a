import AppleMusic

// What the shared tier needs of other settings.
extension ConfigurationChecks {
    func sharedTier() -> [ConfigurationError] {
        let isOff = lines.contains { $0.directive.name == "shared_tier" && $0.words == [Directive.off] }
        if isOff { return lines.filter(needsTheTier).map { error($0, "needs shared_tier, which is off") } }
        return authorities() + personalAnswers()
    }

    /// Whether a line is for the tier alone. One that says what holds anyway is not: `check` shows
    /// it, and what it shows has to be a configuration.
    private func needsTheTier(_ line: SettingLine) -> Bool {
        let spelling = line.words.joined(separator: " ")
        return line.directive.name.hasPrefix("shared_tier_") && !line.directive.defaults.contains(spelling)
    }

    private func authorities() -> [ConfigurationError] {
        guard let tier = configuration.sharedTier, !tier.isTLS, isSet("shared_tier_ca_file") else { return [] }
        return [error(of: "shared_tier_ca_file", "is for a shared_tier with rediss:// alone")]
    }

    /// What one user stored on a node would be served there after a write that another node
    /// carried: nodes do not tell each other of those yet.
    private func personalAnswers() -> [ConfigurationError] {
        guard configuration.sharedTier != nil, configuration.ttl(for: .personal).lifetime != .off else { return [] }
        return lines.filter { $0.directive.name == "ttl" && $0.words[0] == ResourceClass.personal.name }.map {
            error(
                $0,
                "\($0.words.joined(separator: " ")) cannot be kept beside shared_tier: a write on one node would not "
                    + "be seen on another; say ttl personal off")
        }
    }
}
