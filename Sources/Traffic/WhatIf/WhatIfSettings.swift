import Compose
import Proxy

/// Settings of one what-if run: those of the cache, without listeners and credentials.
public struct WhatIfSettings: Sendable {
    /// Name of the run in the report, such as that of its configuration file.
    public let name: String
    public var policy = Policy()
    public var composition = CompositionSettings()
    /// Bytes of the memory tier, and of the files of large bodies next to it.
    public var memoryBytes = 48 << 20
    public var sealedBytes = 8 << 20
    /// The bound of the cache file; nil for memory only. The file is a temporary one, and empty at
    /// the start.
    public var fileBytes: Int?
    public var upstreamConnections = 64
    /// Requests a second; nil: no bound, because a recording has no 429s to learn one from.
    public var upstreamRate: Int?

    /// The defaults of a configuration, memory only.
    public init(name: String) { self.name = name }
}
