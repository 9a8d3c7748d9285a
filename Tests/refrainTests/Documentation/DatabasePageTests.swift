import Foundation
import Proxy
import Server
import Simulator
import TestSupport
import Testing

@testable import Cache
@testable import EventLoop
@testable import Store
@testable import refrain

/// Every query of the page about the cache file is run against one that a proxy wrote.
@Suite(.timeLimit(.minutes(10))) struct DatabasePageTests {
    private static let targets = [
        "/v1/catalog/us/charts?types=albums,songs&limit=20", "/v1/catalog/gb/search?term=moon&types=songs,artists",
        "/v1/catalog/us/search?term=river&types=songs", "/v1/catalog/us/albums/1", "/v1/storefronts",
        "/v1/catalog/us/albums?ids=1,2",
    ]

    @Test func everyQueryAnswers() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("refrain.sqlite")
        try Self.fill(path)
        let queries = try Page("Sources/Documentation/DATABASE.md").blocks("sql")
        #expect(queries.count >= 12)
        let database = try Database(path: path, mode: .readOnly, busyTimeout: .seconds(5))
        for query in queries {
            do {
                var rows = 0
                try Statement(database, query.trimmingCharacters(in: ["\n", ";"])).forEachRow([]) { _ in
                    rows += 1
                    return true
                }
                #expect(rows > 0, "nothing answers\n\(query)")
            } catch {
                Issue.record("\(error) in\n\(query)")
            }
        }
    }

    /// The schema that the page shows is the one that SQLite keeps. It said that it has the
    /// comments of `.schema`, and named no index.
    @Test func everyColumnIndexAndTriggerIsExplained() throws {
        let page = try Page("Sources/Documentation/DATABASE.md")
        #expect(page.lines.contains { $0.contains("version \(Schema.version)") })
        let folder = try TemporaryFolder()
        let path = folder.file("refrain.sqlite")
        FileTier.open(path: path, maxBytes: 16 << 20) { _ in }.records.close()
        let database = try Database(path: path, mode: .readOnly, busyTimeout: .seconds(5))
        let query = """
            SELECT 'Table ' || t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
            WHERE t.type IN ('table', 'view') UNION ALL
            SELECT 'Indexes and trigger', name FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL
            """
        var names: [String: [String]] = [:]
        try Statement(database, query).forEachRow([]) { row in
            names[row.text(0), default: []].append(row.text(1))
            return true
        }
        #expect(names.count == 12)
        for (heading, names) in names { #expect(page.names(under: heading).sorted() == names.sorted(), "\(heading)") }
    }

    /// Sends requests through a proxy that keeps answers at `path`, and stops it when all of them
    /// are there.
    private static func fill(_ path: String) throws {
        var simulated = SimulatorConfiguration()
        simulated.requiresAuthorization = false
        let api = SimulatedAPI(configuration: simulated)
        let listener = ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        let origin = try ServiceHost(label: "simulator", listener: listener) { SimulatorService(api, context: $0) }
        defer { origin.stop() }
        let scene = try ProxyScene("upstream http://\(origin.address)\ncache_file \(path)")
        for target in targets { #expect(try scene.client.send("GET", target).status < 500) }
        scene.stop()
    }
}
