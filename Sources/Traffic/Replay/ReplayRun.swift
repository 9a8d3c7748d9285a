import EventLoop
import HTTP
import Proxy
import Recording

/// Sends the requests of a schedule and counts the answers: performs the steps of `ReplayState`.
/// Confined to its loop.
///
/// Latencies are read from the clock, not from the loop's turn: corrected ones begin when the
/// request was due, uncorrected ones when it was handed to its connection.
final class ReplayRun {
    let loop: EventLoop
    let address: SocketAddress
    let tls: (configuration: ClientTLS, hostName: String)?
    /// Receives each read; parsed before the next one.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    private let planned: PlannedRequests
    private let verifier: AnswerVerifier?
    private let failedFile: FailedRequestFile?
    private let timeout: Int64
    private var begun: Instant
    private var state: ReplayState
    private(set) var tally: ReplayTally
    private var connections: [ReplayConnection] = []
    private var held = HeldRequests()
    private var timer: PreciseTimer?
    private var completion: ((_ elapsed: Duration) -> Void)?

    /// Interval between two checks for timeouts.
    private static let sweep = Duration.milliseconds(100)

    /// - Parameters:
    ///   - stream: a first connection, open.
    ///   - completion: called once, on the loop, when the last answer has come.
    init(
        _ plan: ReplayPlan, _ planned: PlannedRequests, _ schedule: Schedule, _ verifier: AnswerVerifier?,
        over stream: Stream, to address: SocketAddress, completion: @escaping (_ elapsed: Duration) -> Void
    ) throws(SystemError) {
        (self.planned, self.verifier, self.address, loop) = (planned, verifier, address, stream.loop)
        failedFile = plan.failedFile
        self.completion = completion
        tls = plan.tls.map { ($0, plan.target.host) }
        timeout = plan.timeout.wholeNanoseconds
        state = ReplayState(schedule, mostConnections: plan.connections)
        let result = ReplayResult(
            file: RecordingReader.name(of: plan.file), target: plan.targetInWords, pace: plan.paceInWords,
            connections: plan.connections, started: .now())
        tally = ReplayTally(result, expecting: schedule.expectedLength)
        begun = .now()
        timer = try PreciseTimer(loop: loop) { [unowned self] in goOn() }
        connection(state.begin()).use(stream)
    }

    deinit { buffer.deallocate() }

    /// Nanoseconds since the start.
    var now: Int64 { Instant.now().nanoseconds - begun.nanoseconds }

    /// Requests that were sent, or failed without being sent.
    var taken: Int { state.taken }

    /// The first request is due now.
    func start() {
        begun = .now()
        lookForLateness()
        goOn()
    }

    /// Why a warming ended early.
    var gaveUp: Throttle.Stop? { state.throttle?.stop }

    /// The result without end time, skipped requests and verification.
    func result() -> ReplayResult { tally.finish() }

    /// Ends the run as it is: a request that was sent and not answered counts as neither an answer
    /// nor a failure.
    func stop() {
        guard let completion else { return }
        self.completion = nil
        let elapsed = Duration.nanoseconds(now)
        timer?.close()
        for connection in connections { connection.close() }
        completion(elapsed)
    }

    private func connection(_ number: Int) -> ReplayConnection {
        while connections.count <= number { connections.append(ReplayConnection(connections.count, run: self)) }
        return connections[number]
    }

    /// Performs all steps that are due. Connections call it after `answered`, when they can be used
    /// again.
    func goOn() {
        while completion != nil {
            let now = now
            let step = state.next(at: now)
            guard planned.problem == nil else { return stop() }
            switch step {
            case .send(let position, let number, let wasHeld):
                let lag = wasHeld ? lagOfHeld(position) : noteLag(position, now)
                guard let request = planned.request(state.schedule.index(position)) else { return stop() }
                tally.noteSent(at: now)
                connections[number].send(
                    request, position: position, at: now, lag: lag, keepsContent: verifier != nil)
            case .held(let position):
                held.note(position, at: now)
                _ = noteLag(position, now)
            case .open(let number): open(connection(number), now)
            case .wait(let until): return wake(at: until)
            case .finished: stop()
            }
        }
    }

    /// Records the lag of a request and returns it; 0 in a closed loop.
    private func noteLag(_ position: Int, _ now: Int64) -> Int64 {
        guard let due = state.schedule.due(position) else { return 0 }
        tally.noteLag(now - due)
        return now - due
    }

    /// How late a request was noticed that found all connections busy; 0 in a closed loop.
    private func lagOfHeld(_ position: Int) -> Int64 {
        guard let due = state.schedule.due(position), let noticed = held.take(position) else { return 0 }
        return max(0, noticed - due)
    }

    private func open(_ connection: ReplayConnection, _ now: Int64) {
        do throws(SystemError) {
            try connection.dial(at: now)
        } catch {
            noteUnopened(connection, error.description, isTimeout: false)
        }
    }

    /// Keeps an earlier deadline: firing early is harmless, and setting the timer is a system call.
    private func wake(at time: Int64?) {
        guard let time, let timer else { return }
        let instant = begun + .nanoseconds(time)
        if let deadline = timer.deadline, deadline <= instant { return }
        timer.set(at: instant)
    }

