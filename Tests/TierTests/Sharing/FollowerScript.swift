import Cache
import EventLoop
import Store

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

    init(_ adjust: (inout LogFollower.Settings) -> Void = { _ in }) {
        var settings = LogFollower.Settings()
        adjust(&settings)
        let identity = NodeIdentity(name: "a", address: "a:1", version: "1", process: 1, startedAt: noon)
        state = FollowerState(
            identity, TierKeys(prefix: "refrain"), settings, at: .init(now: now, wall: wall))
    }

    mutating func tell(_ event: State.Event) -> [State.Effect] {
        state.take(event, at: .init(now: now, wall: wall))
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

    /// A node that has read a log up to 20 in an earlier run, and reads on.
    static func ready(_ adjust: (inout LogFollower.Settings) -> Void = { _ in }) -> FollowerScript {
        var script = FollowerScript(adjust)
        _ = script.tell(.began(fence(20)))
        _ = script.tell(.answered(.signs, script.signs([:])))
        _ = script.tell(.answered(.signs, script.signs([:])))
        _ = script.tell(.answered(.page(1, after: .start), script.page(entries: [10, 20])))
        return script
    }

    /// The answers to a sign of life; by node the mark that it says.
    func signs(_ nodes: [String: LogMark], seen: Int64 = 0, confirmed: LogEpoch? = nil) -> [RESPReply] {
        let confirmed = confirmed.map { " confirmed=\($0.text)" } ?? ""
        let time = RESPReply.array([.bulk("\(engine / 1000)"), .bulk("\(engine % 1000 * 1000)")])
        let fields = nodes.flatMap { name, mark in
            [RESPReply.bulk(Array(name.utf8)), .bulk("seen=\(engine + seen) ready=1 applied=\(mark.text)\(confirmed)")]
        }
        return [time, .array(fields), .integer(0)]
    }

    /// The answers to a page of a log; with `first` it was trimmed up to there.
    func page(
        entries: [UInt64], last: UInt64? = nil, record: PurgeRecord = purge(.target([47])), replicas: Int = 0,
        place: UInt64? = nil, stored: LogEpoch = epoch, engine: UInt64 = 0, first: UInt64? = nil
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
        let replication = "connected_slaves:\(replicas)\r\nmaster_replid:\(LogEpoch(number: engine).text)0000\r\n"
        let parts = [
            range(place.map { [$0] } ?? []), range(entries), .bulk(Array(stored.text.utf8)), .array(facts + begin),
            .bulk(Array(replication.utf8)),
        ]
        return [.array(parts)]
    }
}

extension [FollowerState.Effect] {
    /// The questions among them, without their commands.
    var questions: [FollowerState.Question] {
        compactMap { if case .ask(let question, _) = $0 { question } else { nil } }
    }

    /// Purges of the cache: what for, and as of when.
    var purges: [FollowerState.Job] {
        compactMap { if case .purge(let job, _, _, _) = $0 { job } else { nil } }
    }

    var times: [Int64] {
        compactMap { if case .purge(_, _, _, let time) = $0 { time } else { nil } }
    }

    var reports: [PurgeReport] {
        compactMap { if case .report(_, let report) = $0 { report } else { nil } }
    }

    var warnings: [String] {
        compactMap { if case .warn(let line) = $0 { line } else { nil } }
    }

    /// The commands of the question, each as one line.
    func lines(_ question: FollowerState.Question) -> [String] {
        flatMap { effect -> [String] in
            guard case .ask(question, let commands) = effect else { return [] }
            return commands.map { $0.words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") }
        }
    }
}
