/// A deadline that moves, as with every request, at the price of a store.
///
/// The loop's timer is armed only when there is none or the new deadline is earlier; when it fires
/// before the deadline it is armed again. A keep-alive connection thus costs one timer operation an
/// idle period, not one a request. The timer ends with its owner. Confined to its loop.
public struct DeadlineTimer {
    @usableFromInline
    final class Box {
        @usableFromInline var deadline: Instant?
        var token: TimerToken?
        @usableFromInline var armedFor: Instant?
        var action: (() -> Void)?
    }

    private let loop: EventLoop
    @usableFromInline let box = Box()

    public init(loop: EventLoop) {
        self.loop = loop
    }

    /// Runs when a deadline passes. It must not keep the timer's owner.
    public var action: (() -> Void)? {
        get { box.action }
        nonmutating set { box.action = newValue }
    }

    /// Nil: never.
    @inlinable public var deadline: Instant? { box.deadline }

    @inlinable
    public func set(_ deadline: Instant) {
        box.deadline = deadline
        if let armedFor = box.armedFor, armedFor.nanoseconds <= deadline.nanoseconds { return }
        arm(at: deadline)
    }

    /// Sets the deadline unless there is an earlier one: for a machine that says when it wants to
    /// be asked again, and takes no harm from being asked too early.
    public func hasten(to instant: Instant) {
        if let deadline, deadline <= instant { return }
        set(instant)
    }

    @inlinable
    public func clear() {
        box.deadline = nil
    }

    /// Ends it for good and lets the action go.
    public func cancel() {
        if let token = box.token { loop.cancel(token) }
        box.token = nil
        box.deadline = nil
        box.action = nil
    }

    @usableFromInline
    func arm(at deadline: Instant) {
        if let token = box.token { loop.cancel(token) }
        Self.arm(box, loop, at: deadline)
    }

    private static func arm(_ box: Box, _ loop: EventLoop, at deadline: Instant) {
        box.armedFor = deadline
        box.token = loop.schedule(at: deadline) { [weak box, unowned loop] in
            guard let box else { return }
            box.token = nil
            box.armedFor = nil
            guard let current = box.deadline else { return }
            if current <= loop.now {
                box.deadline = nil
                box.action?()
            } else {
                arm(box, loop, at: current)
            }
        }
    }
}
