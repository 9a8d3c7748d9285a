import EventLoop

/// One request to the origin and its answer: what the receiver holds on to while it waits. Confined
/// to the pool's loop.
public final class UpstreamExchange {
    /// As it was given to `send`.
    public let request: UpstreamRequest
    /// Whether the request went out on a connection that had been used before. Meaningful once
    /// there is an answer.
    public internal(set) var isReused = false
    /// When the request was handed to its connection; for a repeated one, to its last.
    public internal(set) var requestedAt: Instant
    /// Whether the receiver has asked for no more bytes for now.
    public private(set) var isPaused = false

    let id: PoolState.RequestID
    /// Nil once the exchange is over: nothing more is reported.
    private(set) var receiver: (any UpstreamReceiver)?
    weak var connection: UpstreamConnection?
    private weak var pool: UpstreamPool?

    init(
        _ id: PoolState.RequestID, _ request: UpstreamRequest, receiver: any UpstreamReceiver, pool: UpstreamPool,
        now: Instant
    ) {
        self.id = id
        self.request = request
        self.receiver = receiver
        self.pool = pool
        requestedAt = now
    }

    /// What receivers are shown of a request that never came to a pool. It is over.
    init(unsent request: UpstreamRequest, now: Instant) {
        id = PoolState.RequestID(number: -1)
        self.request = request
        requestedAt = now
    }

    /// Ends the exchange without another call to the receiver. The connection goes with it, because
    /// the rest of the answer is still to come on it. Does nothing after the end.
    public func cancel() {
        guard let receiver = end() else { return }
        pool?.cancel(self)
        (receiver as? UpstreamAttempt)?.wasCancelled()
    }

    /// Reads no more of a streamed answer until `resume`, so that the origin is slowed down by TCP.
    /// What has been read already may still be reported. The deadline of the whole exchange goes
    /// on.
    public func pause() {
        isPaused = true
    }

    /// Reads on; the next bytes come in a later call, never inside this one.
    public func resume() {
        guard isPaused else { return }
        isPaused = false
        connection?.readLater()
    }

    /// Lets go of the receiver, so that it hears nothing more.
    @discardableResult
    func end() -> (any UpstreamReceiver)? {
        defer { receiver = nil }
        return receiver
    }
}
