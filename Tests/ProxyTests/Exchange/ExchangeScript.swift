import Cache
import EventLoop
import Freshness
import HTTP
import Testing

@testable import Proxy
@testable import Upstream

/// Plays events and shows each step as words: `cancel timer, finish stored 200, answer 200`.
struct ExchangeScript {
    private var state: ExchangeState
    private(set) var now: Instant
    /// The answer that was stored since the look-up; below, the other answers without the origin.
    var arrived: StoredResponse?
    var composed: StoredResponse?
    var standIn: StoredResponse?

    static let start = Instant(nanoseconds: 3_600_000_000_000)

    init(_ change: (inout ExchangeState.Traits) -> Void = { _ in }) {
        var traits = ExchangeState.Traits()
        traits.audience = .client
        change(&traits)
        now = Self.start
        state = ExchangeState(traits, at: now)
    }

    var isCollapsed: Bool { state.isCollapsed }
    var isShared: Bool { state.isShared }

    mutating func wait(_ duration: Duration) { now = now + duration }

    /// Plays one event, and what looking up brings back of it.
    mutating func play(_ event: ExchangeState.Event) -> String {
        let step = state.handle(event, at: now)
        guard case .complete(let substitutes) = step.origin else { return words(step) }
        return play(.completed(substitutes.first(find)?.stored))
    }

    private func find(_ substitute: ExchangeState.Substitute) -> StoredResponse? {
        switch substitute {
        case .arrived: arrived
        case .composition: composed
        case .standIn: standIn
        }
    }

    /// Brings it to where the origin has been asked by a leader.
    mutating func lead() {
        _ = play(.began(meanwhile: nil))
        joined()
    }

    static func begun(_ change: (inout ExchangeState.Traits) -> Void = { _ in }) -> Self {
        var script = Self(change)
        _ = script.play(.began(meanwhile: nil))
        return script
    }

    static func leading(_ change: (inout ExchangeState.Traits) -> Void = { _ in }) -> Self {
        var script = Self(change)
        script.lead()
        return script
    }

    /// One that waits for another's request.
    static func waiting(_ change: (inout ExchangeState.Traits) -> Void = { _ in }) -> Self {
        var script = begun(change)
        _ = script.play(.joined(.waiter))
        return script
    }

    // MARK: Events as most tests play them

    @discardableResult mutating func joined() -> String { play(.joined(.leader(meanwhile: nil))) }

    @discardableResult mutating func answered(_ status: Int) -> String {
        play(.answered(Self.response(status), .readable))
    }

    @discardableResult mutating func headArrived(_ status: Int) -> String { play(.headArrived(Self.response(status))) }

    @discardableResult mutating func stored(of status: Int) -> String {
        play(.stored(Self.stored(), originStatus: status, isReusable: true))
    }

    @discardableResult mutating func unstored(_ status: Int, _ reason: Reason) -> String {
        play(.unstored(Self.response(status), reason))
    }

    @discardableResult mutating func failed() -> String { play(.failed(Self.failure)) }

    @discardableResult mutating func patienceEnded() -> String { play(.patienceEnded(standIn: standIn)) }

    @discardableResult mutating func flightFinished(_ outcome: FlightOutcome) -> String {
        play(.flightFinished(outcome, isOurs: true))
    }

    @discardableResult mutating func partEnded(_ end: PartEnd, isFirst: Bool = true) -> String {
        play(.partEnded(end, isFirst: isFirst))
    }

    // MARK: Events

    static func stored(_ status: Int = 200) -> StoredResponse {
        StoredResponse(
            key: CacheKey(of: .none, scope: .shared, target: Array("/v1/catalog/us/songs/1".utf8)), status: status,
            fields: [], body: Array("{}".utf8), receivedAt: 0, lifetime: Lifetime(freshFor: 60), classTag: 0,
            storefront: [], resources: [])
    }

