import Foundation
import TestSupport
import Testing

/// F21: the engine of three nodes is away, full, empty, slow or talks nonsense, while clients ask
/// all of them. Passes where each request is answered rightly, and nothing older than purges have
/// promised.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(.redis))
struct EngineFaultTests {
    enum Fault: CaseIterable {
        case killed, frozen, full, flushed, garbage, halves, swallowing, doubling, late40, late200
    }

    private static let drawn = TestSize.of(3, full: Fault.allCases.count)
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
                for fault in Fault.allCases.shuffled(using: &generator).prefix(Self.drawn) {
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
        for figures in parts {
            #expect(figures.failed.isEmpty, "\(fault), seed \(seed): \(figures.failed.prefix(5))")
            #expect(figures.wrong.isEmpty, "\(fault), seed \(seed): \(figures.wrong.prefix(5))")
            #expect(figures.outdated.isEmpty, "\(fault), seed \(seed): \(figures.outdated.prefix(5))")
        }
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
        case .garbage: house.become(.garbage)
        case .halves: house.become(.halves)
        case .swallowing: house.become(.swallowing)
        case .doubling: house.become(.doubling)
        case .late40: house.become(.late(40))
        case .late200: house.become(.late(200))
        }
    }

    private static func end(_ fault: Fault, _ house: NodeHouse, _ engine: RedisServer) throws {
        switch fault {
        case .killed: try engine.start()
        case .frozen: engine.send(SIGCONT)
        case .full: try engine.ask("CONFIG SET maxmemory 0")
        case .flushed: break
        case .garbage, .halves, .swallowing, .doubling, .late40, .late200: house.become(.passing)
        }
    }
}

extension NodeHouse {
    /// All links.
    fileprivate func become(_ manner: EngineRelay.Manner) { for relay in relays { relay.become(manner) } }
}
