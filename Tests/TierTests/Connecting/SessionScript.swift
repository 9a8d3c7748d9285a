import EventLoop
import Testing

@testable import Tier

/// A session whose events a test plays, at times that it says.
struct SessionScript {
    typealias Action = SessionState.Action

    static let a = Endpoint(isTLS: false, host: "a", port: 6379)
    static let b = Endpoint(isTLS: false, host: "b", port: 6379)
    static let timeout: Duration = .milliseconds(50)
    static let ok = "+OK\r\n"
    /// The reply to the read of a key that is not there.
    static let none = "*1\r\n$-1\r\n"
    /// A master's reply to `ROLE`.
    static let masterRole = "*3\r\n$6\r\nmaster\r\n:0\r\n*0\r\n"
    /// The replies of a master to the greeting; those of a replica after it.
    static let master = ok + masterRole + none
    static let replica = ok + "*5\r\n$5\r\nslave\r\n$1\r\na\r\n:6379\r\n$9\r\nconnected\r\n:0\r\n" + none

    var state: SessionState
    var now = Instant(nanoseconds: 1_000_000_000_000)

    init(_ endpoints: [Endpoint] = [a], limits: SessionLimits = SessionLimits()) {
        state = SessionState(TierSettings(endpoints: endpoints, nodeName: "n1"), limits: limits)
    }

    static func ready(_ endpoints: [Endpoint] = [a], limits: SessionLimits = SessionLimits()) -> SessionScript {
        var script = SessionScript(endpoints, limits: limits)
        #expect(script.start() == [.dial(endpoints[0])])
        #expect(script.greet() == [.report(.connected(endpoints[0]))])
        return script
    }

    static func started(_ endpoints: [Endpoint] = [a]) -> SessionScript {
        var script = SessionScript(endpoints)
        #expect(script.start() == [.dial(endpoints[0])])
        return script
    }

    /// A session that has found its master and asked it these, one command each.
    static func asked(_ numbers: Int..., of endpoints: [Endpoint] = [a]) -> SessionScript {
        var script = ready(endpoints)
        for number in numbers { #expect(script.ask(number) == [wire(get(number))]) }
        return script
    }

    static func id(_ number: Int) -> SessionState.PipelineID { .init(number: number) }
    static func wire(_ commands: RESPCommand...) -> Action { .send(RESPCommand.pipeline(commands)) }
    static func get(_ number: Int) -> RESPCommand { RESPCommand("GET", "\(number)") }
    static func fail(_ numbers: Int...) -> [Action] { numbers.map { .fail(id($0)) } }
    static func unusable(_ failure: TierFailure, _ endpoint: Endpoint = a) -> Action {
        .report(.unusable(endpoint, failure))
    }

    static let greeting = wire(
        RESPCommand("CLIENT", "SETNAME", "refrain-n1"), RESPCommand("ROLE"),
        RESPCommand("MGET", "refrain:{refrain}:epoch"))

    mutating func start() -> [Action] { state.start(now: now) }

    /// A connection opens and the engine answers the greeting.
    mutating func greet(_ replies: String = master) -> [Action] {
        #expect(state.opened(now: now) == [Self.greeting])
        return receive(replies)
    }

    mutating func ask(_ number: Int, timeout: Duration? = nil) -> [Action] {
        state.submit(Self.id(number), [Self.get(number)], timeout: timeout, now: now)
    }

    mutating func receive(_ text: String) -> [Action] {
        let bytes = Array(text.utf8)
        return state.received(bytes.span, now: now)
    }

    /// The next connection comes about after a pause.
    mutating func reconnect() {
        #expect(wait(.milliseconds(100)) == [.dial(Self.a)])
        #expect(greet() == [])
    }

    mutating func refuse(_ failure: DialFailure = .connect("refused")) -> [Action] {
        state.dialFailed(failure, now: now)
    }

    mutating func lose() -> [Action] { state.lost(now: now) }

    /// Time passes, and due events happen, each at its time.
    mutating func wait(_ duration: Duration) -> [Action] {
        let end = now + duration
        var actions: [Action] = []
        while let wakeAt = state.wakeAt, wakeAt <= end {
            now = max(now, wakeAt)
            actions += state.tick(now: now)
        }
        now = end
        return actions
    }
}
