import EventLoop
import HTTP

/// Sends what a cache is to be filled with, and counts what comes back: performs what `WarmState`
/// says. Confined to its loop.
final class WarmRun: ConnectionUser {
    let loop: EventLoop
    let address: SocketAddress
    let tls: (configuration: ClientTLS, hostName: String)?
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    private let requests: [PlannedRequests.Request]
    private let timeout: Int64
    private let begun = Instant.now()
    private var state: WarmState
    private(set) var result: WarmResult
    private(set) var sent = 0
    private var connections: [ReplayConnection] = []
    private var timer: TimerToken?
    private var completion: ((WarmResult) -> Void)?

    /// How often it is looked whether an answer takes too long.
    private static let sweep = Duration.milliseconds(100)

    /// - Parameters:
    ///   - stream: a first connection, open.
    ///   - completion: called once, on the loop.
    init(
        _ plan: ReplayPlan, _ requests: [PlannedRequests.Request], _ result: WarmResult, over stream: Stream,
        to address: SocketAddress, completion: @escaping (WarmResult) -> Void
    ) {
        (self.requests, self.result, self.address, loop) = (requests, result, address, stream.loop)
        self.completion = completion
        tls = plan.tls.map { ($0, plan.target.host) }
        timeout = plan.timeout.wholeNanoseconds
        state = WarmState(
            count: requests.count, rate: result.rate, mostConnections: result.connections)
        connection(state.begin()).use(stream)
    }

    deinit { buffer.deallocate() }

    /// Nanoseconds since the start.
    var now: Int64 { Instant.now().nanoseconds - begun.nanoseconds }

    func start() {
        lookForLateness()
        goOn()
    }

    /// Ends it as it is.
    func stop() {
        result.stoppedBecause = "interrupted; what was asked until then stays warm"
        finish()
    }

    func goOn() {
        while completion != nil {
            let now = now
            switch state.next(at: now) {
            case .send(let request, let number):
                sent += 1
                connections[number].send(requests[request], position: request, at: now, keepsContent: false)
            case .open(let number):
                do throws(SystemError) {
                    try connection(number).dial(at: now)
                } catch {
                    note(error.description)
                    state.couldNotOpen(number, at: now)
                }
            case .wait(let until): return wake(at: until)
            case .finished: finish()
            }
        }
    }

    private func wake(at time: Int64?) {
        if let timer { loop.cancel(timer) }
        timer = time.map { time in
            loop.schedule(at: begun + .nanoseconds(time)) { [weak self] in self?.goOn() }
        }
    }

    private func finish() {
        guard let completion else { return }
        self.completion = nil
        if let timer { loop.cancel(timer) }
        for connection in connections { connection.close() }
        result.elapsed = .nanoseconds(now)
        if let stop = state.stop { result.stoppedBecause = stop.sentence }
        completion(result)
    }

    private func connection(_ number: Int) -> ReplayConnection {
        while connections.count <= number { connections.append(ReplayConnection(connections.count, run: self)) }
        return connections[number]
    }

    private func lookForLateness() {
        loop.schedule(after: Self.sweep) { [weak self] in
            guard let self, completion != nil else { return }
            let limit = now - timeout
            for connection in connections where connection.isWorking && connection.since < limit {
                connection.timeOut()
            }
            lookForLateness()
        }
    }

    private func note(_ failure: String) { result.failures[failure, default: 0] += 1 }
}

// MARK: - What connections tell

extension WarmRun {
    func opened(_ connection: ReplayConnection) {
        state.opened(connection.number)
        goOn()
    }

    func couldNotOpen(_ connection: ReplayConnection, _ reason: String) {
        note(reason)
        state.couldNotOpen(connection.number, at: now)
        goOn()
    }

    func answered(_ connection: ReplayConnection, _ reader: AnswerReader, _ position: Int, stays: Bool) {
        result.statuses[reader.status, default: 0] += 1
        guard reader.status == 429 || reader.status == 503 else {
            result.note(reader.outcome, isStored: reader.isStored)
            return state.answered(connection.number, stays: stays)
        }
        result.refusals += 1
        state.refused(connection.number, retryAfter: reader.retryAfter, stays: stays, at: now)
    }

    func failed(_ connection: ReplayConnection, _ position: Int, _ reason: String) {
        note(reason)
        state.failed(connection.number, at: now)
        goOn()
    }

    func sentAgain() { result.resets += 1 }

    func lost(_ connection: ReplayConnection) {
        state.lost(connection.number)
    }
}

extension AnswerReader {
    /// Seconds; nil where the answer names none, or a date, which is read as none.
    fileprivate var retryAfter: Int? {
        guard let value = head.fields.first(.retryAfter)?.value.range else { return nil }
        return Int(String(decoding: headBytes[value], as: UTF8.self))
    }
}

extension WarmState.Stop {
    var sentence: String {
        switch self {
        case .refused(let times):
            "the target refused \(times) times in a row (429 or 503); go on later, or with a lower --rate"
        case .toldToWait(let seconds): "the target says to come back in \(seconds) s (Retry-After)"
        case .failed(let times): "\(times) requests in a row got no answer"
        }
    }
}
