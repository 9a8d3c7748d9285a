import EventLoop

/// Tells the process whose place this one was to take why it cannot, whatever part of the start has
/// failed.
///
/// Must hold: a channel that was handed over stays open until this process has ended. By its end
/// the other one learns that, and an early end would have it kill this one amid its last words.
struct StartReport: Sendable {
    /// The kernel closes it.
    private let control: CInt
    /// Whether the other process knows the words of a failure.
    private let isUnderstood: Bool

    /// Nil where this process is not started by another proxy. Before `HandedOver.take`, whose
    /// caller removes the variables.
    init?(_ environment: (String) -> String?) {
        guard let handOver = HandedOver.handOver(environment),
            let copy = try? Descriptor.duplicate(handOver.control)
        else { return nil }
        (control, isUnderstood) = (copy, handOver.isRecent)
    }

    func tell(_ failure: CommandFailure) {
        guard isUnderstood, let copy = try? Descriptor(copying: control) else { return }
        UpgradeChannel(copy).send(FailureWords(failure.messages))
    }
}
