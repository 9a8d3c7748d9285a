import CLinux
import Dispatch
import EventLoop
import Glibc

/// One end of the channel between a proxy and the successor that takes its place. Messages have one
/// byte and come in this order. The last three come as often as there are purges, and for each
/// `forget` there is one `forgotten`.
struct UpgradeChannel: Sendable {
    enum Message: UInt8 {
        /// The successor: all that can be looked at before is in order.
        case prepared = 0x70
        /// The old one: accepts no more, and does not write the cache file.
        case proceed = 0x67
        /// The successor: serves.
        case serving = 0x73
        /// The old one: will not come back, and has told the service manager.
        case done = 0x64
        /// The successor, as often as it likes from then on: something was purged, of which the old
        /// one still may have a copy.
        case forget = 0x66
        /// The old one: it still works at that.
        case working = 0x77
        /// The old one: nothing that it had stored when it was told to forget is found any more.
        case forgotten = 0x6B
    }

    enum Heard: Equatable {
        case message(Message)
        /// The other has gone.
        case end
        case nothingInTime
    }

    private let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Never waits: false where the other has gone, or has read nothing for hundreds of messages.
    @discardableResult
    func send(_ message: Message) -> Bool {
        var byte = message.rawValue
        return Glibc.send(descriptor.number, &byte, 1, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)) == 1
    }

    /// Answers each `forget` once `forget` has called its completion, until the other has gone,
    /// which it also notices while it waits for that.
    /// - Parameter interval: between two messages that the work goes on.
    func answerForgets(
        tellingEvery interval: Duration = .seconds(1),
        _ forget: (_ completion: @escaping @Sendable () -> Void) -> Void
    ) {
        while receive(within: nil) == .message(.forget) {
            let done = DispatchSemaphore(value: 0)
            forget { @Sendable in done.signal() }
            while done.wait(timeout: .now() + .nanoseconds(Int(interval.wholeNanoseconds))) == .timedOut {
                guard send(.working) else { return }
            }
            send(.forgotten)
        }
    }

    /// Waits for the next message; without a limit for as long as the other lives.
    func receive(within limit: Duration?) -> Heard {
        let deadline = limit.map { Instant.now() + $0 }
        while true {
            var poller = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
            // Rounded up, or the last millisecond would be spent turning round.
            let left = deadline.map { max(0, (($0 - Instant.now()).wholeNanoseconds + 999_999) / 1_000_000) }
            let ready = poll(&poller, 1, left.map { CInt(clamping: $0) } ?? -1)
            if ready == 0 { return .nothingInTime }
            if ready < 0, errno == EINTR { continue }
            var byte: UInt8 = 0
            let count = recv(descriptor.number, &byte, 1, 0)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return .end }
            // Another version may say more than this one knows.
            if let message = Message(rawValue: byte) { return .message(message) }
        }
    }
}
