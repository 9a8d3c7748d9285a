import CLinux
import Dispatch
import EventLoop
import Glibc

/// An end of the channel between a proxy and the successor that takes its place. Messages have one
/// byte and come in this order. The last three come as often as there are purges, and for each
/// `forget` there is one `forgotten`.
///
/// Must hold: nothing beyond these bytes is sent to a process that does not know it. `ticketKeys`
/// comes once at most, and is answered by keys or none; the words of a failure come in place of a
/// message of the successor, and as its last.
struct UpgradeChannel: Sendable {
    enum Message: UInt8 {
        /// The successor: wants to know the keys of session tickets.
        case ticketKeys = 0x74
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

    enum Received: Equatable {
        case message(Message)
        /// The successor: cannot start, in the words of its log.
        case failure(FailureMessage)
        /// The other has gone.
        case end
        case nothingInTime
    }

    private let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// Sends a message without waiting; false where the other has gone, or has read nothing for
    /// hundreds of messages.
    @discardableResult
    func send(_ message: Message) -> Bool {
        var byte = message.rawValue
        return Glibc.send(descriptor.number, &byte, 1, Self.flags) == 1
    }

    /// Sends the words of a failure, without waiting.
    func send(_ words: FailureMessage) {
        _ = Array(words.text.utf8).withUnsafeBytes { send(.failure, $0) }
    }

    /// Sends the answer to `ticketKeys`, without waiting, and wipes its bytes. Where nothing could
    /// be sent the other one goes on without keys.
    /// - Returns: false where a part was sent: the other one would take what comes next for keys.
    func send(_ ticketKeys: TicketKeys?) -> Bool {
        guard let ticketKeys else { return send(.ticketKeys, UnsafeRawBufferPointer(start: nil, count: 0)) }
        return ticketKeys.withBytes { send(.ticketKeys, $0) }
    }

    /// Sends a frame at once: the socket has room, because nothing else is on the way. Wipes the
    /// frame.
    /// - Returns: false where a part was sent.
    private func send(_ kind: UpgradeFrame, _ content: UnsafeRawBufferPointer) -> Bool {
        let head = kind.head(before: content.count)
        return withUnsafeTemporaryAllocation(byteCount: head.count + content.count, alignment: 1) { frame in
            defer { if let start = frame.baseAddress { explicit_bzero(start, frame.count) } }
            frame.copyBytes(from: head)
            UnsafeMutableRawBufferPointer(rebasing: frame.dropFirst(head.count)).copyMemory(from: content)
            let sent = Glibc.send(descriptor.number, frame.baseAddress, frame.count, Self.flags)
            return sent <= 0 || sent == frame.count
        }
    }

    private static let flags = CInt(MSG_NOSIGNAL) | CInt(MSG_DONTWAIT)

    /// Asks the old one for its keys; nil where it has none, or has not answered within `limit`.
    func askForTicketKeys(within limit: Duration) -> TicketKeys? {
        let deadline = Instant.now() + limit
        guard send(.ticketKeys), case .byte(UpgradeFrame.ticketKeys.rawValue) = nextByte(until: deadline) else {
            return nil
        }
        // All of it was sent at once. A part of it that came later would be taken for messages.
        return ticketKeys(until: nil)
    }

    /// Reads an answer to `ticketKeys` after its first byte, and wipes its bytes.
    private func ticketKeys(until deadline: Instant?) -> TicketKeys? {
        guard let count = count(of: .ticketKeys, until: deadline) else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { buffer in
            defer { if let start = buffer.baseAddress { explicit_bzero(start, count) } }
            return fill(buffer, until: deadline) == count ? TicketKeys(UnsafeRawBufferPointer(buffer)) : nil
        }
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
    func receive(within limit: Duration?) -> Received {
        let deadline = limit.map { Instant.now() + $0 }
        while true {
            switch nextByte(until: deadline) {
            case .byte(UpgradeFrame.failure.rawValue): return .failure(failureMessage(until: deadline))
            // A late answer: its bytes must not be taken for messages.
            case .byte(UpgradeFrame.ticketKeys.rawValue): _ = ticketKeys(until: deadline)
            // Another version may say more than this one knows.
            case .byte(let byte): if let message = Message(rawValue: byte) { return .message(message) }
            case .end: return .end
            case .nothingInTime: return .nothingInTime
            }
        }
    }

    /// Words that are cut, by the end of their sender or in time, are as good as they are.
    private func failureMessage(until deadline: Instant?) -> FailureMessage {
        FailureMessage(received: bytes(count(of: .failure, until: deadline) ?? 0, until: deadline))
    }

    /// Reads the length of a frame after its first byte; nil where there is none to be believed.
    private func count(of kind: UpgradeFrame, until deadline: Instant?) -> Int? {
        kind.count(bytes(UpgradeFrame.lengthBytes, until: deadline))
    }

    private func bytes(_ count: Int, until deadline: Instant?) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = fill(UnsafeMutableRawBufferPointer(buffer), until: deadline)
        }
    }

    /// Reads as many bytes as there is room for, or those before the end or the deadline.
    private func fill(_ buffer: UnsafeMutableRawBufferPointer, until deadline: Instant?) -> Int {
        for index in buffer.indices {
            guard case .byte(let byte) = nextByte(until: deadline) else { return index }
            buffer[index] = byte
        }
        return buffer.count
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
