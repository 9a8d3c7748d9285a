import EventLoop

/// One deadline that moves with every request, at the price of a store.
///
/// The loop's timer is armed only when there is none or the new deadline is earlier; when it fires
/// before the deadline it is armed again. A keep-alive connection thus costs one timer operation an
/// idle period, not one a request.
struct DeadlineTimer {
    private final class Box {
        var deadline: Instant?
        var token: TimerToken?
        var armedFor: Instant?
        var action: (() -> Void)?
    }

    private let loop: EventLoop
    private let box = Box()

    init(loop: EventLoop) {
        self.loop = loop
    }

    /// What happens when a deadline passes.
    var action: (() -> Void)? {
        get { box.action }
        nonmutating set { box.action = newValue }
    }

    /// When that is; nil: never.
    var deadline: Instant? { box.deadline }

    func set(_ deadline: Instant) {
        box.deadline = deadline
        if let armedFor = box.armedFor, armedFor <= deadline { return }
        if let token = box.token { loop.cancel(token) }
        Self.arm(box, loop, at: deadline)
    }

    func clear() {
        box.deadline = nil
    }

    /// Ends it for good and lets the action go.
    func cancel() {
        if let token = box.token { loop.cancel(token) }
        box.token = nil
        box.deadline = nil
        box.action = nil
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
