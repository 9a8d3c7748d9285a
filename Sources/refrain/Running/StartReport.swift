import EventLoop
import Glibc
import Synchronization

/// Tells the process whose place this one was to take why it cannot, whatever part of the start has
/// failed.
///
/// Must hold: a channel that was handed over stays open until this process serves, when the
/// `Predecessor` has it, or has ended. By its end the other one learns that, and an early end would
/// have it kill this one amid its last words.
final class StartReport: Sendable {
    /// Closed by `end`, or else by the kernel.
    private let control: Mutex<CInt?>
    /// Whether the other process knows the words of a failure.
    private let isUnderstood: Bool

    /// Nil where this process is not started by another proxy. Before `HandedOver.take`, whose
    /// caller removes the variables.
    init?(_ environment: (String) -> String?) {
        guard let offer = HandedOver.offer(environment),
            let copy = try? Descriptor.duplicate(offer.control)
        else { return nil }
        control = Mutex(copy)
        isUnderstood = offer.isRecent
    }

    func send(_ failure: CommandFailure) {
        guard isUnderstood, let control = control.withLock({ $0 }), let copy = try? Descriptor(copying: control) else {
            return
        }
        UpgradeChannel(copy).send(FailureMessage(failure.messages))
    }

    /// Closes the copy of the channel: the start has succeeded.
    func end() {
        if let control = control.withLock({ $0.take() }) { close(control) }
    }
}
