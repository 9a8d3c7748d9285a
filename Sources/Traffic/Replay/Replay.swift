import EventLoop
import Recording
import Synchronization
import Text

/// A replay of a recording against a target, or a warming (`ReplayPace.warming`).
///
/// It runs on one loop of its own, and is used from any thread.
public final class Replay: Sendable {
    /// The result of a run.
    public struct Ending: Sendable {
        /// The result, not judged yet (`ReplayResult.judge`).
        public var result: ReplayResult
        /// Whether the run was stopped before its end.
        public let wasStopped: Bool
        var kept = KeptAnswers()
        /// Why a warming ended early.
        var gaveUp: Throttle.Stop?
    }

    /// Figures of a run so far.
    public struct Progress: Sendable, Equatable {
        public var elapsed = Duration.zero
        public var sent = 0
        public var answered = 0
        public var failed = 0
        /// Corrected, in nanoseconds.
        public var p99: Int?
    }

    let plan: ReplayPlan
    /// Parts of the recording that were left out, such as half a line.
    public let warnings: [String]
    /// The share of the traffic that was recorded.
    private let sampling: Double
    /// Number of requests that will be sent; nil if it depends on the target.
    public let plannedCount: Int?
    /// Expected length of the run; nil if it depends on the target.
    public let expectedLength: Duration?
    private let skipped: [String: Int]
    private let verifier: AnswerVerifier?
    private let loop: EventLoop
    private let session: Confined<Session>
    private let latest = Mutex(Progress())

    /// Confined to the loop.
    private final class Session {
        let planned: PlannedRequests
        let schedule: Schedule
        var completion: ((Result<Ending, ReplayError>) -> Void)?
        var dialer: Dialer?
        /// Timeout of the first connection.
        var timer: TimerToken?
        var run: ReplayRun?
        var wasStopped = false

        init(_ planned: PlannedRequests, _ schedule: Schedule) { (self.planned, self.schedule) = (planned, schedule) }
    }

    private static let progressInterval = Duration.milliseconds(250)

    /// Reads the whole recording, so that its errors are reported before a request is sent.
    /// - Parameters:
    ///   - verifies: whether answers are compared with the recorded ones.
    ///   - watch: called while the recording is read.
    public convenience init(
        _ plan: ReplayPlan, verifies: Bool = false, watch: (RecordingReader.Progress) -> Void = { _ in }
    ) throws(ReplayError) {
        let planned = PlannedRequests(plan, verifies: verifies)
        let reader: RecordingReader
        do throws(RecordingError) {
            reader = try RecordingReader(path: plan.file, readsBodies: verifies)
            try reader.forEach(watch: watch) { planned.add($0) }
        } catch {
            throw .recording(error)
        }
        try self.init(
            plan, planned, verifies ? reader.bodies : nil, reader.warnings, sampling: reader.header.sampling)
    }

    /// Sends these exchanges instead of a recording's. Answers are not compared.
    public convenience init(_ plan: ReplayPlan, sending exchanges: [RecordedExchange]) throws(ReplayError) {
        let planned = PlannedRequests(plan)
        for exchange in exchanges { planned.add(exchange) }
        try self.init(plan, planned, nil, [], sampling: 1)
    }

    /// - Parameter bodies: recorded bodies to compare answers with; nil: no comparison.
    private init(
        _ plan: ReplayPlan, _ planned: PlannedRequests, _ bodies: RecordedBodies?, _ warnings: [String],
        sampling: Double
    ) throws(ReplayError) {
        planned.finish()
        if let problem = planned.problem { throw .plan(folder: Spool.folder, problem) }
        guard planned.entries.count > 0 else {
            throw .nothingToSend(file: RecordingReader.name(of: plan.file), skipped: planned.skipped)
        }
        (self.plan, skipped, self.warnings, self.sampling) = (plan, planned.skipped, warnings, sampling)
        let schedule = Schedule(
            of: planned.entries.count, pace: plan.pace, duration: plan.duration, repeats: plan.repeats,
            offset: planned.offset)
        (plannedCount, expectedLength) = (schedule.count, schedule.expectedLength)
        verifier = bodies.map(AnswerVerifier.init)
        do throws(SystemError) {
            loop = try EventLoop(label: "refrain.replay")
        } catch {
            throw .system(error)
        }
        session = Confined(Session(planned, schedule), to: loop)
    }

