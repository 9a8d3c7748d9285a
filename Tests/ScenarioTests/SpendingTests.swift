import TestSupport
import Testing

@testable import AppleMusic
@testable import Proxy
@testable import Simulator

/// Each request that the origin gets counts once by class, by purpose, by route and by client.
@Suite(.timeLimit(.minutes(10))) struct SpendingTests {
    private static let unknown = "/v1/unknown"
    private static let charts = "/v1/catalog/us/charts?types=songs"

    private let scene: ComposingScene

    /// The first request for a chart is answered 429; one answer cannot be stored.
    init() throws {
        let keys = try ClientKeys(text: "phone 0123456789abcdef\nweb fedcba9876543210\n")
        scene = try ComposingScene(
            clientKeys: keys, logFormat: .json,
            instead: { target, isFirst in
                if target == Self.charts, isFirst { return SimulatorResponse(status: 429) }
                guard target == Self.unknown else { return nil }
                return SimulatorResponse(status: 200, body: Array("{}".utf8))
            })
    }

    @discardableResult
    private func phone(_ target: String) throws -> String { try send(target, [("X-Refrain-Key", "0123456789abcdef")]) }

    @discardableResult
    private func web(_ target: String, _ fields: [(String, String)] = []) throws -> String {
        try send(target, [("X-Refrain-Key", "fedcba9876543210")] + fields)
    }

    private func send(_ target: String, _ fields: [(String, String)]) throws -> String {
        try scene.proxy.client.send("GET", target, fields: fields).field("Cache-Status") ?? ""
    }

    @Test func allSumsAreTheRequestsThatTheOriginGot() throws {
        try askForSongs()
        for _ in 0..<2 {
            try web("/v1/me/library/songs", [("Music-User-Token", "anna")])
            try web(Self.unknown)
        }
        #expect(try phone(Self.charts).contains("fwd-status=200"))
        // Past the day of songs: the stale answer is served, and renewed in the background.
        scene.clock.advance(seconds: 90_000)
        let song = Self.song(try scene.ids("songs", 6)[5])
        #expect(try phone(song).contains("detail=stale-while-revalidate"))
        waitUntil { scene.proxy.statistics.spending.counts(by: .purpose)[.purpose(.refresh)] == 1 }
        waitUntil { !scene.proxy.isAsking }
        try expectSums()
        try expectSumsOfTheLog(askingOnceMore: song)
    }

    /// A refresh that left after its line is in the client's next line.
    private func expectSumsOfTheLog(askingOnceMore song: String) throws {
        #expect(try phone(song).contains("hit"))
        #expect(try web(song).contains("hit"))
        let all = scene.proxy.statistics.spending.counts(by: .client)
        var sums: [SpendingKey: Int] = [:]
        for line in try scene.proxy.finalJSONLog() {
            let own = line["upstream_requests"]?.intValue ?? 0
            let client = SpendingKey.client(.client(try #require(line["client"]?.stringValue)))
            sums[client, default: 0] += own + (line["upstream_earlier"]?.intValue ?? 0)
            let isStale = line["outcome"]?.stringValue == "stale"
            #expect((line["upstream_seconds"] != nil) == (own > 0 && !isStale), "\(line)")
            if line["target"]?.stringValue == Self.charts { #expect(own == 2, "the 429 and what came after it") }
        }
        #expect(sums == all)
    }

    private static func song(_ id: String) -> String { "/v1/catalog/us/songs/\(id)" }

    /// Misses, hits, composed answers, and a list of which two parts are missing.
    private func askForSongs() throws {
        let songs = try scene.ids("songs", 8)
        func list(_ ids: [String]) -> String { "/v1/catalog/us/songs?ids=" + ids.joined(separator: ",") }
        try phone(Self.song(songs[0]))
        try phone(list(Array(songs[0..<3])))
        #expect(try phone(Self.song(songs[0])).contains("hit"))
        #expect(try phone(Self.song(songs[2])).contains("detail=reduced"))
        try phone(Self.song(songs[5]))
        try phone(list(Array(songs[3..<5])))
        #expect(try web(list([songs[6], songs[0], songs[7]])).contains("fwd=partial"))
    }

    private func expectSums() throws {
        let statistics = scene.proxy.statistics
        let (spending, all) = (statistics.spending, scene.upstream.count)
        #expect(statistics[.upstreamRequests] == all && spending.total == all && statistics[.hits] >= 3)
        for axis in SpendingAxis.allCases {
            #expect(spending.counts(by: axis).values.reduce(0, +) == all, "\(axis)")
        }
        let purposes = spending.counts(by: .purpose)
        for purpose in [UpstreamPurpose.supplement, .retry, .refresh, .unstored] {
            #expect(purposes[.purpose(purpose)] == 1, "\(purpose): \(purposes)")
        }
        #expect(purposes[.purpose(.personal)] == 2 && purposes[.purpose(.miss)] ?? 0 >= 3)
        let classes = spending.counts(by: .class)
        #expect(classes[.resourceClass(.personal)] == 2 && classes[.resourceClass(.other)] == 2)
        #expect(classes[.resourceClass(.charts)] == 2, "the 429 and what came after it")
        let clients = spending.counts(by: .client)
        #expect(clients == [.client(.client("web")): 5, .client(.client("phone")): all - 5])
        let library = try #require(RouteTemplate.texts.firstIndex(of: "/v1/me/library/{type}"))
        #expect(spending.counts(by: .route)[.route(library)] == 2)
    }
}