    private func lookForLateness() {
        loop.schedule(after: Self.sweep) { [weak self] in
            guard let self, completion != nil else { return }
            let limit = now - timeout
            for connection in connections where connection.isWorking && connection.since < limit {
                connection.timeOut()
            }
            while let position = state.giveUp(dueBefore: limit) {
                noteUnsent(position, "no connection was free in time", isTimeout: true)
            }
            goOn()
            lookForLateness()
        }
    }
}

// MARK: - Events of connections

extension ReplayRun {
    func opened(_ connection: ReplayConnection) {
        state.opened(connection.number)
        goOn()
    }

    func couldNotOpen(_ connection: ReplayConnection, _ reason: String, isTimeout: Bool) {
        noteUnopened(connection, reason, isTimeout: isTimeout)
        goOn()
    }

    private func noteUnopened(_ connection: ReplayConnection, _ reason: String, isTimeout: Bool) {
        guard let position = state.couldNotOpen(connection.number, at: now) else { return }
        noteUnsent(position, reason, isTimeout: isTimeout, since: connection.since)
    }

    /// - Parameter since: when the request's wait began, in a closed loop.
    private func noteUnsent(_ position: Int, _ reason: String, isTimeout: Bool, since: Int64 = 0) {
        let now = now
        let due = state.schedule.due(position)
        let waited = now - (due ?? since)
        // A request that came while the connection was being opened has waited for less.
        let wait =
            isTimeout && waited >= timeout
            ? ReplayTally.Wait(corrected: waited, uncorrected: due == nil ? waited : nil, lag: lagOfHeld(position))
            : nil
        tally.noteFailure(reason, wait, at: now)
        list(position, .unanswered(reason), since: due ?? since, at: now)
    }

    /// Lists a request that failed; one that was not sent has to be read for that.
    private func list(
        _ position: Int, _ failure: FailedRequest.Failure, _ sent: PlannedRequest? = nil, since: Int64, at now: Int64
    ) {
        let isWanted = failedFile != nil || !tally.result.failedRequests.isFull
        let request = isWanted ? sent ?? planned.request(state.schedule.index(position)) : nil
        let failed = request.map { FailedRequest($0, failure, due: since, waited: now - since) }
        tally.noteFailed(failed)
        if let failed { failedFile?.append(failed) }
    }

    /// - Parameter stays: whether the connection can be used again.
    func answered(
        _ connection: ReplayConnection, _ reader: AnswerReader, _ request: PlannedRequest, _ position: Int, stays: Bool
    ) {
        let now = now
        let uncorrected = now - connection.since
        let corrected = state.schedule.due(position).map { now - $0 } ?? uncorrected
        tally.noteAnswer(reader, corrected: corrected, uncorrected: uncorrected, lag: connection.lag, at: now)
        verifier?.take(reader, to: request)
        if reader.isRefusal {
            state.refused(connection.number, position, retryAfter: reader.retryAfter, stays: stays, at: now)
        } else {
            state.answered(connection.number, isDenied: reader.head.status == 401, stays: stays)
        }
        // An attempt that is repeated is no failed request.
        if !(reader.isRefusal && state.sendsAgain),
            FailedRequest.isListed(status: reader.status, recorded: request.recordedStatus)
        {
            list(position, .status(reader.status), request, since: now - corrected, at: now)
        }
    }

    func failed(
        _ connection: ReplayConnection, _ request: PlannedRequest, _ position: Int, _ reason: String, isTimeout: Bool
    ) {
        let now = now
        let uncorrected = now - connection.since
        let corrected = state.schedule.due(position).map { now - $0 } ?? uncorrected
        let wait = ReplayTally.Wait(corrected: corrected, uncorrected: uncorrected, lag: connection.lag)
        tally.noteFailure(reason, isTimeout ? wait : nil, at: now)
        list(position, .unanswered(reason), request, since: now - corrected, at: now)
        state.failed(connection.number, at: now)
        goOn()
    }

    /// A request goes out a second time, because its connection ended without a byte of an answer.
    func sentAgain() { tally.noteReset() }

    /// The target closed an idle connection.
    func lost(_ connection: ReplayConnection) {
        state.lost(connection.number)
    }
}

extension AnswerReader {
    /// Whether the target refuses for now: 429 or 503.
    var isRefusal: Bool { status == 429 || status == 503 }

    /// Seconds; nil without Retry-After or where it is a date.
    fileprivate var retryAfter: Int? {
        guard let value = head.fields.first(.retryAfter)?.value.range else { return nil }
        return Int(String(decoding: headBytes[value], as: UTF8.self))
    }
}

extension FailedRequest {
    /// Times are in nanoseconds.
    fileprivate init(_ request: PlannedRequest, _ failure: Failure, due: Int64, waited: Int64) {
        self.init(
            index: request.index, method: request.method, target: request.target, failure: failure,
            recordedStatus: request.recordedStatus, due: .nanoseconds(max(0, due)), waited: .nanoseconds(max(0, waited))
        )
    }
}
