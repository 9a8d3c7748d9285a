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

    /// The schema that the page shows is the one that SQLite keeps.
    @Test func everyColumnIsExplained() throws {
        let page = try Page("Sources/Documentation/DATABASE.md")
        #expect(page.lines.contains { $0.contains("version \(Schema.version)") })
        let folder = try TemporaryFolder()
        let database = try Self.newFile(folder)
        var columns: [String: Set<String>] = [:]
        try Statement(
            database,
            """
            SELECT t.name, c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type IN ('table', 'view')
            """
        ).forEachRow([]) { row in
            columns[row.text(0), default: []].insert(row.text(1))
            return true
        }
        #expect(columns.count == 8)
        for (table, names) in columns {
            let shown = page.table(under: "Table \(table)").compactMap {
                $0.first?.split(separator: "`").first.map(String.init)
            }
            #expect(Set(shown) == names, "Table \(table)")
        }
    }

    /// The page said that it has the comments of `.schema`, and named no index.
    @Test func everyIndexAndTriggerOfANewFileIsNamed() throws {
        let folder = try TemporaryFolder()
        let database = try Self.newFile(folder)
        var names: Set<String> = []
        try Statement(
            database, "SELECT name FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
        ).forEachRow([]) { row in
            names.insert(row.text(0))
            return true
        }
        let shown = try Page("Sources/Documentation/DATABASE.md").table(under: "Indexes and trigger").compactMap {
            $0.first?.split(separator: "`").first.map(String.init)
        }
        #expect(!names.isEmpty && Set(shown) == names && shown.count == names.count)
    }

    /// A file in which no answers are yet.
    private static func newFile(_ folder: TemporaryFolder) throws -> Database {
        let path = folder.file("refrain.sqlite")
        FileTier.open(path: path, maxBytes: 16 << 20) { _ in }.records.close()
        return try Database(path: path, mode: .readOnly, busyTimeout: .seconds(5))
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
        let text = quiet("upstream http://\(origin.address)\ncache_file \(path)")
        let proxy = try RunningProxy(read(text).configuration, OperationalLog(level: .error) { _ in })
        let client = HTTPTestClient(port: Int(try #require(proxy.addresses.first).port))
        for target in targets { #expect(try client.send("GET", target).status < 500) }
        client.close()
        proxy.stop()
    }
}
