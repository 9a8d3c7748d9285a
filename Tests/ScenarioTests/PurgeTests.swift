import Admin
import Cache
import Foundation
import Server
import Simulator
import TestSupport
import Testing
import Text

@testable import AppleMusic

/// A proxy with its admin listener in front of the simulated API, started anew on the same file as
/// often as wanted.
private final class Scene {
    private let origin: ServiceHost
    private let folder: TemporaryFolder
    private(set) var proxy: ProxyUnderTest
    private var admin: ServiceHost
    private var adminClient: HTTPTestClient

    init() throws {
        folder = try TemporaryFolder()
        origin = try ServiceHost.serving(SimulatedAPI.open())
        (proxy, admin) = try Self.start(origin, folder)
        adminClient = HTTPTestClient(port: Int(admin.address.port))
    }

    private static func start(_ origin: ServiceHost, _ folder: TemporaryFolder) throws -> (ProxyUnderTest, ServiceHost)
    {
        let cache = ResponseCache(file: folder.file("cache.sqlite"))
        let proxy = try ProxyUnderTest(originPort: Int(origin.address.port), workers: 2, cache: cache)
        let sources = AdminSources(
            statistics: proxy.statistics, cache: cache, access: AdminAccess(token: nil), version: "0", startedAt: 0,
            explain: { _, completion in completion(nil) }, isServing: { true }
        )
        return (proxy, try .local { context in AdminService(sources, context) })
    }

    func restart() throws {
        proxy.stop()
        // A reader was open; all writes are in the file itself all the same, for a backup to find.
        let log = try? FileManager.default.attributesOfItem(atPath: folder.file("cache.sqlite-wal"))[.size] as? Int
        #expect((log ?? 0) == 0)
        admin.stop()
        (proxy, admin) = try Self.start(origin, folder)
        adminClient = HTTPTestClient(port: Int(admin.address.port))
    }

    /// Nothing answers for the origin any more when this returns.
    func stopOrigin() {
        let done = DispatchSemaphore(value: 0)
        origin.stop { @Sendable in done.signal() }
        done.waitOrFail()
    }

    func stop() {
        proxy.stop()
        admin.stop()
        origin.stop()
    }

    func get(_ target: String) throws -> HTTPTestClient.Reply { try proxy.client.send("GET", target) }

    /// Whether the answer came from the cache and is fresh.
    func isHit(_ target: String) throws -> Bool {
        let status = try get(target).field("Cache-Status") ?? ""
        let ttl = status.components(separatedBy: "; ").first { $0.hasPrefix("ttl=") }
        return status.hasPrefix("refrain; hit") && (ttl.flatMap { Int($0.dropFirst(4)) } ?? 0) > 0
    }

    func purge(_ content: String) throws -> Int? {
        let reply = try adminClient.send("POST", "/purge", body: Data(content.utf8))
        return (reply.json as? [String: Int])?["purged"]
    }
}

@Suite(.timeLimit(.minutes(10))) struct PurgeTests {
    private static let chart = "/v1/catalog/us/charts?types=albums&limit=3"
    private static let britishChart = "/v1/catalog/gb/charts?types=albums&limit=3"
    private static let search = "/v1/catalog/us/search?term=moon&types=songs"

    /// Fills the cache; the targets, with the numbers of what each names, and an album of the
    /// chart.
    private func fill(_ scene: Scene) throws -> (named: [String: [UInt64]], album: String) {
        let chart = try JSON.parse(Array(try scene.get(Self.chart).body))
        let album = try #require(chart["results"]?["albums"]?[0]?["data"]?[0]?["id"]?.stringValue)
        var named: [String: [UInt64]] = [:]
        for target in [Self.chart, Self.britishChart, Self.search, "/v1/catalog/us/albums/\(album)?include=artists"] {
            let reply = try scene.get(target)
            try #require(reply.status == 200, "\(target)")
            named[target] = DocumentScan(Array(reply.body)).mentions
        }
        return (named, album)
    }

    @Test func everySelectorChoosesWhatItSays() throws {
        let scene = try Scene()
        defer { scene.stop() }
        let (named, album) = try fill(scene)
        let number = ResourceMention.number(type: "albums", id: album)
        let naming = named.filter { $0.value.contains(number) }.map(\.key)
        #expect(naming.count >= 2, "the album and its chart")
        let selectors: [(String, [String])] = [
            (#""all":true"#, Array(named.keys)), (#""storefront":"gb""#, [Self.britishChart]),
            (#""prefix":"/v1/catalog/us/se""#, [Self.search]), (#""resource":"albums:\#(album)""#, naming),
            (#""url":"https://api.music.apple.com/v1/catalog/us/%63harts?limit=3&types=albums""#, [Self.chart]),
            (#""storefront":"gb","prefix":"/v1/catalog/us/""#, []), (#""resource":"songs:0""#, []),
        ]
        for (selector, chosen) in selectors {
            #expect(try scene.purge("{\(selector),\"dry_run\":true}") == chosen.count, "\(selector)")
            for target in named.keys { #expect(try scene.isHit(target), "\(selector) was a dry run") }
            #expect(try scene.purge("{\(selector),\"hard\":true}") == chosen.count, "\(selector)")
            for target in named.keys {
                #expect(try scene.isHit(target) != chosen.contains(target), "\(selector): \(target)")
            }
        }
    }

    /// Without the origin, a stale answer is still served, and a removed one is not.
    @Test func softLeavesAStaleAnswerAndHardNone() throws {
        let scene = try Scene()
        defer { scene.stop() }
        _ = try fill(scene)
        let before = try scene.get(Self.chart)
        #expect(try scene.purge(#"{"storefront":"us"}"#) == 3)
        #expect(try scene.purge(#"{"storefront":"gb","hard":true}"#) == 1)
        scene.stopOrigin()
        for _ in 0..<2 {
            let soft = try scene.get(Self.chart)
            #expect(soft.status == 200 && soft.body == before.body)
            #expect(soft.field("Cache-Status")?.contains("stale") == true)
            #expect(try scene.get(Self.britishChart).status >= 500)
        }
    }

    @Test func aPurgeOutlivesARestart() throws {
        let scene = try Scene()
        defer { scene.stop() }
        let (named, album) = try fill(scene)
        let before = try scene.get(Self.search)
        try scene.restart()
        #expect(try scene.purge(#"{"all":true,"dry_run":true}"#) == 4, "on disk alone")
        #expect(try scene.get(Self.search).body == before.body && scene.isHit(Self.search))
        #expect(try scene.purge(#"{"all":true,"dry_run":true}"#) == 4, "one is in memory too")
        #expect(try scene.purge(#"{"url":"\#(Self.search)"}"#) == 1)
        let number = ResourceMention.number(type: "albums", id: album)
        let naming = named.filter { $0.value.contains(number) }
        #expect(try scene.purge(#"{"resource":"albums:\#(album)","hard":true}"#) == naming.count)
        try scene.restart()
        scene.stopOrigin()
        #expect(try scene.purge(#"{"all":true,"dry_run":true}"#) == 4 - naming.count)
        for target in naming.keys { #expect(try scene.get(target).status >= 500, "\(target)") }
        #expect(try scene.get(Self.search).status == 200)
        #expect(try !scene.isHit(Self.search), "stale")
    }
}
