import Foundation
import Synchronization
import TestSupport
import Testing

/// F1: the proxy is killed (SIGKILL) at any moment under 200 requests a second, a third of which it
/// has to ask and store. Passes with 0 errors of integrity, 0 wrong bodies, 0 rows of private data,
/// and a hit after each kill for every answer that was on disk before all of them.
@Suite(.serialized, .timeLimit(.minutes(300)), .requires(.binary))
struct KillTests {
    private static let cycles = TestSize.of(3, full: 60, release: 10_000)
    /// The number of cycles after which a cache is begun anew, so that there are misses.
    private static let cyclesOfAFile = 200
    private static let stored = 40

    private struct Figures {
        let load = Tally()
        var unsound = 0
        var wrongRows = 0
        var personalRows: Int64 = 0
        var firstHits = 0
        /// From the start of the program on.
        var timesOfFirstHits: [Duration] = []
    }

    @Test func aKillLosesNothingStoredAndServesNothingWrong() async throws {
        try await onThread {
            let seed = UInt64.random(in: 0...UInt64.max)
            var generator = SeededGenerator(seed: seed)
            var figures = Figures()
            var left = Self.cycles
            while left > 0 {
                try Self.run(min(left, Self.cyclesOfAFile), &generator, &figures)
                left -= Self.cyclesOfAFile
            }
            let times = figures.timesOfFirstHits.sorted()
            FigureTable.note(
                "F1 kills",
                """
                \(Self.cycles) kills: \(figures.load.now); \(figures.unsound) files unsound, \
                \(figures.wrongRows) wrong rows, \(figures.personalRows) private ones; first hit \
                \(times[times.count / 2]) after the start, at most \(times[times.count - 1]); seed \(seed)
                """)
            #expect(figures.unsound == 0 && figures.wrongRows == 0 && figures.personalRows == 0, "seed \(seed)")
            let load = figures.load.now
            #expect(load.wrong.isEmpty, "seed \(seed): \(load.wrong.prefix(5))")
            #expect(figures.firstHits == Self.cycles, "seed \(seed)")
            #expect(load.misses > 0 && load.hits > 0)
        }
    }

    private static func run(_ cycles: Int, _ generator: inout SeededGenerator, _ figures: inout Figures) throws {
        let house = try FaultHouse()
        try house.fill(0..<stored)
        let file = LeftFile(path: house.cacheFile)
        for cycle in 1...cycles {
            let begun = ContinuousClock.now
            let program = try house.start()
            let client = CheckingClient(port: try program.port)
            if case .right(isHit: true) = client.ask(album: cycle % stored) { figures.firstHits += 1 }
            figures.timesOfFirstHits.append(ContinuousClock.now - begun)
            let life = UInt32(20_000 * pow(20, Double.random(in: 0..<1, using: &generator)))
            try load(program, known: stored + cycle * 100, seed: generator.next(), life, figures.load)
            program.waitForEnd()
            if !file.isSound { figures.unsound += 1 }
            figures.personalRows += file.personalRows ?? 1
            guard cycle % 20 == 0 || cycle == cycles else { continue }
            figures.wrongRows += file.visit(maxBytes: 1 << 30).wrong
            let isPrivateThere = try house.folder.everything.range(of: Data(FaultOrigin.personalMark.utf8)) != nil
            if isPrivateThere { figures.personalRows += 1 }
        }
        #expect(try house.folder.names.allSatisfy { !$0.contains("corrupt") })
    }

    /// Four clients at 50 requests a second each, until the proxy is killed after `life`
    /// microseconds.
    private static func load(
        _ program: ServedProgram, known: Int, seed: UInt64, _ life: UInt32, _ tally: Tally
    ) throws {
        let (id, port) = (program.id, try program.port)
        let isOver = Atomic<Bool>(false)
        concurrently(5) { number in
            if number == 4 {
                usleep(life)
                isOver.store(true, ordering: .sequentiallyConsistent)
                kill(id, SIGKILL)
                return
            }
            var generator = SeededGenerator(seed: seed &+ UInt64(number))
            let client = CheckingClient(port: port)
            while !isOver.load(ordering: .sequentiallyConsistent) {
                switch Int.random(in: 0..<10, using: &generator) {
                case 0: tally.note(client.askPersonal(number))
                case 1...3: tally.note(client.ask(album: known + Int.random(in: 0..<100, using: &generator)))
                default: tally.note(client.ask(album: Int.random(in: 0..<stored, using: &generator)))
                }
                usleep(20_000)
            }
        }
    }
}
