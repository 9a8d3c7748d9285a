import EventLoop
import Recording
import Synchronization

/// Fills a cache with what a recording asked for: each distinct request once, those first that came
/// most often, slowly. On one loop of its own; from any thread.
public final class Warming: Sendable {
    /// What Apple's API is known to bear besides other traffic (APPLE-MUSIC-API 10.5).
    public static let usualRate = RequestRate(perSecond: 4)
    public static let usualConnections = 4

    public let warnings: [String]
    private let plan: ReplayPlan
    private let requests: [PlannedRequests.Request]
    private let empty: WarmResult
    private let loop: EventLoop
    private let session: Confined<Session>
    private let latest = Mutex(Replay.Progress())

    /// Confined to the loop.
    private final class Session {
        var completion: ((Result<WarmResult, ReplayError>) -> Void)?
        var first: FirstConnection?
        var run: WarmRun?
    }

    private static let progressInterval = Duration.milliseconds(250)
    /// What makes an answer another one for one client alone, or has a cache go past what it holds.
    private static let dropped: Set<String> = [
        "cache-control", "if-match", "if-modified-since", "if-none-match", "if-unmodified-since", "range",
    ]

    /// Reads the recording to its end.
    /// - Parameters:
    ///   - plan: of its pace nothing counts.
    ///   - watch: called while the recording is read.
    public init(
        _ plan: ReplayPlan, rate: RequestRate, watch: (RecordingReader.Progress) -> Void = { _ in }
    ) throws(ReplayError) {
        var planned = PlannedRequests(plan)
        do throws(RecordingError) {
            let reader = try RecordingReader(path: plan.file)
            try reader.forEach(watch: watch) { planned.add(Self.shared($0)) }
            warnings = reader.warnings
        } catch {
            throw .recording(error)
        }
        planned.finish()
        guard !planned.entries.isEmpty else { throw .nothingToSend(file: plan.file, skipped: planned.skipped) }
        self.plan = plan
        requests = planned.mostWanted
        var empty = WarmResult(
            file: plan.file, target: plan.targetInWords, rate: rate, connections: plan.connections,
            distinct: requests.count)
        empty.skipped = planned.skipped
        self.empty = empty
        do throws(SystemError) {
            loop = try EventLoop(label: "refrain.warming")
        } catch {
            throw .system(error)
        }
        session = Confined(Session(), to: loop)
    }

    deinit { loop.stop() }

    /// As everyone would ask it. A recording that was put together by hand may hold what is one
    /// user's and not say so.
    private static func shared(_ exchange: RecordedExchange) -> RecordedExchange {
        var exchange = exchange
        exchange.isPersonal = exchange.withoutPersonalParts(tellsWhoAsks: false)?.isPersonal ?? true
        exchange.requestFields.removeAll { dropped.contains($0.name) }
        return exchange
    }

    public var plannedCount: Int { requests.count }

    /// Some fractions of a second old.
    public var progress: Replay.Progress { latest.withLock { $0 } }

    /// Runs it. The completion is called once, on the loop.
    public func start(_ completion: @escaping @Sendable (Result<WarmResult, ReplayError>) -> Void) {
        session.execute { [self] session in
            session.completion = completion
            session.first = FirstConnection(plan, on: loop) { [self] result in
                session.first = nil
                switch result {
                case .success(let (stream, address)): begin(session, stream, address)
                case .failure(let error): complete(session, .failure(error))
                }
            }
            session.first?.start()
        }
    }

    /// Ends it as it is, with a result of what was done.
    public func stop() {
        session.execute { [self] session in
            if let run = session.run { run.stop() } else { complete(session, .failure(.stopped)) }
        }
    }

    // MARK: On the loop

    private func begin(_ session: Session, _ stream: Stream, _ address: SocketAddress) {
        guard session.completion != nil else { return stream.close() }
        session.run = WarmRun(plan, requests, empty, over: stream, to: address) { [self] result in
            session.run = nil
            complete(session, .success(result))
        }
        session.run?.start()
        lookOn(session)
    }

    private func lookOn(_ session: Session) {
        guard let run = session.run else { return }
        let progress = Replay.Progress(
            elapsed: .nanoseconds(run.now), sent: run.sent, answered: run.result.asked, failed: run.result.failed)
        latest.withLock { $0 = progress }
        loop.schedule(after: Self.progressInterval) { [weak self] in self?.lookOn(session) }
    }

    private func complete(_ session: Session, _ result: Result<WarmResult, ReplayError>) {
        let completion = session.completion
        session.completion = nil
        completion?(result)
    }
}

extension PlannedRequests {
    /// From those that came most often to those that came once: whatever ends a warming early, it
    /// did the most that it could.
    fileprivate var mostWanted: [Request] {
        var times = [Int](repeating: 0, count: requests.count)
        for entry in entries { times[entry.request] += 1 }
        return requests.indices.sorted { (times[$1], $0) < (times[$0], $1) }.map { requests[$0] }
    }
}
