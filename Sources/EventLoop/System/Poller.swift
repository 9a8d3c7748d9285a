import CLinux
import Glibc

/// Readiness of a descriptor.
struct Readiness: OptionSet {
    let rawValue: UInt8
    /// Bytes, a connection, the end of the stream or an error can be read.
    static let readable = Readiness(rawValue: 1)
    /// There is room to write, or a connect has ended.
    static let writable = Readiness(rawValue: 2)
    /// The peer has ended its side: after the bytes there comes an end or an error.
    static let ending = Readiness(rawValue: 4)
    /// The connection was reset, or both of its sides have ended.
    static let broken = Readiness(rawValue: 8)
}

/// The kernel's readiness queue. This is the only file that uses epoll.
///
/// Descriptors carry a tag of 64 bits that comes back with their events. Closing a descriptor takes
/// it out.
struct Poller: ~Copyable {
    enum Trigger {
        /// Told once per change, in both directions: the owner reads until it would block.
        case edge
        /// Told for as long as it is readable.
        case level
    }

    /// Events taken per system call.
    static let batch = 256

    let descriptor: CInt
    private let events: UnsafeMutablePointer<epoll_event>

    init() throws(SystemError) {
        descriptor = epoll_create1(CInt(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw .last("epoll_create1") }
        events = .allocate(capacity: Poller.batch)
    }

    /// The descriptor is closed by its owner, the loop, after the Dispatch source that watches it
    /// has let go.
    deinit {
        events.deallocate()
    }

    func add(_ descriptor: CInt, tag: UInt64, _ trigger: Trigger) throws(SystemError) {
        try control(EPOLL_CTL_ADD, descriptor, tag, Poller.mask(trigger))
    }

    /// Stops or resumes the events of a descriptor that was added with `Trigger.level`.
    func setEnabled(_ isEnabled: Bool, _ descriptor: CInt, tag: UInt64) throws(SystemError) {
        try control(EPOLL_CTL_MOD, descriptor, tag, isEnabled ? Poller.mask(.level) : 0)
    }

    /// Takes out a descriptor that was added.
    func remove(_ descriptor: CInt) throws(SystemError) {
        try control(EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    /// Takes up to `batch` events that are there or come within that time; returns their number.
    func poll(waiting milliseconds: Int = 0) -> Int {
        while true {
            let count = epoll_wait(descriptor, events, CInt(Poller.batch), CInt(milliseconds))
            if count >= 0 { return Int(count) }
            // Only EINTR can happen to a valid epoll descriptor; for any other there is nothing to
            // deliver.
            guard errno == EINTR else { return 0 }
        }
    }

    /// The event at `index` of the last `poll`.
    func event(_ index: Int) -> (tag: UInt64, readiness: Readiness) {
        let event = events[index]
        var readiness: Readiness = []
        if event.events & Poller.readMask != 0 { readiness.insert(.readable) }
        if event.events & Poller.writeMask != 0 { readiness.insert(.writable) }
        if event.events & Poller.endMask != 0 { readiness.insert(.ending) }
        if event.events & Poller.brokenMask != 0 { readiness.insert(.broken) }
        return (event.data.u64, readiness)
    }

    private static let brokenMask = EPOLLHUP.rawValue | EPOLLERR.rawValue
    private static let endMask = EPOLLRDHUP.rawValue | brokenMask
    private static let readMask = EPOLLIN.rawValue | endMask
    private static let writeMask = EPOLLOUT.rawValue | brokenMask

    private static func mask(_ trigger: Trigger) -> UInt32 {
        switch trigger {
        case .edge: EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
        case .level: EPOLLIN.rawValue
        }
    }

    private func control(_ operation: CInt, _ target: CInt, _ tag: UInt64, _ mask: UInt32) throws(SystemError) {
        var event = epoll_event()
        event.events = mask
        event.data.u64 = tag
        guard epoll_ctl(descriptor, operation, target, &event) == 0 else { throw .last("epoll_ctl") }
    }
}
