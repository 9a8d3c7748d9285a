import EventLoop
import Recording
import TestSupport
import Testing
import Upstream

@testable import Traffic

/// The order of a plan, and the part of it that is not in memory.
@Suite struct PlannedEntriesTests {
    private static func entry(_ offset: Int64, _ index: Int) -> PlannedEntries.Entry {
        PlannedEntries.Entry(
            offset: offset, message: index..<index + 7, index: index, status: 200 + index % 300,
            hasContent: index % 2 == 0, body: index % 3 == 0 ? BodyHash(of: [UInt8(truncatingIfNeeded: index)]) : nil)
    }

    /// Windows and bounds of a few entries, so that every plan has files and runs.
    @Test(arguments: 0..<TestSize.of(20, full: 200)) func anyOrderIsSorted(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 1...3000, using: &random)
        let disorder = Int64([0, 3, 40, 100_000].randomElement(using: &random)!)
        let all = (0..<count).map { index in
            Self.entry(Int64(index / 2) + Int64.random(in: 0...disorder, using: &random), index)
        }
        let entries = PlannedEntries(keepsBodies: true, window: 1 + seed % 17, most: 256)
        for entry in all { try entries.append(entry) }
        try entries.finish()
        try #require(entries.count == count)
        let sorted = all.sorted { ($0.offset, $0.index) < ($1.offset, $1.index) }
        for position in 0..<count { #expect(try entries.entry(position) == sorted[position]) }
    }

    @Test func hashesThatAreNotWantedTakeNoRoom() throws {
        let entries = PlannedEntries()
        try entries.append(Self.entry(5, 0))
        try entries.finish()
        #expect(try entries.entry(0).body == nil && entries.entry(0).offset == 5)
    }

    /// Reading gives the bytes that were written, at every border of memory, file and page.
    @Test func bytesComeBackFromMemoryAndFile() throws {
        let spool = Spool(most: 1000)
        let pieces = (0..<400).map { number in [UInt8](repeating: UInt8(number % 251), count: number * 7 % 990) }
        var places: [Int] = []
        for piece in pieces { places.append(try spool.append(piece)) }
        for number in Array(pieces.indices) + pieces.indices.reversed() {
            #expect(try spool.read(at: places[number], count: pieces[number].count) == pieces[number])
        }
    }

    /// A plan whose messages do not fit into memory has them in a file, each once where it is
    /// recognised.
    @Test func messagesAreReadBackWithTheFieldsOfTheRun() {
        var plan = ReplayPlan(
            file: "", target: Endpoint(isTLS: false, host: "127.0.0.1", port: 8080), pace: .closed, connections: 1)
        plan.fields = [RecordedField("authorization", "Bearer x")]
        let planned = PlannedRequests(plan, mostInMemory: 100)
        for number in 0..<500 {
            planned.add(
                RecordedExchange(
                    time: .now(), offset: .milliseconds(number), method: "GET", target: "/\(number % 50)", status: 200,
                    latency: .zero, length: 2))
        }
        planned.finish()
        #expect(planned.problem == nil && planned.entries.count == 500)
        for number in 0..<500 {
            let text = String(decoding: planned.request(number)?.message ?? [], as: UTF8.self)
            let fields = "host: 127.0.0.1:8080\r\nauthorization: Bearer x\r\n\r\n"
            #expect(text == "GET /\(number % 50) HTTP/1.1\r\n\(fields)")
        }
    }
}

@Suite struct HeldRequestsTests {
    @Test func requestsNoticedTogetherShareATime() {
        var held = HeldRequests()
        for position in 3..<10 { held.note(position, at: 1000 + Int64(position)) }
        held.note(10, at: 5_000_000)
        held.note(12, at: 5_000_001)
        #expect(held.take(3) == 1003 && held.take(9) == 1003 && held.take(10) == 5_000_000)
        #expect(held.take(12) == 5_000_001 && held.take(13) == nil)
        for position in 13..<9000 { held.note(position, at: Int64(position) * HeldRequests.together) }
        #expect(held.take(8000) == 8000 * HeldRequests.together && held.take(8999) == 8999 * HeldRequests.together)
    }
}

extension Schedule {
    /// The schedule of a recording whose requests came at these times.
    init(recorded: [Duration], pace: ReplayPace, duration: Duration? = nil, repeats: Bool = false) {
        self.init(of: recorded.count, pace: pace, duration: duration, repeats: repeats) {
            recorded[$0].wholeNanoseconds
        }
    }
}
