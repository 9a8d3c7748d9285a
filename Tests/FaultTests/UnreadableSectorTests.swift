import Foundation
import TestSupport
import Testing

@testable import Store

/// F4d: bytes under the cache cannot be read any more: each segment, and each page of the database,
/// one at a time, under load. Passes where every answer is right, new answers are written, and what
/// was purged is not found again, after a restart neither.
@Suite(.serialized, .timeLimit(.minutes(120)), .requires(.binary), .requires(FaultyCalls.requirement))
struct UnreadableSectorTests {
    private static let albums = 120
    /// Of the segments and pages, in their order.
    private static let every = TestSize.of(25, full: 12, release: 1)

    private struct Sector: CustomStringConvertible {
        /// Beside the folder of the test.
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
        let port = try program.port
        concurrently(2) { half in
            let client = CheckingClient(port: port)
            for album in stride(from: half, to: albums + 40, by: 2) { tally.note(client.ask(album: album)) }
        }
        let admin = HTTPTestClient(port: try program.adminPort)
        try purge(admin, sector)
        let client = CheckingClient(port: port)
        for album in [5, 90] { #expect(!isHit(client.ask(album: album)), "\(sector): album \(album) was purged") }
        let last = try writeOn(client, admin, sector, tally)
        #expect(tally.now.wrong.isEmpty && tally.now.broken.isEmpty, "\(sector): \(tally.now)")
        #expect(program.stop() == 0, "\(sector): \(program.text.suffix(1_000))")
        figures.sectors += 1
        figures.met += house.folder.has("report") ? 1 : 0
        figures.setAside += try house.folder.names.contains { $0.hasPrefix("cache.sqlite.corrupt") } ? 1 : 0
        figures.hitsAfterwards += try restart(house, sector, written: last)
    }

    private static func purge(_ admin: HTTPTestClient, _ sector: Sector) throws {
        let selections =
            [5, 6].map { #""url":"\#(FaultOrigin.target($0))""# } + [#""prefix":"\#(FaultOrigin.target(9))""#]
        for selection in selections {
            let reply = try admin.send("POST", "/purge", body: Data("{\(selection),\"hard\":true}".utf8))
            #expect(reply.status == 200, "\(sector): \(selection)")
        }
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
        let client = CheckingClient(port: try program.port)
        let tally = Tally()
        for album in [6, 91] { #expect(!isHit(client.ask(album: album)), "\(sector): album \(album) was purged") }
        #expect(isHit(client.ask(album: written)), "\(sector): album \(written) was written")
        for album in 0..<albums { tally.note(client.ask(album: album)) }
        #expect(tally.now.right == albums, "\(sector): \(tally.now)")
        #expect(program.stop() == 0, "\(sector): \(program.text.suffix(1_000))")
        return tally.now.hits
    }

    private static func isHit(_ judgement: Judgement) -> Bool {
        if case .right(isHit: true) = judgement { true } else { false }
    }
}
