import Testing

@testable import refrain

@Suite struct EventReaderTests {
    private static let stream = Array(
        "retry: 2000\n: events\n\nevent: lines\ndata: {\"a\":1}\ndata:  b\n\n: alive\n\nevent: omitted\ndata: 7\n\n"
            .utf8)

    private static let events = [
        EventReader.Event(name: "lines", lines: ["{\"a\":1}", " b"]),
        EventReader.Event(name: "omitted", lines: ["7"]),
    ]

    @Test func eventsAreReadHoweverTheyAreCut() {
        for size in 1...Self.stream.count {
            var reader = EventReader()
            var events: [EventReader.Event] = []
            var start = 0
            while start < Self.stream.count {
                let end = min(start + size, Self.stream.count)
                events += reader.take(Array(Self.stream[start..<end])) ?? []
                start = end
            }
            #expect(events == Self.events, "pieces of \(size)")
        }
    }

    @Test func aLineWithoutEndIsNotKeptForEver() {
        var reader = EventReader()
        var isTaken = true
        for _ in 0..<40 where isTaken { isTaken = reader.take([UInt8](repeating: 0x61, count: 64 << 10)) != nil }
        #expect(!isTaken)
    }
}
