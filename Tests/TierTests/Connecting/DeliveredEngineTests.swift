import Foundation
import Purging
import Store
import TestSupport
import Testing

@testable import Tier
@testable import Upstream

/// The delivered files in `Sources/Deployment/redis`, taken by a real engine.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct DeliveredEngineTests {
    private let engine: RedisServer

    init() throws {
        let top = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = top.appendingPathComponent("Sources/Deployment/redis")
        let users = folder.appendingPathComponent("users.acl").path
        engine = try RedisServer(["--include", folder.appendingPathComponent("refrain.conf").path, "--aclfile", users])
    }

    /// By the passwords that an operator replaces.
    private func scene(_ user: String, _ password: String) throws -> TierScene {
        try TierScene([engine.endpoint]) { ($0.user, $0.password) = (Array(user.utf8), Array(password.utf8)) }
    }

    /// Every command that a node sends, as it is sent.
    @Test func nodesMayDoWhatTheyNeedOnTheirOwnKeys() async throws {
        let scene = try scene("refrain", "NODES-PASSWORD")
        let keys = TierKeys(prefix: "refrain:")
        var registry = NodeRegistry(NodeIdentity(name: "a", address: "", version: "", process: 1, startedAt: 1))
        let now = scene.loop.sync { scene.loop.now }
        let asked = registry.heartbeat(keys, mark: nil, isReady: true, now: now)
        _ = registry.take(try #require(await scene.begin(asked).replies()), wall: 0, now: now)
        let record = try #require(PurgeRecord(EntrySelection(), .soft, at: 1, by: "a"))
        let budget =
            [Array("EVAL".utf8), Array(BudgetScript.source.utf8)]
            + BudgetScript.arguments(BudgetQuestion(), keys, at: .none, node: "a")
        let words = [
            "SET refrain:{refrain}:v1:a 1 PX 1000", "GET refrain:{refrain}:v1:a",
            "SET refrain:{refrain}:c1:a a NX PX 5000", "DEL refrain:{refrain}:c1:a",
            "XTRIM refrain:{refrain}:purges MINID 1-1", "XREVRANGE refrain:{refrain}:purges + - COUNT 1", "WAIT 0 1",
        ].map { line in RESPCommand(line.split(separator: " ").map { Array($0.utf8) }) }
        let commands =
            [PurgeLogQuery.beginning(keys), RESPCommand([Array("XADD".utf8), keys.purges, [0x2A]] + record.fields)]
            + PurgeLogQuery.commands(keys, after: .start, place: .start)
            + registry.heartbeat(keys, mark: nil, isReady: true, now: now)
            + [PurgeLogQuery.replacing(epoch, by: epoch, keys), registry.farewell(keys), RESPCommand(budget)] + words
        let replies = try #require(await scene.begin(commands).replies())
        #expect(replies.map(\.errorCode) == Array(repeating: nil, count: replies.count))
        let unknown = RESPCommand("EVALSHA", String(repeating: "0", count: 40), "1", "refrain:{refrain}:budget")
        #expect(await scene.send(unknown)?.map(\.errorCode) == ["NOSCRIPT"])
    }

    @Test func nodesMayDoNothingElse() async throws {
        let scene = try scene("refrain", "NODES-PASSWORD")
        let refused = [
            "GET other", "SET other 1", "XADD other 1-1 path /v1", "EVAL 0 1 other", "FLUSHALL", "KEYS *", "SCAN 0",
            "CONFIG GET maxmemory", "ACL LIST", "SHUTDOWN", "REPLICAOF NO ONE", "SCRIPT FLUSH", "CLIENT LIST",
            "SUBSCRIBE refrain:a", "MONITOR",
        ].map { line in RESPCommand(line.split(separator: " ").map { Array($0.utf8) }) }
        let replies = try #require(await scene.begin(refused).replies())
        for (command, reply) in zip(refused, replies) { #expect(reply.errorCode == "NOPERM", "\(command)") }
    }

    /// Answers must not evict the purge log.
    @Test func keysWithoutATTLAreNotEvicted() async throws {
        let scene = try scene("operator", "OPERATOR-PASSWORD")
        let replies = try #require(
            await scene.send(
                RESPCommand("CONFIG", "GET", "maxmemory-policy"), RESPCommand("CONFIG", "GET", "appendonly")))
        let expected = [["maxmemory-policy", "volatile-lru"], ["appendonly", "yes"]]
        #expect(replies == expected.map { .array($0.map { .bulk($0) }) })
    }
}
