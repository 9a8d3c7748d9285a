import Foundation
import TestSupport
import Testing

@testable import Tier

/// `Sources/Deployment/redis`: what is delivered for the engine, taken by a real one.
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
        try TierScene([TierEndpoint(isTLS: false, host: "127.0.0.1", port: engine.port)]) {
            ($0.user, $0.password) = (Array(user.utf8), Array(password.utf8))
        }
    }

    @Test func nodesMayDoWhatTheyNeedOnTheirOwnKeys() async throws {
        let scene = try scene("refrain", "NODES-PASSWORD")
        let script = "return redis.call('SET', KEYS[1], redis.call('TIME')[1], 'PX', 1000, 'NX')"
        let allowed = [
            "SET refrain:a 1", "GET refrain:a", "INCR refrain:a", "DEL refrain:a", "HSET refrain:h f 1",
            "HGETALL refrain:h", "HDEL refrain:h f", "XADD refrain:s 1-1 path /v1", "XRANGE refrain:s - +",
            "XINFO STREAM refrain:s", "XTRIM refrain:s MAXLEN 10", "WAIT 0 1", "TIME", "PING", "ROLE",
            "CLIENT SETNAME node", "SCRIPT EXISTS 0", "MULTI", "SET refrain:b 1", "EXEC",
        ].map { line in RESPCommand(line.split(separator: " ").map { Array($0.utf8) }) }
        let scripts = [
            RESPCommand("SCRIPT", "LOAD", script), RESPCommand("EVAL", script, "1", "refrain:c"),
            RESPCommand("EVALSHA", String(repeating: "0", count: 40), "1", "refrain:c"),
        ]
        let replies = try #require(await scene.begin(allowed + scripts).replies())
        #expect(replies.map(\.errorCode) == Array(repeating: nil, count: replies.count - 1) + ["NOSCRIPT"])
    }

    @Test func nodesMayDoNothingElse() async throws {
        let scene = try scene("refrain", "NODES-PASSWORD")
        let refused = [
            "GET other", "SET other 1", "XADD other 1-1 path /v1", "EVAL 0 1 other", "FLUSHALL", "KEYS *", "SCAN 0",
            "CONFIG GET maxmemory", "ACL LIST", "SHUTDOWN", "REPLICAOF NO ONE", "SCRIPT FLUSH", "CLIENT LIST",
            "SUBSCRIBE refrain:a", "DEBUG SLEEP 0", "MONITOR",
        ].map { line in RESPCommand(line.split(separator: " ").map { Array($0.utf8) }) }
        let replies = try #require(await scene.begin(refused).replies())
        for (command, reply) in zip(refused, replies) { #expect(reply.errorCode == "NOPERM", "\(command)") }
    }

    /// What takes the place of answers must not take that of the purge log.
    @Test func whatHasNoTimeToLiveStays() async throws {
        let scene = try scene("operator", "OPERATOR-PASSWORD")
        let replies = try #require(
            await scene.send(
                RESPCommand("CONFIG", "GET", "maxmemory-policy"), RESPCommand("CONFIG", "GET", "appendonly")))
        let expected = [["maxmemory-policy", "volatile-lru"], ["appendonly", "yes"]]
        #expect(replies == expected.map { .array($0.map { .bulk(Array($0.utf8)) }) })
    }
}
