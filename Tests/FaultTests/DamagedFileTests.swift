import Foundation
import TestSupport
import Testing

@testable import Cache
@testable import Store

/// F4b: the program starts with a cache file that is damaged, or that it may not write. Passes
/// where it starts each time and each answer is right. The many places of damage are the store's
/// own tests (`StoreDamageTests`), which need no process for each.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.binary))
struct DamagedFileTests {
    private static let flips = TestSize.of(1, full: 8, release: 200)
    private static let albums = 20
    private static let segment = "cache.sqlite.segments/" + Segments.name(1)

    /// A database and its only segment.
    private typealias Files = (database: [UInt8], segment: [UInt8])

    @Test func aDamagedFileIsNoReasonNotToStart() async throws {
        try await onThread {
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            let house = try FaultHouse()
            try house.fill(0..<Self.albums)
            let (database, segment) = (try house.folder.bytes("cache.sqlite"), try house.folder.bytes(Self.segment))
            var files: [Files] = [(database, segment), ([], segment)]
            for _ in 0..<Self.flips {
                files += [(Self.flipped(database, &generator), segment), (Self.cut(database, &generator), segment)]
                files += [(database, Self.flipped(segment, &generator)), (database, Self.cut(segment, &generator))]
            }
            var hits: [Int] = []
            for (number, each) in files.enumerated() {
                try Self.put(each, house)
                hits.append(try Self.exercise(house, try house.start(), "file \(number), seed \(seed)"))
            }
            FigureTable.note(
                "F4b damaged files", "hits of \(Self.albums) at each start, the first with a sound file: \(hits)")
            #expect(hits[0] == Self.albums, "or the others show nothing")
        }
    }

    private static func put(_ files: Files, _ house: FaultHouse) throws {
        for name in try house.folder.names where name.hasPrefix("cache.sqlite") { try house.folder.remove(name) }
        try house.folder.put(files.database, "cache.sqlite")
        try FileManager.default.createDirectory(
            atPath: house.cacheFile + ".segments", withIntermediateDirectories: false)
        try house.folder.put(files.segment, segment)
    }

    private static func flipped(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        let bit = Int.random(in: 0..<bytes.count * 8, using: &generator)
        bytes[bit / 8] ^= 1 << (bit % 8)
        return bytes
    }

    private static func cut(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator)))
    }

    /// A file of another owner, and a file that may only be read. Root may write every file, so the
    /// program runs as another user where the tests run as root.
    @Test func aReadOnlyFileIsNoReasonNotToStart() async throws {
        try await onThread {
            let house = try FaultHouse()
            try house.fill(0..<Self.albums)
            let setUser = "/usr/bin/setpriv"
            var runner: [String] = []
            if geteuid() == 0 {
                guard access(setUser, X_OK) == 0 else {
                    return LeftOut.note("no setpriv (apt-get install util-linux): no file of another owner was tried")
                }
                runner = [setUser, "--reuid=65534", "--regid=65534", "--clear-groups"]
            }
            // The key is the other user's own, and the folder may be entered.
            let key = try house.folder.put(
                String(decoding: try house.folder.bytes("key.p8"), as: UTF8.self), "other.p8", mode: 0o600)
            if geteuid() == 0 { #expect(chown(key, 65_534, 65_534) == 0) }
            chmod(house.folder.path, 0o755)
            for mode: mode_t in [0o600, 0o444, 0o000] {
                chmod(house.cacheFile, geteuid() == 0 ? mode : mode & 0o444)
                let program = try house.start(key: key, runner: runner)
                _ = try Self.exercise(house, program, "mode \(String(mode, radix: 8))")
            }
        }
    }

    /// Asks for everything, and ends the program; how many were hits.
    private static func exercise(_ house: FaultHouse, _ program: ServedProgram, _ what: Comment) throws -> Int {
        let tally = Tally()
        let hits = try program.ask(0..<albums, tally)
        #expect(tally.now.right == albums, "\(what): \(tally.now)")
        #expect(program.stop() == 0, "\(what): \(program.text.suffix(1_000))")
        return hits
    }
}
