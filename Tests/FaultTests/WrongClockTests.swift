import Foundation
import TestSupport
import Testing

/// F10b: the wall clock goes ahead or back by a day or by ten years, before and after a fill, a
/// purge and a restart, and is right again later. Passes where every answer is right, no purged
/// answer is a hit, and the second request for a target from then on is a hit, after a restart too.
@Suite(.serialized, .timeLimit(.minutes(60)), .requires(.binary), .requires(FaultyCalls.requirement))
struct WrongClockTests {
    private static let (day, decade): (Int64, Int64) = (86_400, 3_650 * 86_400)
    private static let albums = 20

    /// The step before which the clock goes wrong.
    private enum Moment: CaseIterable {
        case fill, purge, restart, end
    }

    private static let cases = Moment.allCases.flatMap { moment in [day, -day, decade, -decade].map { (moment, $0) } }
    private static let every = TestSize.of(9, full: 5, release: 1)

    @Test func aClockThatWasWrongDoesNoLastingHarm() async throws {
        try await onThread {
            let tally = Tally()
            let chosen = Self.cases.enumerated().filter { $0.offset % Self.every == 0 }.map(\.element)
            for (moment, ahead) in chosen { try Self.run(moment, ahead, tally) }
            FigureTable.note("F10b wrong clocks", "\(chosen.count) steps of a clock and back: \(tally.now)")
            #expect(tally.now.wrong.isEmpty && tally.now.broken.isEmpty, "\(tally.now.wrong.prefix(5))")
        }
    }

    private static func run(_ moment: Moment, _ ahead: Int64, _ tally: Tally) throws {
        let house = try FaultHouse()
        let calls = try FaultyCalls(in: house.folder)
        let clock = try WallClock(house.folder, named: "clock")
        let what: Comment = "\(ahead) s ahead before \(moment)"
        func start() throws -> ServedProgram {
            try house.start(["admin_listen 127.0.0.1:0"], runner: calls.seeing(clock))
        }
        func reach(_ now: Moment) throws { if now == moment { try clock.set(ahead: ahead) } }
        var program = try start()
        defer { program.kill() }
        func purge(_ albums: [Int]) throws {
            try program.purge(albums.map { #""url":"\#(FaultOrigin.target($0))""# }, what)
        }
        try reach(.fill)
        try program.ask(0..<albums, tally)
        try reach(.purge)
        try purge([3, 4])
        #expect(try program.ask([3], tally) == 0, what)
        try reach(.restart)
        #expect(program.stop() == 0, what)
        program = try start()
        #expect(try program.ask([4], tally) == 0, what)
        try program.ask(0..<albums, tally)
        try reach(.end)
        try program.ask(0..<albums, tally)
        try clock.set(ahead: 0)
        // From here on all is as it should be.
        try program.ask(0..<albums, tally)
        #expect(try program.ask(0..<albums, tally) == albums, what)
        try purge([5])
        #expect(try program.ask([5], tally) == 0 && program.ask([5], tally) == 1, what)
        #expect(program.stop() == 0, what)
        program = try start()
        #expect(try program.ask(0..<albums, tally) == albums, what)
        #expect(program.stop() == 0, what)
    }
}
