import CLinux
import Dispatch
import EventLoop
import Glibc

/// One end of the channel between a proxy and the successor that takes its place. Messages have one
/// byte and come in this order. The last three come as often as there are purges, and for each
/// `forget` there is one `forgotten`. In place of one of its messages, and as its last, a successor
/// whose start has failed sends `failed` and `FailureWords`, where the old one knows them.
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

    /// Begins the words of a failure.
    private static let failed: UInt8 = 0x65

    enum Heard: Equatable {
        case message(Message)
        /// The successor: cannot start, in the words of its log.
        case failure(FailureWords)
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

    /// Never waits: a whole one has room, because nothing else is on the way.
    func send(_ words: FailureWords) {
        let bytes = [Self.failed] + words.bytes
        _ = Glibc.send(descriptor.number, bytes, bytes.count, CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT))
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
            switch nextByte(until: deadline) {
            case .byte(Self.failed): return .failure(failureWords(until: deadline))
            // Another version may say more than this one knows.
            case .byte(let byte): if let message = Message(rawValue: byte) { return .message(message) }
            case .end: return .end
            case .nothingInTime: return .nothingInTime
            }
        }
    }

    /// Words that are cut, by the end of their sender or in time, are as good as they are.
    private func failureWords(until deadline: Instant?) -> FailureWords {
        let head = bytes(FailureWords.headBytes, until: deadline)
        return FailureWords(received: bytes(FailureWords.count(head: head) ?? 0, until: deadline))
    }

    private func bytes(_ count: Int, until deadline: Instant?) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, case .byte(let byte) = nextByte(until: deadline) { bytes.append(byte) }
        return bytes
    }

    private enum Read {
        case byte(UInt8)
        case end
        case nothingInTime
    }

    private func nextByte(until deadline: Instant?) -> Read {
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
            return count == 1 ? .byte(byte) : .end
        }
    }
}
