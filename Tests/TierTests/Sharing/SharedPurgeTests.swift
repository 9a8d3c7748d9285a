import Glibc
import Purging
import Store
import TestSupport
import Testing

@testable import Tier

/// Several nodes and a real engine: a purge reaches all, or the report names the missing ones.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct SharedPurgeTests {
    private let engine: RedisServer

    init() throws { engine = try RedisServer() }

    @Test func aPurgeReachesEveryNode() async throws {
        let nodes = try ["a", "b", "c"].map { try NodeScene([engine.endpoint], $0) }
        for node in nodes {
            node.ready()
            node.store("/1", "/2")
        }
        waitUntil { nodes[0].board.status.aliveCount == 3 }
        let counted = await nodes[0].purge(target("/1"), mode: .dryRun)
        #expect(counted == PurgeReport(purged: 1, replication: .unlogged, missing: [], nodes: 1), "here alone")
        #expect(nodes[0].isFresh("/1") == true)
        let report = await nodes[0].purge(target("/1"))
        #expect(report == PurgeReport(purged: 1, replication: .noReplica, missing: [], nodes: 3))
        for node in nodes {
            #expect(node.isFresh("/1") == nil && node.isFresh("/2") == true)
            #expect(node.board.status.readiness == .ready)
            let line = "purged 1 entry (hard), requested on node a: target /1"
            // It is said once the node has counted.
            if node.name != "a" { waitUntil { node.lines.contains(line) } }
            #expect(node.lines.count { $0 == line } == (node.name == "a" ? 0 : 1), "\(node.lines)")
        }
        let soft = await nodes[2].purge(target("/2"), mode: .soft)
        #expect(soft.purged == 1 && soft.reached == 3 && !soft.replicated)
        for node in nodes { #expect(node.isFresh("/2") == false) }
        // A node that has left is not missing.
        await nodes[1].leave()
        waitUntil { nodes[0].board.status.nodes.count == 2 }
        #expect(await nodes[0].purge(target("/1")).nodes == 2)
    }

    /// The older node's keys have no hash tag: neither hears of the other's purges.
    @Test func aNodeOfAnOlderVersionIsNamed() async throws {
        let time = try #require(Int64(engine.words("TIME")[1]))
        let record = "address=o:1 version=1.0.0 process=9 started=1 ready=1 seen=\(time * 1_000 + 600_000)"
        try engine.ask("HSET refrain:nodes old \"\(record)\"")
        let node = try NodeScene([engine.endpoint])
        node.ready()
        let line = "purge log: node old at o:1 is of an older version (1.0.0), which shares nothing with this one"
        waitUntil { node.lines.contains { $0.hasPrefix(line) } }
        let report = await node.purge(target("/1"))
        #expect(report.missing.map(\.name) == ["old"] && report.nodes == 2)
        let old = try #require(node.board.status.nodes.last)
        #expect(old.words(in: node.board.status) == "incompatible (older version)" && node.board.status.aliveCount == 1)
        // It has ended, or is upgraded.
        try engine.ask("DEL refrain:nodes")
        waitUntil { node.board.status.nodes.count == 1 }
        #expect(node.lines.count { $0.hasPrefix(line) } == 1)
    }

    @Test func theLogOfAFullEngineIsRead() async throws {
        let (a, b) = try NodeScene.pair(engine)
        for node in [a, b] { node.store("/1", "/2") }
        #expect(await a.purge(target("/1")).reached == 2)
        try engine.fill()
        // It holds here, and the others hear of it later.
        #expect(await a.purge(target("/2")).replication == .unlogged && a.isFresh("/2") == nil)
        #expect(a.lines.contains("purge log: a purge was not accepted: OOM"))
        waitUntil { a.lines.contains { $0.contains("refused: OOM command not allowed") } }
        waitUntil { a.lines.contains("purge log: the engine does not list this node: OOM") }
        let c = try NodeScene([engine.endpoint], "c")
        c.ready()
        #expect(a.board.status.readiness == .ready && b.board.status.readiness == .ready)
        #expect(!(a.lines + b.lines + c.lines).contains { $0.contains("cannot be read") })
        try engine.refuseNothing()
        waitUntil { b.isFresh("/2") == nil }
    }

    @Test func aReplicaThatHasThePurgeIsToldOf() async throws {
        let replica = try RedisServer(["--replicaof", "127.0.0.1", "\(engine.port)"])
        let node = try NodeScene([engine.endpoint])
        node.ready()
        let report = await node.purge(target("/1"), until: \.replicated)
        #expect(report.replication == .acknowledged && report.missing.isEmpty)
        // The replica is there and says nothing.
        replica.send(SIGSTOP)
        #expect(await node.purge(target("/1")).replication == .missed)
        replica.send(SIGCONT)
    }

    @Test func aPurgeInHandEndsWithTheFollower() async throws {
        let node = try NodeScene([engine.endpoint])
        node.ready()
        engine.send(SIGSTOP)
        let reports = node.begin(EntrySelection([target("/1")]))
        node.end()
        #expect(await reports.first { _ in true }?.replication == .unlogged)
        #expect(node.knowledge.logMark == nil && node.board.status == SharingStatus())
    }

    @Test func aNodeWithAFailingDiskIsMissing() async throws {
        let folder = try TemporaryFolder()
        let (a, b) = try NodeScene.pair(engine, file: folder.file("b.sqlite")) {
            $0.purgePatience = .milliseconds(100)
        }
        let before = b.knowledge.logMark
        b.cache.close()
        let report = await a.purge(target("/1"))
        #expect(report.missing.map(\.name) == ["b"])
        waitUntil { b.board.status.lag == 1 }
        #expect(b.knowledge.logMark == before)
        // Asked for there, it cannot say how many.
        #expect(await b.purge(target("/1")).purged == nil)
    }

    @Test func withAFrozenEngineAPurgeIsLocal() async throws {
        let (a, b) = try NodeScene.pair(engine) { $0.patience = .milliseconds(200) }
        a.store("/1")
        engine.send(SIGSTOP)
        waitUntil { a.board.status.readiness == .away && b.board.status.readiness == .away }
        let report = await a.purge(target("/1"))
        #expect(report.purged == 1 && report.replication == .unlogged && report.missing.map(\.name) == ["b"])
        #expect(a.isFresh("/1") == nil)
        // The state of other nodes did not change any more, and looked new.
        #expect(a.board.status.words == "engine away since 2027-01-15T08:00:00Z")
        waitUntil { a.board.status.nodes.contains { $0.name == "b" && $0.lastSeen >= 2 } }
        #expect(a.board.status.nodes.map { $0.words(in: a.board.status) } == ["engine away", "unknown"])
        engine.send(SIGCONT)
        a.ready()
        b.ready()
        #expect(a.board.status.words == "ready" && a.board.status.awaySince == nil)
        #expect(a.breaks.count == 1 && b.breaks.count == 1, "\(a.lines)")
    }

    /// The tier gave a purged value back to the node that had purged it.
    @Test func anUnloggedPurgeKeepsItsValuesFromTheTier() async throws {
        let scene = try TierScene([engine.endpoint])
        let (a, b) = try NodeScene.pair(engine)
        b.store("/1")
        let (old, other) = try (value("/1", a), value("/2", a))
        #expect(!a.knowledge.isPurged(old))
        for words in [["maxmemory-policy", "noeviction"], ["maxmemory", "1"]] {
            let command = RESPCommand("CONFIG", "SET", words[0], words[1])
            #expect(await scene.send(command) == [.simple("OK")])
        }
        #expect(await a.purge(target("/1")).replication == .unlogged)
        #expect(a.lines.contains { $0.hasSuffix("a purge was not accepted: OOM") })
        #expect(a.knowledge.isPurged(old) && !a.knowledge.isPurged(other))
        // Once there is room, it is in the log after all.
        _ = await scene.send(RESPCommand("CONFIG", "SET", "maxmemory", "0"))
        waitUntil { b.isFresh("/1") == nil }
        waitUntil {
            a.knowledge.unlogged.isEmpty && (try? value("/1", a)).map { a.knowledge.isPurged($0) } == false
        }
        #expect(a.knowledge.isPurged(old) && !a.knowledge.isPurged(other))
    }

    private func value(_ target: String, _ node: NodeScene) throws -> TierValue {
        TierValue(answer(target), logMark: try #require(node.knowledge.logMark))
    }

    /// A joining node lacked an earlier purge, and composed answers of values from before it.
    @Test func aNodeThatJoinsKnowsOfPurgesFromBeforeIt() async throws {
        let a = try NodeScene([engine.endpoint], "a")
        a.ready()
        let before = try #require(a.knowledge.logMark)
        _ = await a.purge(target("/1"))
        let b = try NodeScene([engine.endpoint], "b")
        b.ready()
        let value = TierValue(answer("/2", at: noon + 9), logMark: before)
        let last = b.cache.purges.lastPurge(of: Array("/1".utf8), storefront: [], classTag: 1)
        #expect(b.knowledge.born(value).map { $0 < last } == true)
    }

    @Test func twoProcessesUnderOneNameAreToldOf() async throws {
        let first = try NodeScene([engine.endpoint], "a", process: 1)
        let second = try NodeScene([engine.endpoint], "a", process: 2)
        waitUntil { first.lines.contains { $0.contains("another process (2 at a:8080)") } }
        waitUntil { second.lines.contains { $0.contains("another process (1 at a:8080)") } }
        #expect(first.lines.count { $0.contains("another process") } == 1)
        waitUntil { first.board.status.namesake == "process 2 at a:8080" }
    }
}
