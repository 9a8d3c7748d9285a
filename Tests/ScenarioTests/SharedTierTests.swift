import AppleMusic
import Cache
import EventLoop
import Foundation
import Freshness
import Server
import Store
import Synchronization
import TestSupport
import Testing

@testable import Proxy
@testable import Tier

/// Several real proxies, a real engine and one origin.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct SharedTierTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    /// Nodes that know the log from its beginning, with nothing in it.
    private final class Nodes {
        let engine: RedisServer
        let origin: FakeOrigin
        private(set) var nodes: [ProxyUnderTest] = []
        private(set) var caches: [ResponseCache] = []
        private(set) var tiers: [SharedTier] = []

        /// - Parameter ahead: of the first node's clock, in seconds.
        init(
            _ count: Int, ahead: Int64 = 0, _ answer: @escaping @Sendable (FakeOrigin.Request) -> FakeOrigin.Reply
        ) throws {
            engine = try RedisServer()
            origin = try FakeOrigin(answer)
            for index in 0..<count {
                let tier = SharedTier(ofNode: index, engine)
                let cache = ResponseCache(memory: MemoryTier(maxBytes: 16 << 20), store: nil)
                let clock = TimeOfDay { TimeOfDay.system.unixSeconds() + (index == 0 ? ahead : 0) }
                nodes.append(try ProxyUnderTest(originPort: origin.port, cache: cache, timeOfDay: clock, tier: tier))
                caches.append(cache)
                tiers.append(tier)
            }
        }

        deinit { for node in nodes { node.stop() } }

        func get(_ node: Int, _ target: String) throws -> HTTPTestClient.Reply {
            try nodes[node].client.send("GET", target)
        }
    }

    @Test func whatOneNodeFetchedTheOthersAnswer() throws {
        let nodes = try Nodes(3) { _ in FakeOrigin.Reply(fields: [("ETag", "\"a\"")], body: "{\"data\":[]}") }
        let first = try nodes.get(0, Self.album)
        for node in 1...2 {
            let reply = try nodes.get(node, Self.album)
            #expect(reply.status == 200 && reply.body == first.body && reply.field("ETag") == first.field("ETag"))
            let status = reply.field("Cache-Status") ?? ""
            #expect(status.hasPrefix("refrain; fwd=uri-miss; stored; ttl=") && status.hasSuffix("; detail=shared"))
            #expect(try nodes.get(node, Self.album).field("Cache-Status")?.hasPrefix("refrain; hit; ttl=") == true)
            #expect(nodes.nodes[node].statistics[.shared] == 1 && nodes.tiers[node].counters[.taken] == 1)
        }
        #expect(nodes.origin.requests.count == 1)
        #expect(nodes.nodes[0].explain(Self.album)?.asksTier == false, "it is stored")
        #expect(nodes.nodes[0].explain("/v1/catalog/us/albums/1")?.asksTier == true)
        #expect(nodes.nodes[0].explain("/v1/me/library/albums")?.asksTier == false)
    }

    @Test func nodesThatMissTogetherAskOnce() throws {
        let gate = DispatchSemaphore(value: 0)
        let nodes = try Nodes(3) { _ in
            gate.waitOrFail()
            return FakeOrigin.Reply(body: "{\"data\":[]}")
        }
        let replies = Mutex<[HTTPTestClient.Reply?]>([])
        let group = DispatchGroup()
        for node in nodes.nodes {
            DispatchQueue.global().async(group: group) { @Sendable in
                let reply = try? HTTPTestClient(port: node.port).send("GET", Self.album)
                replies.withLock { $0.append(reply) }
            }
        }
        waitUntil { nodes.tiers.count { $0.counters[.waited] == 1 } == 2 }
        gate.signal()
        group.waitOrFail()
        #expect(replies.withLock { $0.map { $0?.body } } == Array(repeating: Data("{\"data\":[]}".utf8), count: 3))
        #expect(nodes.origin.requests.count == 1)
    }

    /// An answer from the tier teaches as much as one from the origin.
    @Test func whatAnotherNodeFetchedIsComposedFrom() throws {
        let single = #"{"data":[{"id":"1","type":"songs","href":"/v1/catalog/us/songs/1","attributes":{"name":"a"}}]}"#
        let both = single.replacingOccurrences(
            of: "]}", with: #",{"id":"2","type":"songs","href":"/v1/catalog/us/songs/2","attributes":{"name":"b"}}]}"#)
        let nodes = try Nodes(2) { request in
            FakeOrigin.Reply(body: request.target.contains("ids=") ? both : single)
        }
        _ = try nodes.get(0, "/v1/catalog/us/songs?ids=1,2")
        _ = try nodes.get(1, "/v1/catalog/us/songs?ids=1,2")
        let reply = try nodes.get(1, "/v1/catalog/us/songs?ids=1")
        #expect(reply.body == Data(single.utf8))
        #expect(reply.field("Cache-Status")?.hasSuffix("detail=reduced") == true)
        #expect(nodes.origin.requests.count == 1)
    }

    /// A node whose clock was ahead had fetched it before the purge, and it was younger than that.
    @Test func anAnswerDatedAheadDoesNotUndoAPurge() throws {
        let single = #"{"data":[{"id":"1","type":"songs","href":"/v1/catalog/us/songs/1","attributes":{"name":"a"}}]}"#
        let both = single.replacingOccurrences(
            of: "]}", with: #",{"id":"2","type":"songs","href":"/v1/catalog/us/songs/2","attributes":{"name":"b"}}]}"#)
        let nodes = try Nodes(2, ahead: 3_600) { request in
            FakeOrigin.Reply(body: request.target.hasSuffix("=1") ? single : both)
        }
        _ = try nodes.get(0, "/v1/catalog/us/songs?ids=1,2")
        let (cache, knowledge) = (nodes.caches[1], nodes.tiers[1].knowledge)
        let (time, instant) = (TimeOfDay.system.unixSeconds() - 10, Instant.now() - .seconds(10))
        let purge = EntrySelection([.target(Array("/v1/catalog/us/songs?ids=1".utf8))])
        let (record, position) = (PurgeRecord(purge, .hard, at: time, by: "node0"), LogPosition(1, 0))
        knowledge.note(
            PurgeLogEntry(position, try #require(record)), at: NotingTime(seconds: time, instant: instant))
        cache.purgeAndWait(purge, .hard, at: time)
        knowledge.stand(fence: LogMark(LogEpoch(number: 1), position), mayTake: true)
        #expect(try nodes.get(1, "/v1/catalog/us/songs?ids=1,2").field("Cache-Status")?.contains("shared") == true)
        #expect(nodes.origin.requests.count == 1)
        let status = try nodes.get(1, "/v1/catalog/us/songs?ids=1").field("Cache-Status") ?? ""
        #expect(nodes.origin.requests.count == 2 && !status.contains("reduced"), "\(status)")
    }

    @Test func whatWasPurgedWhileItWasOutIsNotKept() throws {
        let gate = DispatchSemaphore(value: 0)
        let nodes = try Nodes(2) { _ in
            gate.waitOrFail()
            return FakeOrigin.Reply(body: "{\"old\":1}")
        }
        let done = DispatchGroup()
        let port = nodes.nodes[0].port
        DispatchQueue.global().async(group: done) { @Sendable in
            _ = try? HTTPTestClient(port: port).send("GET", Self.album)
        }
        waitUntil { nodes.origin.requests.count == 1 }
        nodes.caches[0].purgeAndWait(EntrySelection(), .hard, at: 0)
        gate.signal()
        done.waitOrFail()
        #expect(nodes.tiers[0].counters[.put] == 0)
        gate.signal()
        _ = try nodes.get(1, Self.album)
        #expect(nodes.origin.requests.count == 2)
    }

    /// It was counted before it was kept.
    @Test func anAnswerPurgedBeforeItIsStoredIsNotCountedAsTaken() throws {
        let nodes = try Nodes(2) { _ in FakeOrigin.Reply(body: "{\"album\":1}") }
        _ = try nodes.get(0, Self.album)
        waitUntil { (try? nodes.engine.run("KEYS", "refrain:v1:*"))?.contains("refrain:v1:") == true }
        nodes.engine.send(SIGSTOP)
        let done = DispatchGroup()
        let port = nodes.nodes[1].port
        DispatchQueue.global().async(group: done) { @Sendable in
            _ = try? HTTPTestClient(port: port).send("GET", Self.album)
        }
        waitUntil { nodes.tiers[1].counters[.looks] == 1 }
        nodes.caches[1].purgeAndWait(EntrySelection(), .hard, at: 0)
        nodes.engine.send(SIGCONT)
        done.waitOrFail()
        #expect(nodes.origin.requests.count == 2)
        #expect(nodes.tiers[1].counters[.taken] == 0 && nodes.tiers[1].counters[.purged] == 1)
    }

    /// A node that may not keep a 400 in an answer's place took it from the node that may.
    @Test func aSharedBadRequestReplacesNoAnswer() throws {
        let isRefused = Mutex(true)
        let nodes = try Nodes(2) { _ in
            guard isRefused.withLock({ $0 }) else { return FakeOrigin.Reply(body: "{\"data\":[]}") }
            return FakeOrigin.Reply(status: 400, body: #"{"errors":[{"status":"400","code":"40005"}]}"#)
        }
        #expect(try nodes.get(0, Self.album).status == 400)
        waitUntil { (try? nodes.engine.run("KEYS", "refrain:v1:*"))?.contains("refrain:v1:") == true }
        isRefused.withLock { $0 = false }
        nodes.caches[1].store(
            StoredResponse(
                key: CacheKey(scope: .shared, target: Array(Self.album.utf8)), status: 200,
                fields: Array("Content-Type: application/json\r\n".utf8), body: Array("old".utf8),
                receivedAt: TimeOfDay.system.unixSeconds() - 100, lifetime: Lifetime(freshFor: 10, keepFor: 1_000),
                classTag: ResourceClass.albums.rawValue, storefront: Array("us".utf8)))
        #expect(try nodes.get(1, Self.album).status == 200)
        #expect(nodes.origin.requests.count == 2 && nodes.tiers[1].counters[.useless] == 1)
    }
}
