import Foundation
import TestSupport
import Testing

/// F4b: the program starts with a cache file that is damaged, or that it may not write. Passes
/// where it starts each time and each answer is right. The many places of damage are the store's
/// own tests (`StoreDamageTests`), which need no process for each.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.binary))
struct DamagedFileTests {
    private static let flips = TestSize.of(1, full: 20, release: 200)
    private static let albums = 20

    @Test func aDamagedFileIsNoReasonNotToStart() async throws {
        try await onThread {
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            let house = try FaultHouse()
            try house.fill(0..<Self.albums)
            let good = try house.folder.bytes("cache.sqlite")
            var files: [[UInt8]] = TestSize.of([[]], full: [[], Array(good.prefix(100)), Array(good.dropLast())])
            for _ in 0..<Self.flips {
                var bytes = good
                let bit = Int.random(in: 0..<bytes.count * 8, using: &generator)
                bytes[bit / 8] ^= 1 << (bit % 8)
                files += [bytes, Array(good.prefix(Int.random(in: 0..<good.count, using: &generator)))]
            }
            var hits = 0
            for (number, bytes) in files.enumerated() {
                for name in try house.folder.names where name.hasPrefix("cache.sqlite") {
                    try house.folder.remove(name)
                }
                try house.folder.put(bytes, "cache.sqlite")
                hits += try Self.exercise(house, try house.start(), "file \(number), seed \(seed)")
            }
            FigureTable.note(
                "F4b damaged files",
                "\(files.count) starts with a damaged file: \(hits) hits of \(files.count * Self.albums)")
        }
    }

    /// Of another owner, and for reading alone. Root may write everything: the program runs as
    /// another user then.
    @Test func aFileThatMayNotBeWrittenIsNoReasonNotToStart() async throws {
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
        let client = CheckingClient(port: try program.port)
        let tally = Tally()
        for album in 0..<albums { tally.note(client.ask(album: album)) }
        client.close()
        #expect(tally.now.right == albums, "\(what): \(tally.now)")
        #expect(program.stop() == 0, "\(what): \(program.text.suffix(1_000))")
        return tally.now.hits
    }
}
