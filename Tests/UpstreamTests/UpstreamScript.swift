import EventLoop

@testable import Upstream

/// Plays events of one exchange and shows the effects of each as words: `count 200, return
/// answered, end, tell`.
struct UpstreamScript {
    private(set) var state: UpstreamState
    private var now = start

    private static let start = Instant(nanoseconds: 3_600_000_000_000)

    /// A request of nobody in particular, which may wait for its turn for 15 s.
    init(_ priority: UpstreamPriority = .waitingClient, of party: UpstreamParty = .everyone, repeats: Int = 3) {
        state = UpstreamState(
            priority, of: party, deadline: Self.start + .seconds(15), repeats: repeats, at: Self.start)
    }

    mutating func wait(_ duration: Duration) { now = now + duration }

    @discardableResult
    mutating func play(_ event: UpstreamState.Event) -> String {
        let effects = state.handle(event, at: now)
        return (0..<effects.count).map { words(effects[$0]) }.joined(separator: ", ")
    }

    mutating func play(_ events: [UpstreamState.Event]) -> [String] { events.map { play($0) } }

    // MARK: Where most tests begin

    /// It waits for its turn.
    static func waiting(
        _ priority: UpstreamPriority = .waitingClient, of party: UpstreamParty = .everyone, repeats: Int = 3
    ) -> Self {
        var script = Self(priority, of: party, repeats: repeats)
        script.play(.sent(isDraining: false))
        script.play(.queued)
        return script
    }

    /// The connection has the request.
    static func started(repeats: Int = 3) -> Self {
        var script = Self(repeats: repeats)
        for event in [.sent(isDraining: false), .turnCame, .started] as [UpstreamState.Event] { script.play(event) }
        return script
    }

    /// It waits to be repeated.
    static func pausing() -> Self {
        var script = started()
        script.play(.answered(refusal))
        script.play(.mayRepeat(at: start + .seconds(1)))
        return script
    }

    static let ok = UpstreamState.Head(status: 200, retryAfter: nil)
    static let refusal = UpstreamState.Head(status: 429, retryAfter: nil)

    static func after(_ duration: Duration) -> Instant { start + duration }

    // MARK: As words

    private func words(_ effect: UpstreamState.Effect) -> String {
        switch effect {
        case .wake(let instant): "wake after \(instant - Self.start)"
        case .stopTimer: "stop timer"
        case .askForTurn: "ask for turn"
        case .moveTurn(let priority, let party): "move to \(priority)\(party.map { " of \($0)" } ?? "")"
        case .askWhyLate: "ask why late"
        case .returnTurn(let outcome): "return \(words(outcome))"
        case .askToRepeat(let number, _): "ask for repeat \(number)"
        case .connect: "connect"
        case .leavePool: "leave pool"
        case .pauseReading: "pause reading"
        case .resumeReading: "resume reading"
        case .endPause: "end pause"
        case .count(let status, let time):
            "count \(status.map { "\($0)" } ?? "none")\(time.map { " after \($0)" } ?? "")"
        case .countRepeat: "count repeat"
        case .end: "end"
        case .tell: "tell"
        case .fail: "fail \(state.failure.map { $0.word } ?? "without a reason")"
        }
    }

    private func words(_ outcome: BudgetState.Outcome) -> String {
        switch outcome {
        case .answered: "answered"
        case .unanswered: "unanswered"
        case .rateLimited(let retryAfter): "limited\(retryAfter.map { " for \($0)" } ?? "")"
        }
    }
}
