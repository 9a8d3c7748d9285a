import Foundation
import Proxy
import Purging
import Store
import Synchronization
import TestSupport
import Testing

/// Personal answers on two nodes that share an engine: after a write on one of them, the other
/// never gives an answer from before it.
@Suite(.timeLimit(.minutes(5)), .requires(.redis)) struct SharedGenerationTests {
    private static let songs = "/v1/me/library/songs"

    /// Two nodes, and an origin that counts writes.
    private let nodes: SharingProxies

    init() throws {
        let writes = Mutex(0)
        nodes = try SharingProxies(2, policy: Policy(.personal, .fixed(600, stale: 600))) { request in
            let isWrite = request.method == "DELETE"
            let count = writes.withLock { writes in
                writes += isWrite ? 1 : 0
                return writes
            }
            return FakeOrigin.Reply(status: isWrite ? 204 : 200, body: isWrite ? "" : "{\"writes\":\(count)}")
        }
    }

    /// How many users' answers a node keeps.
    private func kept(_ node: Int) -> Int {
        let count = Mutex(0)
        nodes.nodes[node].cache.list(EntrySelection(), limit: 1) { listing in count.withLock { $0 = listing.personal } }
        return count.withLock { $0 }
    }

    private func send(_ node: Int, _ method: String, _ user: String = "token-of-anna") throws -> HTTPTestClient.Reply {
        try nodes.nodes[node].client.send(method, Self.songs, fields: [("Music-User-Token", user)])
    }

    @Test func aWriteOnOneNodeEndsWhatTheOtherKeeps() throws {
        for node in 0...1 {
            #expect(try !send(node, "GET").isHit)
            #expect(try send(node, "GET").isHit, "each node keeps its own")
            #expect(nodes.nodes[node].explain(Self.songs)?.asksTier == true)
        }
        _ = try send(1, "GET", "token-of-ben")
        #expect(try send(0, "DELETE").status == 204)
        for _ in 0..<2 {
            for node in 0...1 {
                let reply = try send(node, "GET")
                #expect(reply.body == Data("{\"writes\":1}".utf8) && !reply.isHit, "nothing is kept for a while")
            }
        }
        #expect(try send(1, "GET", "token-of-ben").isHit, "another user's stay")
    }

    @Test(arguments: [true, false]) func anEngineThatWasEmptiedBringsNothingBack(isRestarted: Bool) throws {
        _ = try send(1, "GET")
        #expect(try send(0, "DELETE").status == 204)
        if isRestarted { try nodes.engine.start() } else { _ = try nodes.engine.run("FLUSHALL") }
        for node in [1, 0, 1] {
            #expect(try send(node, "GET").body == Data("{\"writes\":1}".utf8))
        }
    }

    /// It was left to eviction.
    @Test func whatEndedIsFreed() throws {
        for user in ["token-of-anna", "token-of-ben"] { _ = try send(1, "GET", user) }
        #expect(kept(1) == 2)
        // Another number is drawn.
        _ = try nodes.engine.run("FLUSHALL")
        for user in ["token-of-anna", "token-of-ben"] { #expect(try !send(1, "GET", user).isHit) }
        waitUntil { kept(1) == 2 }
        #expect(try send(1, "DELETE").status == 204)
        // Another user's stays.
        waitUntil { kept(1) == 1 }
    }

    @Test func withoutTheEngineNothingKeptIsUsedAndNoWriteIsSent() throws {
        _ = try send(1, "GET")
        #expect(try send(1, "GET").isHit)
        nodes.engine.kill()
        for _ in 0..<2 {
            let reply = try send(1, "GET")
            #expect(reply.status == 200 && reply.field("Cache-Status")?.hasSuffix("detail=unconfirmed") == true)
        }
        let refused = try send(0, "DELETE")
        #expect(refused.status == 503 && refused.field("Retry-After") == "1")
        #expect(Set(nodes.origin.requests.map(\.method)) == ["GET"])
        try nodes.engine.start()
        #expect(try send(1, "GET").status == 200)
    }
}

extension RedisServer {
    /// Runs a command with `redis-cli`, and returns its output.
    func run(_ words: String...) throws -> String {
        try #require(Tool("redis-cli")).run(["-p", "\(port)"] + words).text
    }
}
