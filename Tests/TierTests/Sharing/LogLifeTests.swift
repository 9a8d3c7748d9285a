import TestSupport
import Testing

@testable import Cache
@testable import Store
@testable import Tier

/// What becomes of the log, and what nodes make of it: they catch up, or take everything for stale.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct LogLifeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aNodeThatWasAwayCatchesUpBeforeItIsReady() async throws {
        let engine = try RedisServer()
        let a = try NodeScene([engine.endpoint], "a") { $1.purgePatience = .milliseconds(1) }
        var b = try NodeScene([engine.endpoint], "b", file: folder.file("b.sqlite"))
        a.ready()
        b.ready()
        b.store("/1", "/2", "/3")
        #expect(b.breaks.count == 1)
        b.end()
        // More than a page of them.
        let scene = try TierScene([engine.endpoint])
        let record = try #require(PurgeRecord(EntrySelection([target("/other")]), .hard, at: noon, by: "a"))
        let fill = RESPCommand(
            [Array("XADD".utf8), TierKeys(prefix: "refrain").purges, Array("*".utf8)] + record.fields)
        for _ in 0..<6 { _ = await scene.begin(Array(repeating: fill, count: 100)).replies() }
        _ = await a.purge(target("/1"))
        _ = await a.purge(target("/2"), mode: .soft)
        b = try NodeScene([engine.endpoint], "b", file: folder.file("b.sqlite"))
        waitUntil {
            let isReady = b.board.status.standing == .ready
            let freshness = ["/1", "/2", "/3"].map { b.isFresh($0) }
            if isReady { #expect(freshness == [nil, false, true]) }
            return isReady
        }
        #expect(b.breaks.isEmpty, "\(b.lines)")
        waitUntil { a.knowledge.fence == b.knowledge.fence }
    }

    @Test func theMarkOutlivesTheProcessAndIsNotAheadOfTheDisk() async throws {
        let engine = try RedisServer()
        var a = try NodeScene([engine.endpoint], "a", file: folder.file("a.sqlite"))
        a.ready()
        a.store("/1", "/2")
        #expect(await a.purge(target("/1")).purged == 1)
        let fence = try #require(a.knowledge.fence)
        a.end()
        // As after a crash, the file alone tells.
        let database = try Database(path: folder.file("a.sqlite"), mode: .readOnly, busyTimeout: .zero)
        let select = try Statement(database, "SELECT value FROM fact WHERE name = 'purge_log'")
        #expect(try select.firstRow { $0.text(0) } == fence.text)
        #expect(try database.integer("SELECT count(*) FROM entry WHERE target = '/1'") == 0)
        engine.kill()
        a = try NodeScene([engine.endpoint], "a", file: folder.file("a.sqlite"))
        waitUntil { a.knowledge.fence == fence }
        #expect(a.isFresh("/2") == true && a.board.status.standing == .away && a.breaks.isEmpty)
    }

    @Test func anEngineThatWasEmptiedMakesEverythingStale() async throws {
        let engine = try RedisServer()
        let scene = try TierScene([engine.endpoint])
        let a = try NodeScene([engine.endpoint])
        a.ready()
        a.store("/1")
        let before = a.knowledge.fence
        _ = await scene.send(RESPCommand("FLUSHALL"))
        waitUntil { a.breaks.count == 2 && a.board.status.standing == .ready }
        #expect(a.breaks[1].contains("begun anew: 1 stored answer is") && a.isFresh("/1") == false)
        #expect(a.knowledge.fence?.epoch != before?.epoch)
        a.store("/1")
        #expect(await a.purge(target("/1")).purged == 1)
    }

    /// With its data it goes on: everything was taken for stale on every node.
    @Test(arguments: [false, true])
    func anEngineThatIsStartedAnewGoesOnIfItHasItsData(isKept: Bool) async throws {
        let engine = try RedisServer(isKept ? ["--appendonly", "yes", "--appendfsync", "always"] : [])
        let a = try NodeScene([engine.endpoint])
        let b = try NodeScene([engine.endpoint], "b")
        a.ready()
        b.ready()
        waitUntil { a.board.status.aliveCount == 2 && b.board.status.aliveCount == 2 }
        _ = await a.purge(target("/1"))
        a.store("/2")
        let before = try #require(a.knowledge.fence)
        engine.kill()
        waitUntil { a.board.status.standing == .away }
        try engine.start()
        waitUntil { a.board.status.standing == .ready && a.breaks.count == (isKept ? 1 : 2) }
        #expect((a.knowledge.fence == before) == isKept && a.isFresh("/2") == isKept)
        waitUntil { b.board.status.standing == .ready && b.knowledge.fence == a.knowledge.fence }
        #expect(b.breaks.count == a.breaks.count)
        #expect(await a.purge(target("/2")).missing.isEmpty && a.isFresh("/2") == nil)
    }

    @Test func anEngineThatIsStartedAnewWithoutItsLatestPurgeIsInAnotherLife() async throws {
        let engine = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
        let scene = try TierScene([engine.endpoint])
        let a = try NodeScene([engine.endpoint], "a")
        let b = try NodeScene([engine.endpoint], "b")
        a.ready()
        b.ready()
        waitUntil { a.board.status.aliveCount == 2 && b.board.status.aliveCount == 2 }
        _ = await a.purge(target("/1"))
        let lost = try #require(a.knowledge.fence).position
        b.store("/2")
        // As if the disk had not had it.
        _ = await scene.send(RESPCommand("XDEL", "refrain:purges", lost.text))
        engine.kill()
        try engine.start()
        waitUntil { [a, b].allSatisfy { $0.breaks.count == 2 && $0.board.status.standing == .ready } }
        #expect(b.isFresh("/2") == false)
    }

    @Test func aReplicaThatTakesOverWithAllPurgesGoesOn() async throws {
        let engine = try RedisServer()
        let replica = try RedisServer(["--replicaof", "127.0.0.1", "\(engine.port)"])
        let a = try NodeScene([engine.endpoint, replica.endpoint])
        a.ready()
        await a.purge(target("/1"), until: \.replicated)
        waitUntil { a.board.status.standing == .ready }
        let before = try #require(a.knowledge.fence)
        engine.kill()
        waitUntil { a.board.status.standing == .away }
        let direct = try RawClient(port: replica.port)
        try direct.send(RESPCommand.pipeline([RESPCommand("REPLICAOF", "NO", "ONE")]))
        #expect(direct.read(5) == Array("+OK\r\n".utf8))
        waitUntil { a.board.status.standing == .ready }
        #expect(a.knowledge.fence?.epoch == before.epoch && a.breaks.count == 1)
    }

    @Test func theLogIsTrimmedButForTheNewestOldEntry() async throws {
        let engine = try RedisServer()
        let scene = try TierScene([engine.endpoint])
        let record = try #require(PurgeRecord(EntrySelection([target("/1")]), .hard, at: noon, by: "b"))
        let keys = TierKeys(prefix: "refrain")
        for id in ["1000-0", "2000-0", "3000-0"] {
            _ = await scene.send(RESPCommand([Array("XADD".utf8), keys.purges, Array(id.utf8)] + record.fields))
        }
        let a = try NodeScene([engine.endpoint])
        a.ready()
        var ids: [[UInt8]] = []
        while ids.count != 1 {
            let range = await scene.send(
                RESPCommand([Array("XRANGE".utf8), keys.purges] + ["-", "+"].map { Array($0.utf8) }))
            ids = range?[0].elements?.compactMap { $0.elements?.first?.bytes } ?? []
        }
        #expect(ids == [Array("3000-0".utf8)])
        // Who has read it all goes on.
        #expect(await a.purge(target("/1")).missing.isEmpty)
        #expect(a.breaks.count == 1 && a.board.status.standing == .ready)
    }

    @Test func clocksAreCompared() async throws {
        let engine = try RedisServer()
        let scene = try TierScene([engine.endpoint])
        let a = try NodeScene([engine.endpoint])
        waitUntil { a.board.status.skew != nil }
        let time = try #require(await scene.send(RESPCommand("TIME"))?[0].elements?.first?.bytes)
        let seconds = try #require(Int64(String(decoding: time, as: UTF8.self)))
        // The node's clock stands still at noon.
        #expect(abs(try #require(a.board.status.skew).components.seconds - (noon - seconds)) < 600)
    }
}
