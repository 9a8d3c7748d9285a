import Foundation
import TestSupport
import Testing

/// F21: the engine of three nodes is away, full, empty, slow or talks nonsense, while clients ask
/// all of them. Passes where each request is answered rightly, and nothing older than purges have
/// promised.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(.redis))
struct EngineFaultTests {
    private enum Fault {
        case killed, frozen, full, flushed
        /// The links of all nodes.
        case links(EngineRelay.Manner)

        static let all: [Fault] = [
            .killed, .frozen, .full, .flushed, .links(.garbage), .links(.halves), .links(.swallowing),
            .links(.doubling), .links(.late(40)), .links(.late(200)),
        ]
    }

    private static let drawn = TestSize.of(3, full: Fault.all.count)
    private static let rounds = TestSize.of(1, release: 30)
    private static let answers = TestSize.of(120, release: 400)
    private static let purges = TestSize.of(1, release: 3)

    @Test func whateverTheEngineDoesClientsAreAnsweredRightly() async throws {
        try await onThread {
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            let engine = try RedisServer()
            let house = try NodeHouse(engine: engine.port, seed: seed)
            let clients = NodeClients(house.promises, nodes: NodeHouse.names.count, threads: 4, seed: seed)
            defer { _ = clients.stop() }
            for _ in 0..<Self.rounds {
                for fault in Fault.all.shuffled(using: &generator).prefix(Self.drawn) {
                    try Self.run(fault, house, engine, clients, &generator, seed)
                }
            }
            #expect(house.areRunning, "\(house.log)")
        }
    }

    private static func run(
        _ fault: Fault, _ house: NodeHouse, _ engine: RedisServer, _ clients: NodeClients,
        _ generator: inout SeededGenerator, _ seed: UInt64
    ) throws {
        let before = answer(clients)
        try begin(fault, house, engine)
        let first = answer(clients, answers / 3)
        for _ in 0..<purges {
            _ = house.purge(
                .random(in: 0..<VersionedOrigin.albums, using: &generator), isHard: Bool.random(using: &generator),
                at: .random(in: 0..<NodeHouse.names.count, using: &generator))
        }
        let then = answer(clients)
        try end(fault, house, engine)
        try house.settle()
        let after = answer(clients)
        let parts = [before, first, then, after]
        for (name, figures) in zip(["before", "at first", "then", "after"], parts) {
            FigureTable.note("F21 faults of the engine", "\(fault), \(name): \(figures); seed \(seed)")
        }
        for figures in parts { figures.judge("\(fault), seed \(seed)") }
    }

    /// Waits for `count` answers, or until no more come.
    private static func answer(_ clients: NodeClients, _ count: Int = Self.answers) -> NodeClients.Figures {
        waitUntil(within: 120) { clients.answerCount >= count }
        return clients.take()
    }

    private static func begin(_ fault: Fault, _ house: NodeHouse, _ engine: RedisServer) throws {
        switch fault {
        case .killed:
            engine.kill()
            house.promises.logWasLost()
        case .frozen: engine.send(SIGSTOP)
        case .full:
            try engine.ask("CONFIG SET maxmemory-policy noeviction")
            try engine.ask("CONFIG SET maxmemory 1")
        case .flushed:
            try engine.ask("FLUSHALL")
            house.promises.logWasLost()
        case .links(let manner): for relay in house.relays { relay.become(manner) }
        }
    }

    private static func end(_ fault: Fault, _ house: NodeHouse, _ engine: RedisServer) throws {
        switch fault {
        case .killed: try engine.start()
        case .frozen: engine.send(SIGCONT)
        case .full: try engine.ask("CONFIG SET maxmemory 0")
        case .flushed: break
        case .links: for relay in house.relays { relay.become(.passing) }
        }
    }
}
