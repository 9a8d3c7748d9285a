import Glibc

/// A connection that was accepted, until its header of the PROXY protocol has named the client:
/// then it is a stream of that client, with TLS where the listener has it.
///
/// Must hold: it is confined to its loop, which keeps it alive until it has ended, and it ends
/// once; it reads nothing after the header from the socket, and sends nothing.
public final class ProxyHeaderWait {
    /// Why there is no stream.
    public enum Failure: Error, Equatable, Sendable {
        /// The bytes are no header.
        case malformed
        /// The other end has closed in the middle of one.
        case closed
        /// The header took too long.
        case late
        /// The other end closed without sending anything, as health checks do, or this end closed.
        case silent
        /// No stream could be made.
        case system
    }

    /// The peer.
    public let peer: SocketAddress?
    private let descriptor: CInt
    private let arrival: Stream.Arrival
    private var loop: EventLoop { arrival.loop }
    private var tag: UInt64?
    private var deadline: TimerToken?
    private var whenDone: ((ProxyHeaderWait, Failure?) -> Void)?
    private var isDone = false
    private var isEnding = false

    /// Takes a descriptor over.
    init(owning descriptor: CInt, peer: SocketAddress?, _ arrival: Stream.Arrival) {
        (self.descriptor, self.peer, self.arrival) = (descriptor, peer, arrival)
    }

    /// Begins to wait.
    /// - Parameter whenDone: called once, perhaps from inside: when the stream has been handed on,
    ///   or with why there is none.
    public func start(timeout: Duration, _ whenDone: @escaping (ProxyHeaderWait, Failure?) -> Void) {
        loop.assertOnLoop()
        self.whenDone = whenDone
        do {
            tag = try loop.add(descriptor, self, .edge)
        } catch {
            return close(.system)
        }
        deadline = loop.schedule(after: timeout) { [unowned self] in
            deadline = nil
            close(.late)
        }
        read()
    }

    /// Closes without a word.
    public func close(_ failure: Failure = .silent) {
        loop.assertOnLoop()
        guard leave() else { return }
        _ = Glibc.close(descriptor)
        whenDone.take()?(self, failure)
    }

    /// Reads the header and nothing after it, which may be the beginning of a handshake.
    private func read() {
        let (count, reading) = withUnsafeTemporaryAllocation(byteCount: ProxyHeader.maxBinaryBytes, alignment: 1) {
            buffer -> (Int, ProxyHeader.Reading) in
            let count = receive(into: buffer, CInt(MSG_PEEK))
            guard count > 0 else { return (count, .incomplete) }
            let reading = ProxyHeader.read(Array(buffer[..<count]))
            guard case .complete(let header) = reading else { return (count, reading) }
            let taken = receive(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<header.byteCount]), 0)
            return (count, taken == header.byteCount ? reading : .malformed)
        }
        switch reading {
        case .complete(let header): finish(header)
        case .malformed: close(.malformed)
        case .incomplete:
            // -1: nothing has come yet, or the connection was reset.
            if count == 0 || isEnding { close(count > 0 ? .closed : .silent) }
        }
    }

    private func receive(into buffer: UnsafeMutableRawBufferPointer, _ flags: CInt) -> Int {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, flags)
            guard count < 0, errno == EINTR else { return count }
        }
    }

    private func finish(_ header: ProxyHeader) {
        guard leave() else { return }
        Stream.open(accepted: descriptor, from: header.client ?? peer, arrival)
        whenDone.take()?(self, nil)
    }

    /// The descriptor is no longer watched here; false where it has been left before.
    private func leave() -> Bool {
        guard !isDone else { return false }
        isDone = true
        if let deadline { loop.cancel(deadline) }
        // The stream watches it from now on.
        if let tag { loop.remove(tag, shared: descriptor) }
        (deadline, tag) = (nil, nil)
        return true
    }
}

extension ProxyHeaderWait: PollTarget {
    func descriptorIsReady(_ readiness: Readiness) {
        if readiness.contains(.ending) { isEnding = true }
        read()
    }

    func loopStops() { close() }
}
