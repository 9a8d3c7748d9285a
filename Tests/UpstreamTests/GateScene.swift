import EventLoop
import HTTP
import Synchronization
import TestSupport

@testable import Upstream

/// Loops with a gate and a pool each, and one budget, in front of a scripted origin.
final class GateScene {
    let origin: ScriptedOrigin
    let loops: [EventLoop]
    let budget: UpstreamBudget
    let observers: [CountingObserver]
    private var gates: [UpstreamGate] = []

    init(
        _ origin: ScriptedOrigin, loops count: Int = 1, connections: Int = 1, budget: UpstreamBudget = UpstreamBudget(),
        _ adjust: (inout UpstreamSettings) -> Void = { _ in }
    ) throws {
        self.origin = origin
        loops = try (0..<count).map { try EventLoop(label: "gate test \($0)") }
        self.budget = budget
        observers = loops.map { _ in CountingObserver() }
        var settings = UpstreamSettings(
            endpoint: Endpoint(isTLS: false, host: "127.0.0.1", port: origin.port), maxConnections: connections)
        // A busy machine is no origin that cannot be reached.
        settings.timeouts.connect = .seconds(Patience.seconds(60))
        adjust(&settings)
        let resolver = Resolver()
        for (loop, observer) in zip(loops, observers) {
            gates.append(
                loop.sync {
                    UpstreamGate(
                        pool: UpstreamPool(settings: settings, tls: nil, loop: loop, resolver: resolver),
                        budget: budget, observer: observer, random: SeededGenerator(seed: 1))
                })
        }
    }

    deinit {
        for loop in loops { loop.sync {} }
        gates.removeAll()
        for loop in loops { loop.stop() }
    }

    func onLoop<R>(_ lane: Int = 0, _ body: (UpstreamGate) -> R) -> R {
        loops[lane].sync { body(gates[lane]) }
    }

    /// A request under way and its result.
    struct Sent {
        let exchange: UpstreamExchange
        let receiver: RecordingReceiver

        func end() async -> RecordingReceiver.End { await receiver.end() }
    }

    @discardableResult
    func send(
        _ path: String = "/", _ method: HTTP.Method = .get, lane: Int = 0, priority: UpstreamPriority = .waitingClient,
        of party: UpstreamParty = .everyone, within patience: Duration = .seconds(20), repeats: Int = 3,
        cancelling: RecordingReceiver.Call? = nil
    ) -> Sent {
        let head = "\(method.text) \(path) HTTP/1.1\r\nHost: origin.test\r\n\r\n"
        let receiver = RecordingReceiver(pausing: false, cancelling: cancelling)
        let exchange = onLoop(lane) { gate in
            defer { receiver.hasReturned = true }
            return gate.send(
                UpstreamRequest(method: method, head: Array(head.utf8)), priority: priority, party: party,
                label: UpstreamLabel(resourceClass: 0, purpose: 0, route: 0, spender: .everyone),
                deadline: gate.loop.now + patience,
                repeats: repeats, to: receiver)
        }
        return Sent(exchange: exchange, receiver: receiver)
    }

    func cancel(_ sent: Sent, lane: Int = 0) {
        onLoop(lane) { _ in sent.exchange.cancel() }
    }

    /// The targets that the origin was asked for, connection by connection.
    var targets: [String] { origin.requests.joined().map { String($0.split(separator: " ")[1]) } }

    func count(_ note: CountingObserver.Note) -> Int {
        observers.reduce(0) { $0 + $1.count(note) }
    }
}

/// Counts a gate's events for its requests; read from any thread.
final class CountingObserver: UpstreamObserver, Sendable {
    enum Note { case queued, lackedShare, started, refused, rateLimited, repeated }

    private let notes = Mutex<[Note]>([])

    func count(_ note: Note) -> Int { notes.withLock { $0.count { $0 == note } } }

    private func add(_ note: Note) { notes.withLock { $0.append(note) } }

    func upstreamQueued() { add(.queued) }
    func upstreamLacksShare() { add(.lackedShare) }
    func upstreamStarted(_ label: UpstreamLabel, isRepeated: Bool) { add(.started) }
    func upstreamRefused() { add(.refused) }
    func upstreamRateLimited() { add(.rateLimited) }
    func upstreamRepeated() { add(.repeated) }
    func upstreamAnswered(_ priority: UpstreamPriority, status: Int?, after time: Duration?) {}
}
