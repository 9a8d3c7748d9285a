import Foundation
import TestSupport
import Testing

/// F4: the n-th system call of one kind on the cache file fails (EIO), for each n and kind. Passes
/// with 0 crashes, 0 wrong bodies or lost answers, and a sound file afterwards, be it a fresh one
/// in place of one that was set aside.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary), .requires(FaultyCalls.requirement))
struct FailingSystemCallTests {
    private static let numbers = TestSize.of(
        [1], full: Array(stride(from: 1, through: 40, by: 3)), release: Array(1...200))
    /// How many calls in a row fail.
    private static let counts = TestSize.of([1], full: [1], release: [1, 1_000_000])
    private static let stored = 20

    private struct Figures {
        var runs = 0
        var failed = 0
        var setAside = 0
        var last: [String: Int] = [:]
    }

    @Test func aFailedSystemCallCostsNoAnswer() async throws {
        try await onThread {
            let seed = try FaultHouse()
            try seed.fill(0..<Self.stored)
            let file = try seed.folder.bytes("cache.sqlite")
            let calls = try FaultyCalls(in: seed.folder)
            var figures = Figures()
            for name in FaultyCalls.names {
                for count in Self.counts {
                    for number in Self.numbers {
                        let failed = try Self.run(file, calls, name, number, count, &figures)
                        figures.runs += 1
                        figures.failed += failed
                        // There are not as many calls in a run.
                        if failed == 0 { break }
                        figures.last[name] = number
                    }
                }
            }
            FigureTable.note(
                "F4 failing calls",
                """
                \(figures.runs) runs, \(figures.failed) calls failed, the last of each kind \
                \(figures.last.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }); \
                \(figures.setAside) files set aside
                """)
            #expect(figures.last.count == FaultyCalls.names.count)
        }
    }

    /// How many calls failed.
    private static func run(
        _ file: [UInt8], _ calls: FaultyCalls, _ name: String, _ number: Int, _ count: Int, _ figures: inout Figures
    ) throws -> Int {
        let what: Comment = "\(name) \(number), \(count) in a row"
        let house = try FaultHouse()
        try house.folder.put(file, "cache.sqlite")
        let report = house.folder.file("report")
        let program = try house.start(
            runner: calls.failing(name, on: house.cacheFile, from: number, count: count, error: EIO, report: report))
        let tally = Tally()
        try program.ask(0..<stored + 10, clients: 2, tally)
        #expect(tally.now.right == stored + 10, "\(what): \(tally.now)")
        #expect(program.isRunning, "\(what): \(program.text.suffix(1_000))")
        #expect(program.stop() == 0, "\(what): \(program.text.suffix(1_000))")
        figures.setAside += try house.folder.names.contains { $0.hasPrefix("cache.sqlite.corrupt") } ? 1 : 0
        let visit = LeftFile(path: house.cacheFile).visit()
        #expect(visit.isAvailable && visit.isReadable && visit.wrong == 0, "\(what): \(visit)")
        #expect(LeftFile(path: house.cacheFile).isSound, what)
        return try house.folder.has("report") ? house.folder.bytes("report").count : 0
    }
}
