import AppleMusic
import Cache
import Foundation
import Freshness
import Purging
import TestSupport
import Testing

/// Purges while answers are under way concern those that they choose, and no others.
@Suite(.timeLimit(.minutes(10))) struct PurgesUnderWayTests {
    private static let album = String.album(2)
    private static func resource(_ type: String, _ id: String) -> EntrySelection.Condition {
        .resource(ResourceMention.number(type: type, id: id))
    }

    /// The album under a name; its answer names song 7.
    private static func answer(_ name: String, _ fields: String = "") -> ScriptedOrigin.Step {
        .send(
            .ok(
                #"{"data":[{"id":"2","type":"albums","attributes":{"name":"\#(name)"},"relationships":"#
                    + #"{"tracks":{"data":[{"id":"7","type":"songs"}]}}}]}"#, fields))
    }

    /// A proxy whose first request for the album brings "old" once `first` is open, and the second
    /// one "new".
    private final class Scene {
        let (first, second) = (ScriptedOrigin.Gate(), ScriptedOrigin.Gate())
        let origin: ScriptedOrigin
        let proxy: ProxyUnderTest
        private var clientCount = 0

        init() throws {
            // No second request goes over the connection of the first.
            let closes = "Connection: close\r\n"
            origin = try ScriptedOrigin(
                [.request, .wait(first), PurgesUnderWayTests.answer("old", closes), .hold],
                [.request, .wait(second), PurgesUnderWayTests.answer("new", closes), .hold])
            proxy = try ProxyUnderTest(scripted: origin, workers: 2)
        }

        /// A client that waits for the album by now.
        func client() throws -> RawClient {
            let client = try proxy.connection(sending: .get(PurgesUnderWayTests.album, closes: true))
            clientCount += 1
            waitUntil { proxy.statistics[.misses] == clientCount }
            return client
        }

        func purge(_ conditions: [EntrySelection.Condition], _ mode: PurgeMode = .hard) {
            proxy.cache.purgeAndWait(EntrySelection(conditions), mode, at: Int64(Date().timeIntervalSince1970))
        }

        var requestCount: Int { origin.requests.joined().count }

        /// Whether the album is found in the cache under that name.
        func hasStored(_ name: String) throws -> Bool {
            let reply = try proxy.client.send("GET", PurgesUnderWayTests.album)
            return reply.isHit && String(decoding: reply.body, as: UTF8.self).contains(name)
        }
    }

    private static let others: [[EntrySelection.Condition]] = [
        [.target(Array(String.album(3).utf8))], [.target(Array((album + "?include=artists").utf8))],
        [.prefix(Array("/v1/catalog/us/songs".utf8))], [.pattern(PathPattern(Array("/v1/catalog/*/songs/*".utf8))!)],
        [.storefront(Array("gb".utf8))], [.classTag(ResourceClass.songs.rawValue)], [resource("songs", "8")],
        [.target(Array(album.utf8)), .storefront(Array("gb".utf8))],
        [resource("songs", "7"), .prefix(Array("/v1/catalog/us/songs".utf8))],
    ]

    /// 40 clients cost 37 requests while a script purged other albums one by one, and nothing was
    /// stored.
    @Test func fortyClientsShareOneRequestWhileOthersArePurged() throws {
        let scene = try Scene()
        let clients = try (0..<40).map { index in
            let client = try scene.client()
            scene.purge(Self.others[index % Self.others.count], index % 2 == 0 ? .hard : .soft)
            return client
        }
        scene.first.open()
        for client in clients {
            let text = client.readText()
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains("old") && !text.contains("outdated"), "\(text)")
        }
        #expect(scene.requestCount == 1 && scene.proxy.statistics[.stored] == 1)
        #expect(try scene.hasStored("old"))
    }

    private static let ownOnes: [[EntrySelection.Condition]] = [
        [], [.target(Array(album.utf8))], [.prefix(Array("/v1/catalog/us/alb".utf8))],
        [.pattern(PathPattern(Array("/v1/*/albums/*".utf8))!)], [.storefront(Array("us".utf8))],
        [.classTag(ResourceClass.albums.rawValue)], [resource("albums", "2")],
        [.target(Array(album.utf8)), resource("albums", "2")],
    ]

    private func expect(_ clients: [RawClient], get body: String, isOutdated: Bool) {
        for client in clients {
            let text = client.readText()
            #expect(text.contains(body) && text.contains("detail=outdated") == isOutdated, "\(text)")
        }
    }

    /// The answer from before is for the clients that came before; later ones wait for a new one.
    @Test(arguments: ownOnes, [PurgeMode.hard, .soft])
    func aPurgeOfTheTargetUnderWayHasItAskedForAgain(_ conditions: [EntrySelection.Condition], mode: PurgeMode) throws {
        let scene = try Scene()
        let before = try (0..<2).map { _ in try scene.client() }
        waitUntil { scene.requestCount == 1 }
        scene.purge(conditions, mode)
        let after = try (0..<3).map { _ in try scene.client() }
        waitUntil { scene.requestCount == 2 }
        scene.first.open()
        expect(before, get: "old", isOutdated: true)
        #expect(scene.proxy.cache.memory.count == 0)
        scene.second.open()
        expect(after, get: "new", isOutdated: false)
        #expect(scene.requestCount == 2)
        #expect(try scene.hasStored("new"))
    }

    /// The answer shows whether it names the resource: then the clients that joined after the purge
    /// try once more together.
    @Test(arguments: [PurgeMode.hard, .soft]) func aPurgeOfAResourceUnderWayIsSeenInTheAnswer(mode: PurgeMode) throws {
        let scene = try Scene()
        let before = try (0..<2).map { _ in try scene.client() }
        scene.purge([Self.resource("songs", "7")], mode)
        let after = try (0..<5).map { _ in try scene.client() }
        #expect(scene.proxy.statistics[.upstreamRequests] == 1, "it might name other songs")
        scene.first.open()
        expect(before, get: "old", isOutdated: true)
        waitUntil { scene.requestCount == 2 }
        #expect(scene.proxy.cache.memory.count == 0)
        scene.second.open()
        expect(after, get: "new", isOutdated: false)
        #expect(scene.requestCount == 2)
        #expect(try scene.hasStored("new"))
    }

    /// An error names nothing: what the request asks for counts.
    @Test func aNotFoundFromBeforeAPurgeOfTheResourceIsNotKept() throws {
        let gate = ScriptedOrigin.Gate()
        let missing = "HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}"
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(missing), .request, Self.answer("new"), .hold])
        let proxy = try ProxyUnderTest(scripted: origin)
        let client = try proxy.connection(sending: .get(Self.album, closes: true))
        waitUntil { proxy.statistics[.upstreamRequests] == 1 }
        proxy.cache.purgeAndWait(EntrySelection([Self.resource("albums", "2")]), .hard, at: 0)
        gate.open()
        #expect(client.readText().contains("detail=outdated"))
        #expect(try proxy.client.send("GET", Self.album).status == 200)
    }

    /// A purge of anything had the origin asked again that had said for how long not to.
    @Test(arguments: ownOnes) func theOriginsWishToBeLeftInPeaceOutlastsPurgesOfOthers(
        _ own: [EntrySelection.Condition]
    ) throws {
        let origin = try FakeOrigin(.init(status: 503, fields: [("Retry-After", "3600")], body: "later"))
        let proxy = try ProxyUnderTest(before: origin)
        func ask() throws -> Int {
            #expect(try proxy.client.send("GET", Self.album).status == 503)
            return origin.requests.count
        }
        #expect(try ask() == 1)
        for other in Self.others {
            proxy.cache.purgeAndWait(EntrySelection(other), .hard, at: 0)
            #expect(try ask() == 1, "\(other)")
        }
        proxy.cache.purgeAndWait(EntrySelection(own), .soft, at: 0)
        #expect(try ask() == 2)
    }

    // MARK: Requests that bring parts

    /// A proxy before songs, which has songs 1 and 2 and knows their forms; the origin answers all
    /// further requests once the gate is open.
    private func scene(_ gate: DispatchSemaphore) throws -> ScriptedScene {
        let known = ["songs/1", "songs/2", "songs?ids=1,2"].map { "/v1/catalog/us/\($0)" }
        let scene = try ScriptedScene { request in
            if !known.contains(request.target) {
                gate.waitOrFail()
                gate.signal()
            }
            return ScriptedSongs.reply(request)
        }
        for target in known { _ = try scene.proxy.client.send("GET", target) }
        return scene
    }

    /// A purge threw away the answers to all the requests that were joined.
    @Test(arguments: [album, "/v1/catalog/us/songs/12"]) func aBatchUnderWayOutlivesPurgesOfOthers(purged: String)
        throws
    {
        let gate = DispatchSemaphore(value: 0)
        let scene = try scene(gate)
        let ids = (10...13).map(String.init)
        let clients = try ids.map {
            try scene.proxy.connection(sending: .get("/v1/catalog/us/songs/\($0)", closes: true))
        }
        // The first goes alone.
        waitUntil { scene.proxy.statistics[.misses] == 7 && scene.proxy.statistics[.upstreamRequests] >= 5 }
        scene.proxy.cache.purgeAndWait(
            EntrySelection([.target(Array(purged.utf8))]), .hard, at: scene.clock.unixSeconds)
        gate.signal()
        for (id, client) in zip(ids, clients) {
            let text = client.readText()
            #expect(text.hasPrefix("HTTP/1.1 200 ") && text.contains(#""id":"\#(id)""#), "\(text)")
            #expect(!text.contains("outdated") || purged.hasSuffix("/\(id)"), "\(text)")
        }
        for id in ids where !purged.hasSuffix("/\(id)") {
            #expect(try scene.proxy.client.send("GET", "/v1/catalog/us/songs/\(id)").isHit, "\(id)")
            #expect(scene.upstream.count { ScriptedSongs.ids($0).contains(id) } == 1, "\(id): \(scene.upstream)")
        }
        if !scene.upstream.contains(where: { ScriptedSongs.batch($0).count == 3 }) { LeftOut.noteClientsApart() }
    }

    @Test func aCompletingRequestUnderWayOutlivesPurgesOfOthers() throws {
        let gate = DispatchSemaphore(value: 0)
        let scene = try scene(gate)
        let client = try scene.proxy.connection(sending: .get("/v1/catalog/us/songs?ids=1,20,21", closes: true))
        waitUntil { scene.proxy.statistics[.upstreamRequests] == 4 }
        for other in Self.others.prefix(2) + [[.storefront(Array("gb".utf8))], [Self.resource("songs", "8")]] {
            scene.proxy.cache.purgeAndWait(EntrySelection(other), .hard, at: scene.clock.unixSeconds)
        }
        gate.signal()
        let text = client.readText()
        #expect(text.contains("fwd=partial") && text.contains(#""id":"21""#), "\(text)")
        #expect(scene.upstream.count == 4, "\(scene.upstream)")
    }
}
