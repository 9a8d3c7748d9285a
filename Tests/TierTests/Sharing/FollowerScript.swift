import EventLoop

@testable import Tier

/// A follower's machine, and a test's events for it: the engine's answers as values, no engine.
struct FollowerScript {
    typealias State = FollowerState

    private(set) var state: FollowerState
    var now = Instant(nanoseconds: 1_000_000_000)
    /// Unix milliseconds of this machine.
    var wall = noon * 1000
    /// The engine's clock, likewise.
    var engine = noon * 1000
    private var page = FollowerState.Question.page(0)

    init(_ adjust: (inout LogFollower.Settings) -> Void = { _ in }) {
        var settings = LogFollower.Settings()
        // Each look at the log is a page, unless a test is about glances.
        settings.pageInterval = .zero
        adjust(&settings)
        let identity = NodeIdentity(name: "a", address: "a:1", version: "1", process: 1, startedAt: noon)
        state = FollowerState(identity, TierKeys(prefix: "refrain"), settings, at: .init(now: now, wall: wall))
    }

    /// A node that has read a log up to there in an earlier run, and asks for its first page.
    static func begun(_ mark: LogMark, _ adjust: (inout LogFollower.Settings) -> Void = { _ in }) -> FollowerScript {
        var script = FollowerScript(adjust)
        script.tell(.began(mark))
        script.sign()
        script.sign()
        return script
    }

    /// A node that has read a log up to 20 in an earlier run, and reads on.
    static func ready(_ adjust: (inout LogFollower.Settings) -> Void = { _ in }) -> FollowerScript {
        var script = begun(logMark(20), adjust)
        script.read([10, 20])
        return script
    }

    /// The same, and it asks for the entries since.
    static func reading() -> FollowerScript {
        var script = ready()
        _ = script.wake()
        return script
    }

    var status: SharingStatus { state.status(at: now) }

    @discardableResult
    mutating func tell(_ event: State.Event) -> [State.Effect] {
        let effects = state.take(event, at: .init(now: now, wall: wall))
        for case .page(let number) in effects.questions { page = .page(number) }
        return effects
    }

    mutating func pass(_ time: Duration) {
        now = now + time
        wall += time.wholeNanoseconds / 1_000_000
        engine += time.wholeNanoseconds / 1_000_000
    }

    /// Time passes, up to the next moment for which the machine wants to be woken.
    mutating func wake() -> [State.Effect] {
        guard let moment = state.wakeAt else { return [] }
        pass(moment - now)
        return tell(.woken)
    }

    // MARK: The engine's answers

    /// Answers a sign of life with the marks that the nodes say.
    @discardableResult
    mutating func sign(
        _ nodes: [String: LogMark] = [:], seen: Int64 = 0, confirmed: LogEpoch? = nil
    ) -> [State.Effect] {
        tell(.answered(.signs, signs(nodes, seen: seen, confirmed: confirmed)))
    }

    /// Answers the sign of life among these effects, or else wakes the node.
    mutating func goOn(after effects: [State.Effect]) -> [State.Effect] {
        effects.questions.contains(.signs) ? sign() : wake()
    }

    @discardableResult
    mutating func answerPage(_ replies: [RESPReply]?) -> [State.Effect] { tell(.answered(page, replies)) }

    /// Answers the glances that the node asks for meanwhile, and signs of life, until it asks for a
    /// page; nil where it asks for something else. By `end` the log goes up to there.
    mutating func glance(end: UInt64 = 20, engine: UInt64 = 0, _ most: Int = 100) -> (glances: Int, after: Duration)? {
        let (began, facts) = (now, Array(parts([], last: end, engine: engine).suffix(2)))
        var (effects, glances) = (wake(), 0)
        for _ in 0..<most {
            switch effects.questions.first {
            case .glance?:
                glances += 1
                effects = tell(.answered(effects.questions[0], facts))
                if effects.isEmpty { effects = wake() }
            case .signs?: effects = goOn(after: effects)
            case .page?: return (glances, now - began)
            default: return nil
            }
        }
        return nil
    }