    deinit { loop.stop() }

    /// Updated every 250 ms.
    public var progress: Progress { latest.withLock { $0 } }

    /// Starts the run. The completion is called once, on the loop.
    public func start(_ completion: @escaping @Sendable (Result<Ending, ReplayError>) -> Void) {
        session.execute { [self] session in
            session.completion = completion
            // Before the measurement: resolves the name once and fails early without a target.
            session.dialer = Dialer(
                to: plan.target, tls: plan.tls, deadline: loop.now + plan.timeout, resolver: Resolver(), loop: loop
            ) { [self] result in
                session.dialer = nil
                if let timer = session.timer { loop.cancel(timer) }
                switch result {
                case .success(let stream): begin(session, stream)
                case .failure(let failure):
                    let reason = failure.cause ?? "timed out"
                    complete(session, .failure(.unreachable(target: plan.targetInWords, reason: reason)))
                }
            }
            session.timer = loop.schedule(after: plan.timeout) { [weak self] in self?.giveUp(session) }
        }
    }

    /// Fails the run: no connection opened within the timeout.
    private func giveUp(_ session: Session) {
        guard let dialer = session.dialer else { return }
        dialer.stop()
        session.dialer = nil
        complete(session, .failure(.unreachable(target: plan.targetInWords, reason: "timed out")))
    }

    /// Ends the run now, with a result of the requests sent so far.
    public func stop() {
        session.execute { [self] session in
            session.wasStopped = true
            if let run = session.run { run.stop() } else { complete(session, .failure(.stopped)) }
        }
    }

    // MARK: On the loop

    private func begin(_ session: Session, _ stream: Stream) {
        guard session.completion != nil, let address = stream.peer else { return }
        do throws(SystemError) {
            session.run = try ReplayRun(plan, session.planned, session.schedule, verifier, over: stream, to: address) {
                [self] elapsed in
                end(session, elapsed)
            }
            session.run?.start()
            lookOn(session)
        } catch {
            complete(session, .failure(.system(error)))
        }
    }

    private func lookOn(_ session: Session) {
        guard let run = session.run else { return }
        let isWarming = plan.pace.isWarming
        let progress = Progress(
            elapsed: .nanoseconds(run.now), sent: run.tally.result.sent,
            answered: isWarming ? run.tally.kept.asked : run.tally.result.answered, failed: run.tally.result.failed,
            p99: isWarming ? nil : run.tally.result.corrected.quantile(0.99))
        latest.withLock { $0 = progress }
        loop.schedule(after: Self.progressInterval) { [weak self] in self?.lookOn(session) }
    }

    private func end(_ session: Session, _ elapsed: Duration) {
        guard let run = session.run else { return }
        session.run = nil
        if let problem = session.planned.problem {
            return complete(session, .failure(.plan(folder: Spool.folder, problem)))
        }
        var result = run.result()
        (result.ended, result.elapsed) = (.now(), elapsed)
        if !session.wasStopped { result.pacedLength = session.schedule.pacedLength ?? .zero }
        result.skipped = skipped
        result.planned = session.schedule.count ?? run.taken
        result.remarks = remarks(wasStopped: session.wasStopped)
        if let verifier { result.verification = verifier.finish() }
        let ending = Ending(
            result: result, wasStopped: session.wasStopped, kept: run.tally.kept, gaveUp: run.gaveUp)
        complete(session, .success(ending))
    }

    private func remarks(wasStopped: Bool) -> [String] {
        var remarks: [String] = []
        if wasStopped { remarks.append("Stopped before the end: the figures cover only the requests sent so far.") }
        if sampling < 1 {
            let share = Figure.percent(sampling)
            remarks.append(
                "The recording is a sample of \(share) of the traffic; the real rate was higher accordingly.")
        }
        return remarks
    }

    private func complete(_ session: Session, _ result: Result<Ending, ReplayError>) {
        let completion = session.completion
        session.completion = nil
        completion?(result)
    }
}
