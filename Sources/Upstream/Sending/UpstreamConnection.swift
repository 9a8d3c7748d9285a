import EventLoop
import HTTP

/// A pool of connections, as each of them reports to it.
protocol ConnectionOwner: AnyObject {
    var settings: UpstreamSettings { get }
    var loop: EventLoop { get }
    var tls: ClientTLS? { get }
    var resolver: Resolver { get }
    func dialed(_ id: PoolState.ConnectionID, _ result: Result<Stream, DialFailure>)
    /// Tells the state of an event, and performs the actions.
    func tell(_ event: (inout PoolState, _ now: Instant) -> ActionList<PoolState.Action>)
    /// A final head has come, or more of the content.
    func progressed(_ id: PoolState.ConnectionID)
    /// An exchange is complete.
    func finished(_ id: PoolState.ConnectionID, isReusable: Bool)
}

/// A connection to the origin: dials, then carries one exchange after the other. It decides
/// nothing: `DialPlan`, `ResponseReader` and, through the pool, `PoolState` do. Owned by the pool,
/// confined to its loop.
///
/// Bytes reach the parser only after the stream has opened, that is after a TLS peer was verified
/// (FRAMING 5.9).
final class UpstreamConnection {
    let id: PoolState.ConnectionID
    private weak var pool: (any ConnectionOwner)?
    private let loop: EventLoop
    private var dialer: Dialer?
    private var stream: Stream?
    private var input = ByteBuffer(capacity: UpstreamConnection.inputBytes)
    private var reader: ResponseReader
    private var exchange: UpstreamExchange?
    private var hasReportedHead = false
    private var isReading = false

    /// The size of the input buffer; a TLS record holds as much (RFC 8446, 5.1).
    private static let inputBytes = 16 << 10
    /// The least room for a read, so that none is made for a handful of bytes.
    private static let readBytes = 4 << 10
    /// The most that one read takes straight into its place.
    private static let directBytes = 256 << 10
    /// Reads in one turn, so that a fast origin does not starve the other connections of the loop.
    private static let readsPerTurn = 32

    init(_ id: PoolState.ConnectionID, pool: any ConnectionOwner) {
        (self.id, self.pool) = (id, pool)
        loop = pool.loop
        reader = ResponseReader(
            from: pool.settings.endpoint.site, limits: pool.settings.limits,
            maxCollectedBytes: pool.settings.maxCollectedBytes)
    }

    /// Closes without telling the pool.
    func close() {
        dialer?.stop()
        dialer = nil
        exchange?.handle(.left)
        exchange = nil
        stream?.close()
        stream = nil
    }
}

// MARK: Opening

extension UpstreamConnection {
    func open(in pool: any ConnectionOwner) {
        // Weak to the pool, to which others are too: with a weak reference to this connection each
        // counting of it would go through a table.
        dialer = Dialer(
            to: pool.settings.endpoint, tls: pool.tls, deadline: loop.now + pool.settings.timeouts.connect,
            resolver: pool.resolver, loop: loop, completion: { [weak pool, id] in pool?.dialed(id, $0) })
    }

    func dialed(_ result: Result<Stream, DialFailure>) {
        dialer = nil
        switch result {
        case .success(let stream):
            self.stream = stream
            stream.handler = self
            pool?.tell { $0.connected(id, now: $1) }
        case .failure(let failure):
            pool?.tell { $0.connectFailed(id, failure, now: $1) }
        }
    }
}

// MARK: Exchanging

extension UpstreamConnection {
    /// Sends the request; the answer goes to the exchange.
    ///
    /// Bytes that came before the request cannot be its answer: such a connection is not used.
    func start(_ exchange: UpstreamExchange, isReused: Bool) {
        guard let stream, isQuiet(stream) else {
            pool?.tell { $0.broke(id, .closedEarly(.nothing(isReused: isReused)), now: $1) }
            return
        }
        self.exchange = exchange
        exchange.handle(.started)
        hasReportedHead = false
        reader.begin(answering: exchange.request.method, isReused: isReused, at: loop.now)
        exchange.request.head.withUnsafeBytes { stream.send($0, exchange.request.body) }
    }

    /// Reads on at the end of this turn, after a pause.
    func readLater() { stream?.readLater() }

    private func readOn() {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        for _ in 0..<Self.readsPerTurn {
            guard let stream else { return }
            guard let exchange else {
                if !isQuiet(stream) { pool?.tell { state, _ in state.closedWhileIdle(id) } }
                return
            }
            guard !exchange.state.isPaused, readOnce(stream, exchange) else { return }
        }
        stream?.readLater()
    }

