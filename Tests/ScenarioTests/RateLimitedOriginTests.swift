import Foundation
import HTTP
import Proxy
import Server
import Simulator
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import EventLoop

/// The budget against the simulated API with a limit on its rate: distinct misses without end, over
/// real sockets.
@Suite(.timeLimit(.minutes(10))) struct RateLimitedOriginTests {
    private static let perSecond = 40

    private struct Counts {
        var isOver = false
        /// Answers other than 429.
        var answered = 0
        /// 429s for which there was no repeat left, and failures.
        var lost = 0
    }

    /// Asks for one album after the other until it is told to stop. Confined to its gate's loop.
    private final class Asking: UpstreamReceiver {
        private let gate: UpstreamGate
        private let loop: EventLoop
        private let counts: Shared
        private var number: Int

        final class Shared: Sendable {
            let counts = Mutex(Counts())
        }

        init(_ gate: UpstreamGate, _ loop: EventLoop, _ counts: Shared, first: Int) {
            self.gate = gate
            self.loop = loop
            self.counts = counts
            number = first
        }

        func ask() {
            guard !counts.counts.withLock({ $0.isOver }) else { return }
            number += 1
            let head = "GET /v1/catalog/us/albums/\(number) HTTP/1.1\r\nHost: x\r\n\r\n"
            _ = gate.send(
                UpstreamRequest(method: .get, head: Array(head.utf8)), priority: .waitingClient,
                label: UpstreamLabel(resourceClass: 0, purpose: 0, route: 0, spender: .everyone),
                deadline: loop.now + .seconds(30), to: self)
        }

        func upstream(_ exchange: UpstreamExchange, _ event: UpstreamEvent) {
            switch event {
            case .answered(let response):
                counts.counts.withLock { counts in
                    if response.status == 429 { counts.lost += 1 } else { counts.answered += 1 }
                }
                ask()
            case .failed: counts.counts.withLock { $0.lost += 1 }
            case .interim, .began, .received, .finished: break
            }
        }
    }

    @Test func saturatingMissesGetNearlyAllThatTheOriginAllowsAndFew429s() async throws {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        configuration.latency = .milliseconds(20)
        try configuration.addFault("limit:\(Self.perSecond)/s")
        let api = SimulatedAPI(configuration: configuration)
        let origin = try ServiceHost(
            label: "limited", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { context in SimulatorService(api, context: context) }
        defer { origin.stop() }

        let (budget, resolver, shared) = (UpstreamBudget(), Resolver(), Asking.Shared())
        let loops = try (0..<2).map { try EventLoop(label: "limited \($0)") }
        let statistics = loops.map { _ in Statistics() }
        for (loop, statistics) in zip(loops, statistics) {
            loop.sync {
                let settings = UpstreamSettings(
                    endpoint: Endpoint(isTLS: false, host: "127.0.0.1", port: origin.address.port),
                    maxConnections: 16)
                let pool = UpstreamPool(settings: settings, tls: nil, loop: loop, resolver: resolver)
                let gate = UpstreamGate(pool: pool, budget: budget, observer: statistics)
                for client in 0..<20 { Asking(gate, loop, shared, first: client * 1_000_000).ask() }
            }
        }
        try await Task.sleep(for: .seconds(5))
        let (before, refusedBefore) = (shared.counts.withLock { $0 }, sum(.rateLimited, statistics))
        try await Task.sleep(for: .seconds(6))
        let (after, refusedAfter) = (shared.counts.withLock { $0 }, sum(.rateLimited, statistics))
        shared.counts.withLock { $0.isOver = true }
        for loop in loops { loop.stop() }

        let (answered, refused) = (after.answered - before.answered, refusedAfter - refusedBefore)
        FigureTable.note(
            "a limit of \(Self.perSecond)/s",
            "\(answered * 100 / (6 * Self.perSecond)) % of it answered in 6 s, \(refused) times 429")
        // Generous: the machine may be busy with other things.
        #expect(answered > 6 * Self.perSecond / 2 && answered <= 8 * Self.perSecond)
        #expect(refused * 5 < answered)
        #expect(after.lost < 20)
        let rate = try #require(budget.snapshot.rate)
        #expect((Self.perSecond / 2...Self.perSecond * 3 / 2).contains(rate))
    }

    private func sum(_ counter: Counter, _ statistics: [Statistics]) -> Int {
        statistics.reduce(0) { $0 + $1[counter] }
    }
}