    /// Answers it with these entries of a log; with `first` that was trimmed up to there.
    @discardableResult
    mutating func read(
        _ entries: [UInt64], last: UInt64? = nil, record: PurgeRecord = purge(.target([47])), place: UInt64? = nil,
        stored: LogEpoch = epoch, engine: UInt64 = 0, first: UInt64? = nil
    ) -> [State.Effect] {
        let parts = parts(
            entries, last: last, record: record, place: place, stored: stored, engine: engine, first: first)
        return answerPage([.array(parts)])
    }

    /// Takes an announced purge into the log at `position`; nil: the engine does not answer.
    @discardableResult
    mutating func announced(_ number: Int, at position: UInt64?) -> [State.Effect] {
        let history = RESPReply.bulk("connected_slaves:0\r\nmaster_replid:00000000000000000000")
        return tell(.answered(.announcement(number), position.map { [.bulk("\($0)-0"), history] }))
    }

    /// A purge that the engine does not take and the cache does.
    @discardableResult
    mutating func purgeUnlogged(_ number: Int, _ record: PurgeRecord = purge(.target([47]))) -> [State.Effect] {
        tell(.purge(number, record))
        announced(number, at: nil)
        return tell(.purged(.asked(number), 1))
    }

    /// The replies to a sign of life; by node the mark that it says.
    func signs(_ nodes: [String: LogMark], seen: Int64 = 0, confirmed: LogEpoch? = nil) -> [RESPReply] {
        let confirmed = confirmed.map { " confirmed=\($0.text)" } ?? ""
        let time = RESPReply.array([.bulk("\(engine / 1000)"), .bulk("\(engine % 1000 * 1000)")])
        let fields = nodes.flatMap { name, mark in
            [RESPReply.bulk(name), .bulk("seen=\(engine + seen) ready=1 applied=\(mark.text)\(confirmed)")]
        }
        return [time, .array(fields), .integer(0)]
    }

    /// The parts of a page, in the order of `PurgeLogQuery.commands`.
    func parts(
        _ entries: [UInt64], last: UInt64? = nil, record: PurgeRecord = purge(.target([47])), place: UInt64? = nil,
        stored: LogEpoch = epoch, engine: UInt64 = 0, first: UInt64? = nil
    ) -> [RESPReply] {
        let fields = RESPReply.array(record.fields.map { .bulk($0) })
        func range(_ ids: [UInt64]) -> RESPReply {
            .array(ids.map { RESPReply.array([.bulk("\($0)-0"), fields]) })
        }
        let end = last ?? entries.last ?? 0
        let facts: [RESPReply] = [
            .bulk("length"), .integer(9), .bulk("last-generated-id"), .bulk("\(end)-0"), .bulk("entries-added"),
            .integer(first == nil ? 9 : 10),
        ]
        let begin: [RESPReply] = first.map { [.bulk("first-entry"), .array([.bulk("\($0)-0"), fields])] } ?? []
        let replication = "connected_slaves:0\r\nmaster_replid:\(LogEpoch(number: engine).text)0000\r\n"
        return [
            range(place.map { [$0] } ?? []), range(entries), .bulk(stored.text), .array(facts + begin),
            .bulk(replication),
        ]
    }
}

extension [FollowerState.Effect] {
    /// The questions among them, without their commands.
    var questions: [FollowerState.Question] {
        compactMap { if case .ask(let question, _) = $0 { question } else { nil } }
    }

    /// The places beyond which pages are asked for.
    var pages: [LogPosition] {
        compactMap { effect in
            guard case .ask(.page, let commands) = effect else { return nil }
            return LogPosition(commands[0].words[6].dropFirst())
        }
    }

    /// Purges of the cache: their jobs.
    var purges: [FollowerState.Job] {
        compactMap { if case .purge(let job, _, _, _) = $0 { job } else { nil } }
    }

    var times: [Int64] { compactMap { if case .purge(_, _, _, let time) = $0 { time } else { nil } } }

    var acknowledgements: [PurgeReport] {
        compactMap { if case .acknowledge(_, let report) = $0 { report } else { nil } }
    }

    var reports: [PurgeReport] { compactMap { if case .report(_, let report) = $0 { report } else { nil } } }

    var warnings: [String] { compactMap { if case .warn(let line) = $0 { line } else { nil } } }

    func lines(_ question: FollowerState.Question) -> [String] {
        flatMap { effect -> [String] in
            guard case .ask(question, let commands) = effect else { return [] }
            return commands.map { $0.words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") }
        }
    }
}
