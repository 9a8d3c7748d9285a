import Traffic

extension Configuration {
    /// What a what-if run takes of a configuration. Listeners, credentials, logs, the upstream's
    /// address and `workers` are left aside: nothing is listened on, nobody is asked, and a run has
    /// one loop.
    func whatIfSettings(name: String) -> WhatIfSettings {
        var settings = WhatIfSettings(name: name)
        settings.policy = policy
        // The run takes the time that the recording took.
        settings.policy.speed = 1
        settings.composition = composition
        settings.memoryBytes = memoryTierBytes
        settings.sealedBytes = sealedBytes
        settings.fileBytes = cacheFile == nil ? nil : cacheSize
        settings.upstreamConnections = max(1, upstreamConnections)
        settings.upstreamRate = upstreamRate
        return settings
    }
}
