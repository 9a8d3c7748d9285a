extension Threshold {
    /// Whether there is nothing to judge unless answers are compared with the recording.
    public var needsVerification: Bool { metric == .differences }
}
