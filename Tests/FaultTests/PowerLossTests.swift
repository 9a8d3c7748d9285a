import Foundation
import TestSupport
import Testing

/// F2: the power goes at any moment. The proxy's writes to its cache file are recorded, and files
/// are made of them as a disk may have them then: all synchronised bytes, and any part of the rest.
/// Passes with 0 malformed files, 0 wrong bodies, and a store that opens each. As the control, a
/// disk that ignores `fdatasync` (as with `synchronous = OFF`) must be found out by the same look
/// in more than a fifth of its images. The proxy knows `NORMAL` alone. A disk that wrote no more
/// than it had to has the record of every row: the pages that a checkpoint brought to it are whole.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(FaultyCalls.requirement))
struct PowerLossTests {
    private static let images = TestSize.of(12, full: 250, release: 20_000)
    private static let albums = TestSize.of(600, full: 1_200, release: 2_400)
    /// The size of the cache file: small, so that checkpoints are frequent and segments come and
    /// go.
    private static let bytes = 1 << 20
    /// The number of rows read in each image: the newest, which the loss may have touched.
    private static let rows = 40

    private struct Figures: Sendable {
        var unsound = 0
        var refused = 0
        var found = 0
        var wrong = 0
        /// Rows whose records are not there.
        var lost = 0
    }

    @Test func aLossOfPowerLeavesASoundFile() async throws {
        try await onThread {
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            var trace = try Self.record()
            // Where the machine is busy more is written at once, and fewer segments come and go.
            for _ in 0..<5 where !Self.tellsEnough(trace) { trace = try Self.record() }
            try #require(Self.tellsEnough(trace), "\(trace.syncs) syncs, \(trace.removals) removals")
            let honest = try Self.look(at: trace, .honest, Self.images, &generator)
            let tardy = try Self.look(at: trace, .tardy, Self.images, &generator)
            let controls = max(Self.images / 4, 12)
            let lying = try Self.look(at: trace, .lying, controls, &generator)
            FigureTable.note(
                "F2 loss of power",
                """
                \(Self.images) images of \(trace.count) operations, \(trace.syncs) syncs, \(trace.removals) removals: \(honest.unsound) \
                malformed, \(honest.wrong) wrong of \(honest.found) bodies, \(honest.refused) refused; tardy: \
                \(tardy.lost) lost of \(tardy.found + tardy.lost); control: \
                \(lying.unsound) of \(controls) found out, \(lying.wrong) wrong of \(lying.found); seed \(seed)
                """)
            #expect(honest.unsound == 0 && honest.wrong == 0 && honest.refused == 0, "seed \(seed)")
            #expect(honest.found > Self.images, "seed \(seed)")
            #expect(tardy.unsound == 0 && tardy.wrong == 0 && tardy.refused == 0, "seed \(seed): \(tardy)")
            #expect(tardy.found > Self.images && tardy.lost == 0, "seed \(seed): \(tardy)")
            // If there are few images, most may happen to be whole all the same.
            let expected = TestSize.of(1, full: controls / 5)
            #expect(lying.unsound >= expected && lying.wrong == 0, "seed \(seed): \(lying)")
        }
    }

    private static func tellsEnough(_ trace: DiskTrace) -> Bool { trace.syncs > 4 && trace.removals > 4 }

    /// The program fills a cache that is too small for it all, and is killed; twice, because the
    /// second run takes over the pages that the first had not brought to the disk.
    private static func record() throws -> DiskTrace {
        let house = try FaultHouse()
        let calls = try FaultyCalls(in: house.folder)
        let trace = house.folder.file("trace")
        for half in [0..<albums / 2, albums / 2..<albums] {
            let program = try house.start(
                ["cache_size \(bytes)"], runner: calls.recording(house.cacheFile, to: trace))
            let tally = Tally()
            try program.ask(half, clients: 8, tally)
            #expect(tally.now.right == half.count, "\(tally.now)")
            waitUntil(within: 60) { LeftFile(path: house.cacheFile).has(FaultOrigin.target(half.upperBound - 1)) }
            program.kill()
        }
        return try DiskTrace(trace)
    }

    private static func look(
        at trace: DiskTrace, _ disk: DiskTrace.Disk, _ images: Int, _ generator: inout SeededGenerator
    ) throws -> Figures {
        var figures = Figures()
        let folder = try TemporaryFolder()
        // Before that the file has no tables yet.
        let first = disk == .honest ? 1 : trace.count / 2
        for _ in 0..<images {
            for name in try folder.names { try folder.remove(name) }
            for name in ["cache.sqlite", "copy.sqlite"] {
                try FileManager.default.createDirectory(
                    atPath: folder.file(name + ".segments"), withIntermediateDirectories: false)
            }
            let count = Int.random(in: first...trace.count, using: &generator)
            for (file, bytes) in trace.image(after: count, on: disk, &generator) {
                for name in ["cache.sqlite", "copy.sqlite"] { try folder.put(bytes, name + DiskTrace.suffix(file)) }
            }
            // The first connection to a file takes its log over.
            let copy = LeftFile(path: folder.file("copy.sqlite"))
            let isSound = copy.isSound
            let named = Int(copy.rows ?? 0)
            let visit = LeftFile(path: folder.file("cache.sqlite"))
                .visit(maxBytes: bytes, most: disk == .tardy ? named : rows)
            if !isSound || !visit.isReadable { figures.unsound += 1 }
            if !visit.isAvailable { figures.refused += 1 }
            figures.found += visit.found
            figures.wrong += visit.wrong
            if disk == .tardy { figures.lost += named - visit.found }
        }
        return figures
    }
}