    /// Reads once; false when there is nothing more to read now.
    private func readOnce(_ stream: Stream, _ exchange: UpstreamExchange) -> Bool {
        switch fill(from: stream) {
        case .bytes:
            if hasReportedHead { pool?.progressed(id) }
            return process()
        case .wouldBlock:
            return false
        case .end:
            do {
                if let event = try reader.end(at: loop.now) { report(event, exchange) }
            } catch {
                fail(error)
            }
            return false
        case .failed(let error):
            fail(failure(of: error))
            return false
        }
    }

    /// Reads content of a known length straight into its place, all else into the input buffer.
    private func fill(from stream: Stream) -> ReadResult {
        guard input.isEmpty, reader.directRoom >= Self.readBytes else {
            return input.withUnsafeWritable(minimum: Self.readBytes) { room in
                let result = stream.read(into: room)
                return (written: result.count, result: result)
            }
        }
        var result = ReadResult.wouldBlock
        reader.readDirectly(min(reader.directRoom, Self.directBytes)) { room in
            result = stream.read(into: room)
            return result.count
        }
        return result
    }

    /// Reports the input's contents; false when the exchange has ended.
    private func process() -> Bool {
        while let exchange, !exchange.state.hasEnded {
            let step: ResponseReader.Step
            do {
                step = try input.withReadable { bytes throws(UpstreamFailure) in try reader.read(bytes, at: loop.now) }
            } catch {
                noteReceivedHead(exchange)
                fail(error)
                return false
            }
            input.consume(step.consumed)
            if let event = step.event {
                report(event, exchange)
            } else if !noteReceivedHead(exchange) {
                return true
            }
        }
        return exchange != nil
    }

    /// Notes a head that has just come; true where its content is to be streamed.
    @discardableResult
    private func noteReceivedHead(_ exchange: UpstreamExchange) -> Bool {
        guard !hasReportedHead, let response = reader.response else { return false }
        noteHead(response, exchange)
        guard !exchange.wantsWhole(response) else { return false }
        reader.streamContent()
        return true
    }

    private func noteHead(_ response: UpstreamResponse, _ exchange: UpstreamExchange) {
        guard !hasReportedHead else { return }
        hasReportedHead = true
        exchange.handle(.headCame(UpstreamState.Head(response)))
        pool?.progressed(id)
    }

    private func report(_ event: UpstreamEvent, _ exchange: UpstreamExchange) {
        switch event {
        // The reader throws failures in place of reporting them.
        case .interim, .received, .failed: break
        case .answered, .finished: finish()
        case .began(let response): noteHead(response, exchange)
        }
        exchange.report(event)
    }

    /// Returns the connection to the pool, before the receiver is told of the complete answer.
    private func finish() {
        let isReusable = isReusable
        // The answer may have been one user's alone (FRAMING 5.10).
        input.wipe()
        exchange = nil
        pool?.finished(id, isReusable: isReusable)
    }

    /// Whether both messages have ended, no byte is left over, and the origin keeps the connection.
    private var isReusable: Bool {
        guard let stream, reader.keepsAlive, input.isEmpty, stream.pendingBytes == 0 else { return false }
        return isQuiet(stream)
    }

    /// Whether a read would block, and not for want of a turn: no byte and no end has come.
    private func isQuiet(_ stream: Stream) -> Bool {
        let wouldBlock = withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
            stream.read(into: $0) == .wouldBlock
        }
        return wouldBlock && !stream.isHeldBack
    }

    private func failure(of error: StreamError?) -> UpstreamFailure {
        error == .recordFlood ? .recordFlood : reader.brokenOff
    }

    private func fail(_ failure: UpstreamFailure) {
        exchange?.handle(.left)
        exchange = nil
        pool?.tell { $0.broke(id, failure, now: $1) }
    }
}

extension UpstreamConnection: StreamHandler {
    func streamDidBecomeReadable(_ stream: Stream) {
        guard stream === self.stream else { return }
        // The stream keeps this connection alive: one without its pool ends here.
        guard pool != nil else { return close() }
        readOn()
    }

    func streamDidClose(_ stream: Stream, _ error: StreamError?) {
        guard stream === self.stream else { return }
        self.stream = nil
        if exchange != nil {
            fail(failure(of: error))
        } else {
            pool?.tell { state, _ in state.closedWhileIdle(id) }
        }
    }
}
