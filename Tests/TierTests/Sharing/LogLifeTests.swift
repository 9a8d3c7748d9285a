import TestSupport
import Testing

@testable import Store
@testable import Tier

/// Nodes after a change of the log: they catch up, or take everything for stale.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct LogLifeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aReturningNodeCatchesUpFirst() async throws {
        let engine = try RedisServer()
        let a = try NodeScene([engine.endpoint], "a") { $1.purgePatience = .milliseconds(1) }
        var b = try NodeScene([engine.endpoint], "b", file: folder.file("b.sqlite"))
        a.ready()
        b.ready()
        b.store("/1", "/2", "/3")
        #expect(b.breaks.count == 1)
        b.end()
        let database = try Database(path: folder.file("b.sqlite"), mode: .readOnly, busyTimeout: .zero)
        #expect(try database.integer("SELECT count(*) FROM fact WHERE name = 'purge_log'") == 1)
        _ = await a.purge(target("/1"))
        _ = await a.purge(target("/2"), mode: .soft)
        b = try NodeScene([engine.endpoint], "b", file: folder.file("b.sqlite"))
        waitUntil {
            let isReady = b.board.status.readiness == .ready
            let freshness = ["/1", "/2", "/3"].map { b.isFresh($0) }
            if isReady { #expect(freshness == [nil, false, true]) }
            return isReady
        }
        #expect(b.breaks.isEmpty, "\(b.lines)")
        waitUntil { a.knowledge.logMark == b.knowledge.logMark }
    }

    /// Every node took everything for stale though the engine still had the log.
    @Test(arguments: [false, true])
    func aRestartedEngineWithItsDataGoesOn(isKept: Bool) async throws {
        let engine = try RedisServer(isKept ? ["--appendonly", "yes", "--appendfsync", "always"] : [])
        let (a, b) = try NodeScene.pair(engine)
        _ = await a.purge(target("/1"))
        a.store("/2")
        let before = try #require(a.knowledge.logMark)
        engine.kill()
        waitUntil { a.board.status.readiness == .away }
        try engine.start()
        waitUntil { a.board.status.readiness == .ready && a.breaks.count == (isKept ? 1 : 2) }
        #expect((a.knowledge.logMark == before) == isKept && a.isFresh("/2") == isKept)
        waitUntil { b.board.status.readiness == .ready && b.knowledge.logMark == a.knowledge.logMark }
        #expect(b.breaks.count == a.breaks.count)
        #expect(await a.purge(target("/2")).missing.isEmpty && a.isFresh("/2") == nil)
    }

    @Test func aReplicaThatTakesOverWithAllPurgesGoesOn() async throws {
        let engine = try RedisServer()
        let replica = try RedisServer(["--replicaof", "127.0.0.1", "\(engine.port)"])
        let a = try NodeScene([engine.endpoint, replica.endpoint])
        a.ready()
        await a.purge(target("/1"), until: \.replicated)
        waitUntil { a.board.status.readiness == .ready }
        let before = try #require(a.knowledge.logMark)
        engine.kill()
        waitUntil { a.board.status.readiness == .away }
        let direct = try RawClient(port: replica.port)
        try direct.send(RESPCommand.pipeline([RESPCommand("REPLICAOF", "NO", "ONE")]))
        #expect(direct.read(5) == Array("+OK\r\n".utf8))
        waitUntil { a.board.status.readiness == .ready }
        #expect(a.knowledge.logMark?.epoch == before.epoch && a.breaks.count == 1)
    }
}
