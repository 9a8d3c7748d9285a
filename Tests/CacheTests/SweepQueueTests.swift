import Synchronization
import Testing

@testable import Cache
@testable import Purging

@Suite struct SweepQueueTests {
    @Test func oneSweepAtATimeAndEachPurgeIsAnsweredByTheNextThatBegins() {
        var queue = SweepQueue()
        let told = Told()
        let isFirst = queue.add(EntrySelection(), .hard, 1) { told.note("first", $0) }
        #expect(isFirst)
        let first = queue.take()
        #expect(first.map(\.first) == [1])
        let isSecond = queue.add(EntrySelection(), .hard, 2) { told.note("second", $0) }
        #expect(!isSecond, "one is under way")
        var end = queue.end(first, counted: true, isOwed: false)
        for (completion, count) in end.due { completion(count) }
        #expect(told.all == ["first 0"])
        #expect(end.begins, "another one waits")
        end = queue.end(queue.take(), counted: false, isOwed: false)
        for (completion, count) in end.due { completion(count) }
        #expect(told.all == ["first 0", "second nothing"])
        #expect(!end.begins)
        let begins = queue.begin()
        #expect(begins)
    }

    @Test func whatIsOwedIsSweptThoughNobodyWaits() {
        var queue = SweepQueue()
        let begins = [queue.begin(), queue.begin()]
        #expect(begins == [true, false])
        let end = queue.end(queue.take(), counted: true, isOwed: true)
        #expect(end.begins)
    }
}

private final class Told: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func note(_ name: String, _ count: Int?) {
        lines.withLock { $0.append("\(name) \(count.map { "\($0)" } ?? "nothing")") }
    }
}
