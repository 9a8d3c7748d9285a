import EventLoop
import TestSupport
import Testing

@testable import HTTP
@testable import Upstream

/// Random events against the promises in the head of PoolState.swift.
@Suite struct PoolStatePropertyTests {
    /// The runner and the outside world, as far as the promises speak of them.
    private struct World {
        var pool: PoolState
        var now = Instant(nanoseconds: 1_000_000_000_000)
        var starting: Set<PoolState.ConnectionID> = []
        var leased: [PoolState.ConnectionID: PoolState.RequestID] = [:]
        var open: Set<PoolState.ConnectionID> = []
        var pending: Set<PoolState.RequestID> = []
        var sent: [PoolState.RequestID: Int] = [:]
        var isReplayable: [PoolState.RequestID: Bool] = [:]

        mutating func perform(_ actions: ActionList<PoolState.Action>) {
            for action in actions {
                switch action {
                case .open(let connection):
                    #expect(open.insert(connection).inserted)
                    starting.insert(connection)
                case .lease(let connection, let request, _):
                    #expect(open.contains(connection) && leased[connection] == nil)
                    #expect(pending.contains(request))
                    starting.remove(connection)
                    leased[connection] = request
                    sent[request, default: 0] += 1
                    #expect(sent[request]! <= (isReplayable[request]! ? 2 : 1))
                case .close(let connection):
                    #expect(open.remove(connection) != nil)
                    starting.remove(connection)
                    leased[connection] = nil
                case .fail(let request, _):
                    #expect(pending.remove(request) != nil)
                }
            }
        }

        func check() {
            #expect(pool.connections.count <= pool.settings.maxConnections)
            #expect(Set(leased.values).count == leased.count)
            #expect(pool.counts.leased == leased.count)
            #expect(pool.counts.starting == starting.count)
            #expect(pool.idle.count == open.count - leased.count - starting.count)
            #expect(pool.waiting.count == pending.count - leased.count)
            #expect(pending.isEmpty || pool.wakeAt != nil, "a request without a deadline")
        }
    }

    @Test(arguments: 0..<TestSize.of(8, release: 20) as Range<UInt64>)
    func promisesHoldForAnyEvents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var settings = UpstreamSettings(
            endpoint: Endpoint(isTLS: false, host: "origin.test", port: 80),
            maxConnections: Int.random(in: 1...5, using: &random))
        settings.maxWaiting = Int.random(in: 1...8, using: &random)
        var world = World(pool: PoolState(settings: settings))
        for step in 0..<400 {
            event(step, &world, &random)
            world.check()
        }
        // With no answers at all, every request still ends, and so does every connection.
        for _ in 0..<200 {
            guard let wakeAt = world.pool.wakeAt else { break }
            world.now = max(world.now, wakeAt)
            for connection in world.starting.sorted() where Bool.random(using: &random) {
                world.starting.remove(connection)
                world.perform(world.pool.connected(connection, now: world.now))
            }
            world.perform(world.pool.tick(now: world.now))
        }
        #expect(world.pending.isEmpty, "seed \(seed)")
        #expect(world.open.isEmpty, "seed \(seed)")
        #expect(world.pool.connections.isEmpty, "seed \(seed)")
    }

    private func event(_ step: Int, _ world: inout World, _ random: inout SeededGenerator) {
        let now = world.now
        switch Int.random(in: 0..<12, using: &random) {
        case 0...3:
            let request = PoolState.RequestID(number: step)
            let isReplayable = Bool.random(using: &random)
            world.pending.insert(request)
            world.isReplayable[request] = isReplayable
            world.perform(world.pool.submit(request, isReplayable: isReplayable, now: now))
        case 4, 5:
            guard let connection = world.starting.sorted().randomElement(using: &random) else { return }
            world.starting.remove(connection)
            world.perform(world.pool.connected(connection, now: now))
        case 6:
            guard let connection = world.starting.sorted().randomElement(using: &random) else { return }
            world.perform(world.pool.connectFailed(connection, .connect("refused"), now: now))
        case 7, 8:
            guard let (connection, request) = world.leased.min(by: { $0.key < $1.key }) else { return }
            world.leased[connection] = nil
            world.pending.remove(request)
            world.perform(world.pool.finished(connection, isReusable: Bool.random(using: &random), now: now))
        case 9:
            guard let (connection, _) = world.leased.max(by: { $0.key < $1.key }) else { return }
            let isReused = Bool.random(using: &random)
            world.perform(world.pool.broke(connection, .closedEarly(.nothing(isReused: isReused)), now: now))
        case 10:
            guard let request = world.pending.min(by: { $0.number < $1.number }) else { return }
            world.pending.remove(request)
            world.perform(world.pool.cancel(request, now: now))
        default:
            world.now = now + .milliseconds(Int.random(in: 1...9000, using: &random))
            world.perform(world.pool.tick(now: world.now))
        }
    }
}
