/// Settings of recordings: where they go, and how much of them is kept.
public struct RecordingSettings: Sendable, Equatable {
    public var path: String
    /// The share of requests that is recorded, above 0 and at most 1.
    public var sampling: Double
    /// Most bytes of the lines and bodies of one recording together; beyond it another is
    /// begun.
    public var mostBytes: Int
    /// How many recordings are kept, the one being written among them; at least 1.
    public var mostFiles: Int

    public static let standardBytes = 256 << 20
    public static let standardFiles = 4

    public init(
        path: String, sampling: Double = 1, mostBytes: Int = standardBytes, mostFiles: Int = standardFiles
    ) {
        (self.path, self.sampling) = (path, sampling)
        (self.mostBytes, self.mostFiles) = (mostBytes, mostFiles)
    }
}