    static func response(_ status: Int, _ fields: String = "") -> UpstreamResponse {
        let bytes = Array("HTTP/1.1 \(status) X\r\n\(fields)\r\n".utf8)
        var head = ResponseHead()
        var parser = HeadParser(limits: .response)
        guard (try? parser.parse(bytes.span, into: &head)) == true else {
            preconditionFailure("the test writes whole heads")
        }
        return UpstreamResponse(head, bytes.span, from: SiteAddress(isTLS: true, host: "a", port: 443))
    }

    static let failure = ExchangeFailure(status: 502, reason: .upstreamClosed)

    // MARK: As words

    private func words(_ step: ExchangeState.Step) -> String {
        var words: [String] = []
        switch step.timer {
        case .keep: break
        case .set(let deadline): words.append("wake after \((deadline - Self.start).milliseconds) ms")
        case .cancel: words.append("cancel timer")
        }
        if let response = step.invalidates { words.append("invalidate by \(response.status)") }
        if step.endsUserGeneration { words.append("end generation") }
        if let comparison = step.comparison { words.append("compare \(comparison.status)") }
        if let action = step.flight { words.append(Self.words(action)) }
        if let action = step.client { words.append(self.words(action)) }
        if let action = step.origin { words.append(Self.words(action)) }
        return words.joined(separator: ", ")
    }

    private static func words(_ action: ExchangeState.FlightAction) -> String {
        switch action {
        case .join: "join"
        case .begin: "begin"
        case .takeOver: "take over"
        case .finish(.stored(let stored, let status)): "finish stored \(stored.status) of \(status)"
        case .finish(.unstored(let response, let reason)): "finish unstored \(response.status) \(reason)"
        case .finish(.released): "finish released"
        case .finish(.leadersOwn(let failure)): "finish as its own \(failure.map { "\($0.reason)" } ?? "error")"
        case .finish(.failed(let failure)): "finish failed \(failure.reason)"
        }
    }

    private func words(_ action: ExchangeState.ClientAction) -> String {
        switch action {
        case .hint(let interim): "hint \(interim.status)"
        case .stored(let stored, let status): "answer \(stored.status) of \(Self.words(status))"
        case .stale(_, let cause, let status): "stale for \(cause) of \(Self.words(status))"
        case .composed(let stored, let cause, let status):
            "answer \(stored.status) of \(Self.words(status)) instead of \(cause)"
        case .substitute: words(action.settled(by: find))
        case .pass(let response, let reason): "pass \(response.status) \(reason)"
        case .refuse(let failure): "refuse \(failure.status) \(failure.reason)"
        case .beginStreaming(let response): "stream \(response.status)"
        case .stream(let bytes): "content \(bytes.count)"
        case .endStreaming: "end"
        case .breakOff(let reason): "break off \(reason)"
        case .abandon: "abandon"
        case .discard(let response): "discard \(response.status)"
        case .report(.stored): "report stored"
        case .report(.incomplete): "report incomplete"
        case .report(.tooLarge): "report too large"
        case .report(.unusable(let status)): "report unusable \(Self.words(status))"
        case .report(.refused(let response, let reason)): "report refused \(response.status) \(reason)"
        case .report(.failed(let failure)): "report failed \(failure.reason)"
        }
    }

    private static func words(_ status: Int?) -> String { status.map { "\($0)" } ?? "none" }

    private static func words(_ action: ExchangeState.OriginAction) -> String {
        switch action {
        case .send(let sending): words(sending)
        case .look: "look"
        case .fetchPart: "fetch part"
        case .joinBatch: "join batch"
        case .complete: "complete"
        case .renewToken: "renew token"
        case .store(let response): "store \(response.status)"
        case .freshen(let response): "freshen by \(response.status)"
        case .promote(let priority): "promote to \(priority)"
        case .pause: "pause"
        case .resume: "resume"
        case .cancel: "cancel"
        }
    }

    private static func words(_ sending: ExchangeState.Sending) -> String {
        var words = ["send", "\(sending.priority)"]
        if sending.validates { words.append("validating") }
        if sending.acceptsGzip { words.append("gzip") }
        if sending.inflates, !sending.acceptsGzip { words.append("inflating") }
        if !sending.repeats { words.append("once") }
        return words.joined(separator: " ")
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
