import Cache
import EventLoop
import TestSupport
import Testing

@testable import Proxy

@Suite struct FlightTableTests {
    private typealias Table = FlightTable<String>
    private let key = CacheKey(scope: .shared, target: Array("/a".utf8))
    private let start = Instant(nanoseconds: 1_000_000_000)

    private func lead(_ table: inout Table, _ now: Instant) throws -> Table.FlightID {
        guard case .lead(let id) = table.join(key, now: now, "leader") else { throw Unexpected() }
        return id
    }

    private func refresh(_ table: inout Table, _ now: Instant) throws -> Table.FlightID {
        let id = table.refresh(key, now: now)
        return try #require(id)
    }

    private struct Unexpected: Error {}

    @Test func theFirstLeadsTheOthersWaitAndAllAreHandedOut() throws {
        var table = Table()
        let id = try lead(&table, start)
        #expect(table.join(key, now: start, "a") == .wait)
        #expect(table.join(key, now: start, "b") == .wait)
        let other = CacheKey(scope: .shared, target: Array("/b".utf8))
        #expect(table.join(other, now: start, "c") != .wait)
        #expect(table.land(key, id, .shared, now: start) == ["a", "b"])
        #expect(table.land(key, id, .shared, now: start) == [])
        #expect(table.join(key, now: start, "d") != .wait)
    }

    @Test func anUncollapsibleAnswerIsRememberedForAWhile() throws {
        var table = Table()
        let id = try lead(&table, start)
        #expect(table.join(key, now: start, "a") == .wait)
        #expect(table.land(key, id, .uncollapsible, now: start) == ["a"])
        #expect(table.join(key, now: start + .seconds(9), "b") == .alone)
        #expect(table.join(key, now: start + .seconds(10), "c") != .alone)
    }

    @Test func aSharedAnswerEndsTheMemoryOfAnUncollapsibleOne() throws {
        var table = Table()
        let first = try lead(&table, start)
        _ = table.land(key, first, .uncollapsible, now: start)
        let second = try refresh(&table, start)
        _ = table.land(key, second, .shared, now: start)
        #expect(table.join(key, now: start, "a") != .alone)
    }

    @Test func oneRefreshAtATimeAndAPauseAfterOneThatFailed() throws {
        var table = Table()
        let id = try refresh(&table, start)
        #expect(table.refresh(key, now: start) == nil)
        #expect(table.join(key, now: start, "a") == .wait)
        #expect(table.land(key, id, .failed, now: start) == ["a"])
        #expect(table.refresh(key, now: start + .seconds(4)) == nil)
        #expect(table.refresh(key, now: start + .seconds(5)) != nil)
    }

    @Test func aLeaderThatIsOutForLongMayBeFollowedByAnother() throws {
        var table = Table()
        let slow = try lead(&table, start)
        #expect(table.join(key, now: start, "a") == .wait)
        #expect(table.takeOver(key, now: start + .seconds(4)) == nil)
        let taken = table.takeOver(key, now: start + .seconds(5))
        let quick = try #require(taken)
        #expect(table.takeOver(key, now: start + .seconds(6)) == nil, "one at a time")
        #expect(table.land(key, quick, .shared, now: start + .seconds(6)) == ["a"])
        #expect(table.join(key, now: start + .seconds(6), "b") == .wait, "the slow one is still out")
        #expect(table.land(key, slow, .shared, now: start + .seconds(7)) == ["b"])
        #expect(table.count == 0)
    }

    @Test func waitersAreBounded() throws {
        var table = Table()
        _ = try lead(&table, start)
        for number in 0..<Table.maxWaiters { #expect(table.join(key, now: start, "\(number)") == .wait) }
        #expect(table.join(key, now: start, "one more") == .full)
    }

    @Test func whatIsRememberedIsBounded() {
        var table = Table()
        for number in 0..<Table.maxMarks + 10 {
            let key = CacheKey(scope: .shared, target: Array("/\(number)".utf8))
            if case .lead(let id) = table.join(key, now: start, "") {
                _ = table.land(key, id, .uncollapsible, now: start)
            }
        }
        let last = CacheKey(scope: .shared, target: Array("/\(Table.maxMarks + 9)".utf8))
        #expect(table.join(last, now: start, "") != .alone, "what did not fit is not remembered")
        let first = CacheKey(scope: .shared, target: Array("/0".utf8))
        #expect(table.join(first, now: start, "") == .alone)
    }

    @Test func anUnsafeMethodSpoilsWhatIsUnderWayAndNothingElse() throws {
        var table = Table()
        table.spoil(Array("/a".utf8))
        #expect(!table.isSpoilt(key))
        let id = try lead(&table, start)
        table.spoil(Array("/a".utf8))
        #expect(table.isSpoilt(key))
        _ = table.land(key, id, .uncollapsible, now: start)
        #expect(!table.isSpoilt(key))
    }

    /// Whatever happens in whatever order, every waiter is handed out exactly once, and nothing is left at the end.
    @Test(arguments: 0..<50) func noWaiterIsEverLeftBehind(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = Table()
        var now = start
        var flying: [(CacheKey, Table.FlightID)] = []
        var (waiting, landed) = (Set<String>(), [String]())
        let keys = (0..<4).map { CacheKey(scope: .shared, target: Array("/\($0)".utf8)) }
        for step in 0..<400 {
            now = now + .milliseconds(Int.random(in: 0..<2_000, using: &random))
            let key = keys.randomElement(using: &random)!
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                switch table.join(key, now: now, "\(step)") {
                case .lead(let id): flying.append((key, id))
                case .wait: waiting.insert("\(step)")
                case .alone, .full: break
                }
            case 2:
                if let id = table.takeOver(key, now: now) { flying.append((key, id)) }
            default:
                guard let index = flying.indices.randomElement(using: &random) else { continue }
                let (key, id) = flying.remove(at: index)
                let ending = [Table.Landing.shared, .uncollapsible, .failed].randomElement(using: &random)!
                landed += table.land(key, id, ending, now: now)
            }
        }
        for (key, id) in flying { landed += table.land(key, id, .shared, now: now) }
        #expect(landed.count == waiting.count && Set(landed) == waiting, "seed \(seed)")
        #expect(table.count == 0, "seed \(seed)")
    }
}
