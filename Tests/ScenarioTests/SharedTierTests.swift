import AppleMusic
import Cache
import Foundation
import Freshness
import Purging
import Server
import Store
import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import Tier

/// Several real proxies, a real engine and one origin.
@Suite(.timeLimit(.minutes(10)), .requires(.redis)) struct SharedTierTests {
    private static let album = "/v1/catalog/us/albums/310730204"

    @Test func whatOneNodeFetchedTheOthersAnswer() throws {
        let nodes = try SharingProxies(3) { _ in FakeOrigin.Reply(fields: [("ETag", "\"a\"")], body: "{\"data\":[]}") }
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

    /// An answer from the tier teaches as much as one from the origin.
    @Test func whatAnotherNodeFetchedIsComposedFrom() throws {
        let nodes = try SharingProxies(2, ScriptedSongs.reply)
        for node in 0..<2 { _ = try nodes.get(node, "/v1/catalog/us/songs?ids=1,2,3") }
        let reply = try nodes.get(1, "/v1/catalog/us/songs?ids=1,2")
        #expect(reply.body == Data(ScriptedSongs.body(["1", "2"]).utf8))
        #expect(reply.field("Cache-Status")?.hasSuffix("detail=reduced") == true)
        #expect(nodes.origin.requests.count == 1)
    }

    /// A larger request counted as lost when another node had the answer: after four of them, no
    /// more were made.
    @Test func aLargerRequestThatAnotherNodeSparedIsNotLost() throws {
        let nodes = try SharingProxies(2) { ScriptedAlbums.reply($0.target) }
        func album(_ id: Int) -> String { "/v1/catalog/us/albums/\(id)" }
        for id in 1...20 { _ = try nodes.get(1, album(id) + "?include=artists") }
        _ = try nodes.get(1, album(50))
        for id in 100..<110 {
            _ = try nodes.get(0, album(id) + "?include=artists")
            let before = nodes.origin.requests.count
            #expect(nodes.nodes[1].explain(album(id))?.action == .complete)
            #expect(try nodes.get(1, album(id)).status == 200)
            #expect(nodes.origin.requests.count == before)
        }
        _ = try nodes.get(1, album(1_000))
        #expect(nodes.origin.requests.last?.target == album(1_000) + "?include=artists")
    }

    /// A node whose clock was ahead had fetched it before the purge, and it was younger than that.
    @Test func anAnswerDatedAheadDoesNotUndoAPurge() throws {
        let nodes = try SharingProxies(2, ahead: 3_600, ScriptedSongs.reply)
        _ = try nodes.get(0, "/v1/catalog/us/songs?ids=1,2")
        let (cache, knowledge) = (nodes.nodes[1].cache, nodes.tiers[1].knowledge)
        let purge = EntrySelection([.target(Array("/v1/catalog/us/songs?ids=1".utf8))])
        let position = LogPosition(1, 0)
        knowledge.note(position, as: cache.purges.newest + 1)
        cache.purgeAndWait(purge, .hard, at: TimeOfDay.system.unixSeconds() - 10)
        knowledge.move(to: LogMark(LogEpoch(number: 1), position), mayTake: true)
        #expect(try nodes.get(1, "/v1/catalog/us/songs?ids=1,2").field("Cache-Status")?.contains("shared") == true)
        #expect(nodes.origin.requests.count == 1)
        let status = try nodes.get(1, "/v1/catalog/us/songs?ids=1").field("Cache-Status") ?? ""
        #expect(nodes.origin.requests.count == 2 && !status.contains("reduced"), "\(status)")
    }

    @Test func whatWasPurgedWhileItWasOutIsNotKept() throws {
        let gate = DispatchSemaphore(value: 0)
        let nodes = try SharingProxies(2) { _ in
            gate.waitOrFail()
            return FakeOrigin.Reply(body: "{\"old\":1}")
        }
        let client = try nodes.nodes[0].connection(sending: .get(Self.album, closes: true))
        waitUntil { nodes.origin.requests.count == 1 }
        nodes.nodes[0].cache.purgeAndWait(EntrySelection(), .hard, at: 0)
        gate.signal()
        #expect(client.readText().hasPrefix("HTTP/1.1 200 "))
        #expect(nodes.tiers[0].counters[.put] == 0)
        gate.signal()
        _ = try nodes.get(1, Self.album)
        #expect(nodes.origin.requests.count == 2)
    }

    /// It was counted before it was kept.
    @Test func anAnswerPurgedBeforeItIsStoredIsNotCountedAsTaken() throws {
        let nodes = try SharingProxies(2) { _ in FakeOrigin.Reply(body: "{\"album\":1}") }
        _ = try nodes.get(0, Self.album)
        waitUntil {
            (try? nodes.engine.run("KEYS", "refrain:{refrain}:v1:*"))?.contains("refrain:{refrain}:v1:") == true
        }
        nodes.engine.send(SIGSTOP)
        let client = try nodes.nodes[1].connection(sending: .get(Self.album, closes: true))
        waitUntil { nodes.tiers[1].counters[.looks] == 1 }
        nodes.nodes[1].cache.purgeAndWait(EntrySelection(), .hard, at: 0)
        nodes.engine.send(SIGCONT)
        #expect(client.readText().hasPrefix("HTTP/1.1 200 "))
        #expect(nodes.origin.requests.count == 2)
        #expect(nodes.tiers[1].counters[.taken] == 0 && nodes.tiers[1].counters[.purged] == 1)
    }

    /// A node that may not keep a 400 in an answer's place took it from the node that may.
    @Test func aSharedBadRequestReplacesNoAnswer() throws {
        let nodes = try SharingProxies(2) { _ in
            FakeOrigin.Reply(status: 400, body: #"{"errors":[{"status":"400","code":"40005"}]}"#)
        }
        #expect(try nodes.get(0, Self.album).status == 400)
        waitUntil {
            (try? nodes.engine.run("KEYS", "refrain:{refrain}:v1:*"))?.contains("refrain:{refrain}:v1:") == true
        }
        nodes.origin.answer { _ in FakeOrigin.Reply(body: "{\"data\":[]}") }
        nodes.nodes[1].cache.store(
            StoredResponse(
                key: CacheKey(of: .none, scope: .shared, target: Array(Self.album.utf8)), status: 200,
                fields: Array("Content-Type: application/json\r\n".utf8), body: Array("old".utf8),
                receivedAt: TimeOfDay.system.unixSeconds() - 100, lifetime: Lifetime(freshFor: 10, keepFor: 1_000),
                classTag: ResourceClass.albums.rawValue, storefront: Array("us".utf8)))
        #expect(try nodes.get(1, Self.album).status == 200)
        #expect(nodes.origin.requests.count == 2 && nodes.tiers[1].counters[.useless] == 1)
    }

    /// A node keeps to the limit that another one has met.
    @Test(.requires(.binary)) func nodesKeepToOneLimit() throws {
        let isFirst = Mutex(true)
        let origin = try FakeOrigin { _ in
            isFirst.withLock { isFirst in
                defer { isFirst = false }
                return FakeOrigin.Reply(status: isFirst ? 429 : 200)
            }
        }
        let fleet = try NodeFleet(2, isShared: true, before: #require(SocketAddress("127.0.0.1:\(origin.port)")))
        #expect(try HTTPTestClient(port: fleet.port(of: 0)).send("GET", Self.album).status == 200)
        waitUntil(within: 120) { (try? fleet.limit(of: 1)) ?? 0 > 0 }
        #expect(try fleet.limit(of: 1) > 0)
    }

    /// It was taken out until ten seconds after its start, all nodes at once.
    @Test(.requires(.binary)) func aReadyNodeStaysReadyWithoutItsEngine() throws {
        let origin = try FakeOrigin()
        let address = try #require(SocketAddress(host: "127.0.0.1", port: UInt16(origin.port)))
        let fleet = try NodeFleet(1, isShared: true, before: address)
        fleet.killEngine()
        var answers: [(status: Int, text: String)] = []
        waitUntil(within: 120) {
            guard let answer = try? fleet.readiness(of: 0) else { return false }
            answers.append(answer)
            return answer.text.contains("engine away")
        }
        #expect(answers.last?.text.hasPrefix("ready; engine away") == true, "\(answers)")
        #expect(answers.allSatisfy { $0.status == 200 }, "\(answers)")
    }
}
