import Testing

@testable import Store
@testable import refrain

/// An end was told at the start alone, weeks before it.
@Suite struct ShortagesTests {
    private static let (hour, day) = (Int64(3600), Int64(86_400))
    private let end = 100 * day

    private func expiry(ends: Int64? = nil) -> Expiry {
        Expiry(subject: "a", begins: 0, ends: ends ?? end, consequence: "it fails")
    }

    /// Counts the lines of a look each minute between two times.
    private func count(
        _ shortages: inout Shortages, from start: Int64, to stop: Int64, ends: Int64? = nil, reloads: Int = 0
    ) -> Int {
        stride(from: start, to: stop, by: 60).reduce(0) {
            $0 + shortages.due([expiry(ends: ends)], reloads: reloads, at: $1).count
        }
    }

    @Test func anExpiryIsReportedDailyAndAtItsEnd() {
        var shortages = Shortages()
        #expect(count(&shortages, from: end - 50 * Self.day, to: end - 10 * Self.day) == 0)
        #expect(count(&shortages, from: end - 10 * Self.day, to: end - 5 * Self.day - Self.hour) == 5)
        #expect(count(&shortages, from: end - 5 * Self.day - Self.hour, to: end - Self.day - 600) == 4)
        #expect(count(&shortages, from: end - Self.day - 600, to: end - Self.day + 600) == 1, "a day")
        #expect(count(&shortages, from: end - Self.day + 600, to: end - Self.hour - 600) == 0)
        #expect(count(&shortages, from: end - Self.hour - 600, to: end - 600) == 1, "an hour")
        #expect(count(&shortages, from: end - 600, to: end + 600) == 1, "the end")
        #expect(count(&shortages, from: end + 600, to: end + 2 * Self.day) == 1)
    }

    /// The start and the reload that bring it have told.
    @Test func anEndThatIsNewIsNotToldTwice() {
        var shortages = Shortages()
        #expect(count(&shortages, from: end - 600, to: end - 300) == 0)
        let later = end + Self.day / 2
        #expect(count(&shortages, from: end - 300, to: end, ends: later, reloads: 1) == 0)
        #expect(count(&shortages, from: later - 300, to: later, ends: later, reloads: 1) == 1)
    }

    /// After a 401 a new token is read from its file without a reload: nothing told of its end.
    @Test func anEndThatComesWithoutAReloadIsTold() {
        var shortages = Shortages()
        #expect(count(&shortages, from: end - 600, to: end - 300) == 0)
        #expect(count(&shortages, from: end - 300, to: end, ends: end + Self.day / 2) == 1)
    }

    @Test func aClockThatIsSetBackSilencesNothing() {
        var shortages = Shortages()
        _ = shortages.due([expiry()], reloads: 0, at: end + 1000 * Self.day)
        let due = shortages.due([expiry()], reloads: 0, at: end - Self.hour)
        #expect(due.first?.hasPrefix("a expires in 1h") == true)
    }

    @Test func aDiskIsToldOnceAsItGetsShort() {
        var shortages = Shortages()
        func due(_ free: Int) -> Bool { shortages.due(DiskSpace(freeBytes: free, byteCount: 1000)) != nil }
        #expect([60, 49, 20, 51, 49, 99, 1].map(due) == [false, true, false, false, false, false, false])
        #expect([100, 49].map(due) == [false, true])
        #expect(shortages.due(nil) == nil)
        _ = due(100)
        let words = shortages.due(DiskSpace(freeBytes: 1 << 20, byteCount: 1 << 30))
        #expect(words?.hasPrefix("cache_file: its disk has 1.0 MiB left of 1.0 GiB; ") == true, "\(words ?? "-")")
    }
}
