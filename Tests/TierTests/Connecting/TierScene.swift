import EventLoop
import Synchronization
import TestSupport
import Testing

@testable import Tier

/// A loop with a connection to engines. Timeouts are long: no reply is late unless a test wants
/// that.
final class TierScene {
    static let patient: Duration = .seconds(600)

    let loop: EventLoop
    private var connection: TierConnection?
    private let log: LogLines

    init(
        _ endpoints: [Endpoint], resolver: Resolver = Resolver(), _ adjust: (inout TierSettings) -> Void = { _ in }
    ) throws {
        var settings = TierSettings(endpoints: endpoints, nodeName: "a")
        settings.timeout = TierScene.patient
        adjust(&settings)
        let (loop, log) = (try EventLoop(label: "tier test"), LogLines())
        (self.loop, self.log) = (loop, log)
        connection = loop.sync {
            TierConnection(settings, limits: Self.limits, resolver: resolver, loop: loop) { log.add($0) }
        }
    }

    deinit {
        loop.sync {
            connection?.close()
            connection = nil
        }
        loop.stop()
    }

    /// The usual ones, but for dialling, which may take as long as a busy machine wants.
    static let limits: SessionLimits = {
        var limits = SessionLimits()
        limits.dialTimeout = patient
        return limits
    }()

    func onLoop<R>(_ body: (TierConnection) -> R) -> R { loop.sync { body(connection!) } }

    var status: TierStatus { onLoop { $0.status } }
    var lines: [String] { log.all }

    /// Sends, and returns at once; the outcome can be waited for.
    func begin(_ commands: [RESPCommand], timeout: Duration? = nil) -> Outcome {
        let outcome = Outcome()
        onLoop { $0.send(commands, timeout: timeout) { outcome.end($0) } }
        return outcome
    }

    func send(_ commands: RESPCommand..., timeout: Duration? = nil) async -> [RESPReply]? {
        await begin(commands, timeout: timeout).replies()
    }

    func echo(_ text: String, timeout: Duration? = nil) async -> [RESPReply]? {
        await send(RESPCommand("ECHO", text), timeout: timeout)
    }

    func connected(sourceLocation: SourceLocation = #_sourceLocation) {
        waitUntil(sourceLocation: sourceLocation) { self.status.isConnected }
    }
}

/// The replies that a completion was called with; traps at a second call.
final class Outcome: Sendable {
    private let ends = AsyncStream<[RESPReply]?>.makeStream()
    private let calls = Atomic(0)

    func end(_ replies: [RESPReply]?) {
        precondition(calls.add(1, ordering: .relaxed).newValue == 1, "called twice")
        ends.continuation.yield(replies)
    }

    func replies() async -> [RESPReply]? {
        for await replies in ends.stream { return replies }
        return nil
    }
}

final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
