import Synchronization
import Testing

@testable import Proxy

@Suite struct LiveFeedTests {
    private func event(_ number: Int) -> LiveFeed.Event {
        LiveFeed.Event(
            unixSeconds: 1, isHTTP2: false, method: "GET", target: "/\(number)", status: 200, bytes: 0, outcome: .hit,
            words: "hit", nanoseconds: 1, upstreamNanoseconds: nil, client: nil)
    }

    @Test func everyWatcherReadsOnFromWhereItWas() {
        let feed = LiveFeed()
        feed.add(at: 1) { event(1) }
        #expect(!feed.isWatched)
        let number = feed.begin()
        #expect(feed.isWatched)
        #expect(feed.events(from: number).events.isEmpty)
        feed.end()
        #expect(!feed.isWatched)
        let watched = LiveFeed()
        let first = watched.begin()
        watched.add(at: 1) { event(1) }
        let second = watched.begin()
        watched.add(at: 1) { event(2) }
        #expect(watched.events(from: first).events.map(\.target) == ["/1", "/2"])
        #expect(watched.events(from: second).events.map(\.target) == ["/2"])
        watched.end()
        #expect(watched.isWatched)
        let next = watched.events(from: first).next
        watched.add(at: 1) { event(3) }
        #expect(watched.events(from: next).events.map(\.target) == ["/3"])
    }

    @Test func moreThanAnybodyReadsIsLeftOutAndSaidSo() {
        let feed = LiveFeed()
        let start = feed.begin()
        var made = 0
        for number in 0..<LiveFeed.mostPerSecond + 7 {
            feed.add(at: 5) {
                made += 1
                return event(number)
            }
        }
        #expect(made == LiveFeed.mostPerSecond)
        #expect(feed.events(from: start).skipped == 7)
        #expect(feed.events(from: start).skipped == 0)
        for second in 6..<16 {
            for number in 0..<LiveFeed.mostPerSecond { feed.add(at: Int64(second)) { event(number) } }
        }
        let (events, next, skipped) = feed.events(from: start)
        #expect(events.count <= 2 * LiveFeed.capacity)
        // Events that were dropped before they were read count as skipped.
        #expect(skipped == 10 * LiveFeed.mostPerSecond + LiveFeed.mostPerSecond - events.count)
        #expect(events.last == event(LiveFeed.mostPerSecond - 1))
        #expect(feed.events(from: next).events.isEmpty)
    }
}
