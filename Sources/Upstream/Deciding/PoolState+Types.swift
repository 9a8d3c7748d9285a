import EventLoop

extension PoolState {
    struct ConnectionID: Hashable, Sendable, Comparable {
        let number: Int
        static func < (a: Self, b: Self) -> Bool { a.number < b.number }
    }

    struct RequestID: Hashable, Sendable {
        let number: Int
    }

    /// What the runner has to do, in this order.
    enum Action: Equatable {
        /// Resolve and connect; answer with `connected` or `connectFailed`.
        case open(ConnectionID)
        /// Send the request on this connection.
        case lease(ConnectionID, RequestID, isReused: Bool)
        /// Close and forget the connection; no event about it is expected any more.
        case close(ConnectionID)
        /// Tell the receiver; the request is gone.
        case fail(RequestID, UpstreamFailure)
    }

    /// A request on its way through the pool.
    struct Ticket: Equatable {
        let request: RequestID
        /// A GET or HEAD, which may be sent once more if nothing at all came back.
        let isReplayable: Bool
        var isRetry = false
        let deadline: Instant
    }

    /// What a leased connection has to bring next, beside the end of the exchange.
    struct Due: Equatable {
        let deadline: Instant
        let phase: UpstreamFailure.Phase
    }

    enum Connection: Equatable {
        case starting(deadline: Instant)
        case backingOff(until: Instant)
        case idle(since: Instant)
        case leased(Ticket, isReused: Bool, due: Due?)
    }
}
