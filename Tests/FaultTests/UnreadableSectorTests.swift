import Foundation
import TestSupport
import Testing

@testable import Store

/// F4d: bytes under the cache cannot be read any more: each segment, and each page of the database,
/// one at a time, under load. Passes where every answer is right, new answers are written, and no
/// purged answer is found again, after a restart neither.
@Suite(.serialized, .timeLimit(.minutes(120)), .requires(.binary), .requires(FaultyCalls.requirement))
struct UnreadableSectorTests {
    private static let albums = 120
    /// Every n-th segment and page is tried, in their order.
    private static let every = TestSize.of(25, full: 12, release: 1)

    private struct Sector: CustomStringConvertible {
        /// The file's path below the folder of the test.
        let file: String
        let bytes: Range<Int>

        var description: String { "\(file) \(bytes)" }
    }

    private struct Figures {
        var sectors = 0
        var met = 0
        var setAside = 0
        var load = Tally()
        var hitsAfterwards = 0
    }

    @Test func bytesThatCannotBeReadCostWhatTheyHold() async throws {
        try await onThread {
            let seed = try FaultHouse()
            try seed.fill(0..<Self.albums, ["cache_size 4MiB"])
            let calls = try FaultyCalls(in: seed.folder)
            var figures = Figures()
            for (number, sector) in try Self.sectors(seed).enumerated() where number % Self.every == 0 {
                try Self.run(seed, sector, calls, &figures)
            }
            FigureTable.note(
                "F4d unreadable bytes",
                """
                \(figures.sectors) segments and pages, \(figures.met) of which were met; \(figures.setAside) files \
                set aside; \(figures.load.now); \(figures.hitsAfterwards) hits of \
                \(figures.sectors * Self.albums) after a restart
                """)
            #expect(figures.met > 0 && figures.hitsAfterwards > 0)
        }
    }

    private static func sectors(_ house: FaultHouse) throws -> [Sector] {
        let segments = try Segments.listed(in: Segments.folder(of: house.cacheFile)).keys.sorted()
        #expect(segments.count > 2)
        let size = DatabaseFile.size(house.cacheFile)
        return segments.map { Sector(file: "cache.sqlite.segments/" + Segments.name($0), bytes: 0..<Int(Int32.max)) }
            + stride(from: 0, to: size, by: Schema.pageBytes).map {
                Sector(file: "cache.sqlite", bytes: $0..<$0 + Schema.pageBytes)
            }
    }

    private static func run(
        _ seed: FaultHouse, _ sector: Sector, _ calls: FaultyCalls, _ figures: inout Figures
    ) throws {
        let house = try FaultHouse()
        for name in ["cache.sqlite", "cache.sqlite.segments"] {
            try FileManager.default.copyItem(atPath: seed.folder.file(name), toPath: house.folder.file(name))
        }
        let report = house.folder.file("report")
        let program = try house.start(
            ["cache_size 4MiB", "admin_listen 127.0.0.1:0"],
            runner: calls.unreadable(house.folder.file(sector.file), sector.bytes, report: report))
        let tally = figures.load
        try program.ask(0..<albums + 40, clients: 2, tally)
        let admin = HTTPTestClient(port: try program.adminPort)
        let urls = [5, 6].map { #""url":"\#(FaultOrigin.target($0))""# }
        try program.purge(urls + [#""prefix":"\#(FaultOrigin.target(9))""#], "\(sector)")
        #expect(try program.ask([5, 90], Tally()) == 0, "\(sector): what was purged is a hit")
        let client = CheckingClient(port: try program.port)
        let last = try writeOn(client, admin, sector, tally)
        #expect(tally.now.wrong.isEmpty && tally.now.broken.isEmpty, "\(sector): \(tally.now)")
        #expect(program.stop() == 0, "\(sector): \(program.text.suffix(1_000))")
        figures.sectors += 1
        figures.met += house.folder.has("report") ? 1 : 0
        figures.setAside += try house.folder.names.contains { $0.hasPrefix("cache.sqlite.corrupt") } ? 1 : 0
        figures.hitsAfterwards += try restart(house, sector, written: last)
    }

    /// Asks for new albums until some are written; one of them.
    private static func writeOn(
        _ client: CheckingClient, _ admin: HTTPTestClient, _ sector: Sector, _ tally: Tally
    ) throws -> Int {
        func written() throws -> Int {
            let stats = try JSONSerialization.jsonObject(with: try admin.send("GET", "/stats").body)
            return try #require((stats as? [String: Any])?["store_written"] as? Int)
        }
        let before = try written()
        var album = 10_000
        waitUntil(within: 60) {
            album += 1
            tally.note(client.ask(album: album))
            usleep(100_000)
            return ((try? written()) ?? before) > before
        }
        #expect(try written() > before, "\(sector): nothing is written")
        return album
    }

    /// How many answers are hits once all can be read again.
    private static func restart(_ house: FaultHouse, _ sector: Sector, written: Int) throws -> Int {
        let program = try house.start(["cache_size 4MiB"])
        #expect(try program.ask([6, 91], Tally()) == 0, "\(sector): what was purged is a hit")
        #expect(try program.ask([written], Tally()) == 1, "\(sector): album \(written) was written")
        let tally = Tally()
        try program.ask(0..<albums, tally)
        #expect(tally.now.right == albums, "\(sector): \(tally.now)")
        #expect(program.stop() == 0, "\(sector): \(program.text.suffix(1_000))")
        return tally.now.hits
    }
}
