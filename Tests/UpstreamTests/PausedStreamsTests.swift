import EventLoop
import Testing

@testable import Upstream

@Suite struct PausedStreamsTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)

    private func paused(_ count: Int) -> PausedStreams<Int> {
        var streams = PausedStreams<Int>()
        for number in 0..<count { streams.begin(number, of: .everyone, at: now + .milliseconds(number)) }
        return streams
    }

    /// The longest pause gave way, though the streams of another party left no room.
    @Test func noPartysStreamEndsForAnothers() {
        var streams = PausedStreams<Int>()
        streams.begin(0, of: .network(1), at: now)
        for number in 1...4 { streams.begin(number, of: .network(2), at: now + .seconds(number)) }
        let later = now + .seconds(6)
        #expect(streams.overdue(isContended: true, of: 8, now: later) == 1)
        #expect(streams.due(isContended: true, of: 8) == now + .seconds(2))
        streams.end(1)
        #expect(streams.overdue(isContended: true, of: 8, now: later) == nil, "half of the connections")
        #expect(streams.overdue(isContended: true, of: 8, now: now + .seconds(10)) == 0, "as it would alone")
        #expect(streams.overdue(isContended: true, of: 4, now: later) == 2)
    }

    @Test func pauseEndsAfterAWhileThoughNothingElseWaits() {
        let streams = paused(1)
        #expect(streams.due(isContended: false, of: 8) == now + .seconds(10))
        #expect(streams.overdue(isContended: false, of: 8, now: now + .milliseconds(9_999)) == nil)
        #expect(streams.overdue(isContended: false, of: 8, now: now + .seconds(10)) == 0)
        // A reader that keeps up but for a moment is left alone.
        #expect(paused(4).overdue(isContended: true, of: 2, now: now + .milliseconds(999)) == nil)
        // A pause lasts until 256 KiB have left (`StreamedAnswerTests`). It lasted until all that
        // was queued had, up to 368 KiB, and this reader was cut off.
        let resumed = now + .seconds(1) * Double(256 << 10) / Double(256_000 / 8)
        #expect(paused(1).overdue(isContended: false, of: 8, now: resumed) == nil)
    }

    @Test(arguments: [(1, 0), (2, 1), (3, 1), (8, 4)])
    func halfOfTheConnectionsMayPauseWhileOthersWait(connections: Int, share: Int) {
        let soon = now + .seconds(2)
        #expect(paused(share).overdue(isContended: true, of: connections, now: soon) == nil)
        #expect(paused(share + 1).overdue(isContended: true, of: connections, now: soon) == 0)
        #expect(paused(share + 1).overdue(isContended: false, of: connections, now: soon) == nil)
    }

    @Test func theLongestPauseGivesWay() {
        var streams = paused(3)
        streams.end(0)
        #expect(streams.overdue(isContended: true, of: 2, now: now + .seconds(2)) == 1)
        streams.end(1)
        #expect(streams.overdue(isContended: true, of: 2, now: now + .seconds(2)) == nil)
        streams.end(2)
        #expect(streams.isEmpty && streams.due(isContended: true, of: 2) == nil)
    }
}
