// Requirements of the shared tier for other settings.
extension ConfigurationChecks {
    func sharedTier() -> [ConfigurationError] {
        let isOff = lines.contains { $0.directive.name == "shared_tier" && $0.words == [Directive.off] }
        if isOff { return lines.filter(needsTheTier).map { error($0, "needs shared_tier, which is off") } }
        return authorities()
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
}
