import EventLoop
import TestSupport
import Testing

@testable import Cache
@testable import Proxy

@Suite struct FlightTableTests {
    private typealias Table = FlightTable<String>
    private let key = FlightKey(CacheKey(of: .none, scope: .shared, target: Array("/a".utf8)))
    private let start = Instant(nanoseconds: 1_000_000_000)
    private let other = FlightKey(CacheKey(of: .none, scope: .shared, target: Array("/b".utf8)))

    private func lead(
        _ table: inout Table, of key: FlightKey? = nil, _ purges: PurgesSeen = .none
    ) throws -> Table.FlightID {
        guard case .lead(let id) = table.join(key ?? self.key, purges, now: start, "leader") else {
            throw Unexpected()
        }
        return id
    }

    /// A table with a leader, and these that wait for it.
    private func led(_ waiters: String...) throws -> (Table, Table.FlightID) {
        var table = Table()
        let id = try lead(&table)
        for waiter in waiters { #expect(table.join(key, now: start, waiter) == .wait) }
        return (table, id)
    }

    /// The same with a second leader, which has taken over after five seconds.
    private func followed(_ waiters: String...) throws -> (Table, slow: Table.FlightID, quick: Table.FlightID) {
        var (table, slow) = try led()
        for waiter in waiters { #expect(table.join(key, now: start, waiter) == .wait) }
        let quick = table.takeOver(key, now: start + .seconds(5))
        return (table, slow, try #require(quick))
    }

    private func refresh(_ table: inout Table) throws -> Table.FlightID {
        let id = table.refresh(key, now: start)
        return try #require(id)
    }

    private func isAlone(_ joining: Table.Joining) -> Bool {
        if case .alone = joining { true } else { false }
    }

    private struct Unexpected: Error {}

    @Test func theFirstLeadsThoseWithItsQuestionThatWait() throws {
        var (table, id) = try led("a", "b")
        #expect(table.join(other, now: start, "c") != .wait)
        #expect(table.finish(id, .shared, now: start).all == ["a", "b"])
        #expect(table.finish(id, .shared, now: start).all == [])
        #expect(table.join(key, now: start, "d") != .wait)
        table = Table()
        let (one, two) = (FlightKey(key.key, question: 1), FlightKey(key.key, question: 2))
        id = try lead(&table, of: one)
        _ = try lead(&table, of: two)
        #expect(table.join(one, now: start, "a") == .wait)
        #expect(table.finish(id, .uncollapsible, now: start).all == ["a"])
        #expect(table.join(two, now: start, "b") == .wait, "what one answer is says nothing of another's")
    }

    @Test func anUncollapsibleAnswerIsRememberedAndServesNoWaiter() throws {
        var (table, id) = try led("a")
        #expect(table.finish(id, .uncollapsible, now: start).all == ["a"])
        #expect(isAlone(table.join(key, now: start + .seconds(9), "b")))
        #expect(!isAlone(table.join(key, now: start + .seconds(10), "c")))
        var (other, first) = try led()
        _ = other.finish(first, .uncollapsible, now: start)
        guard case .alone(let second) = other.join(key, now: start, "a") else { throw Unexpected() }
        _ = other.finish(second, .shared, now: start)
        #expect(!isAlone(other.join(key, now: start, "a")))
        (table, _) = try led("a", "b")
        table.invalidate(Array("/a".utf8))
        let another = try lead(&table)
        _ = table.finish(another, .uncollapsible, now: start + .seconds(4))
        #expect(table.takeOver(key, now: start + .seconds(5)) != nil)
        #expect(table.takeOver(key, now: start + .seconds(5)) != nil)
    }

    /// An answer that is of no use to others is no better a reason to ask all the time than none.
    @Test(arguments: [Table.Ending.failed, .uncollapsible])
    func oneRefreshAtATimeAndThenAPause(ending: FlightTable<String>.Ending) throws {
        var table = Table()
        let id = try refresh(&table)
        #expect(table.refresh(key, now: start) == nil)
        #expect(!table.isWaitedFor(id))
        #expect(table.join(key, now: start, "a") == .wait && table.isWaitedFor(id))
        #expect(table.finish(id, ending, now: start).all == ["a"])
        #expect(table.refresh(key, now: start + .seconds(4)) == nil)
        #expect(table.refresh(key, now: start + .seconds(5)) != nil)
    }

    /// A HEAD's answer is never stored, and says nothing of the answer to a GET.
    @Test func anUnjoinableFlightLeavesNoMark() throws {
        var table = Table()
        _ = table.finish(table.begin(key, 0, start), .uncollapsible, now: start)
        _ = try lead(&table)
        #expect(table.join(key, now: start, "a") == .wait)
        _ = table.finish(table.begin(key, 0, start), .failed, now: start)
        _ = table.finish(table.begin(other, 0, start), .failed, now: start)
        #expect(table.refresh(other, now: start) != nil)
    }

    /// All waiters heard of the failure, although the answer was on its way by then.
    @Test func aLateLeaderIsFollowedAndTheLastTellsOfFailure() throws {
        var (table, slow, quick) = try followed("a", "b")
        #expect(table.finish(slow, .failed, now: start + .seconds(6)).all == [])
        #expect(table.join(key, now: start + .seconds(6), "c") == .wait)
        #expect(table.finish(quick, .shared, now: start + .seconds(7)).all == ["a", "b", "c"])
        #expect(table.count == 0)
        (table, slow, quick) = try followed("a")
        #expect(table.finish(quick, .failed, now: start + .seconds(6)).all == [])
        #expect(table.finish(slow, .failed, now: start + .seconds(7)).all == ["a"])
        #expect(table.count == 0)
        (table, slow) = try led("a")
        #expect(table.takeOver(key, now: start + .seconds(4)) == nil)
        let taken = table.takeOver(key, now: start + .seconds(5))
        quick = try #require(taken)
        #expect(table.takeOver(key, now: start + .seconds(6)) == nil, "one at a time")
        #expect(table.finish(quick, .shared, now: start + .seconds(6)).all == ["a"])
        #expect(table.join(key, now: start + .seconds(6), "b") == .wait, "the slow one is still out")
        #expect(table.finish(slow, .shared, now: start + .seconds(7)).all == ["b"])
        #expect(table.count == 0)
    }

    @Test func theBytesOfAllWaitersAreBoundedNotTheirNumber() throws {
        var (table, id) = try led()
        _ = table.join(other, now: start, "leader")
        let most = Table.maxWaitingBytes - 2 * Table.bytesPerWaiter
        func join(_ key: FlightKey, _ party: UInt64, bytes: Int = 0, _ waiter: String) -> Table.Joining {
            table.join(key, now: start, of: .network(party), bytes: bytes, waiter)
        }
        #expect(join(key, 1, bytes: most, "large") == .wait)
        #expect(join(other, 2, bytes: 1, "too large") == .full)
        #expect(join(other, 3, "small") == .wait)
        #expect(join(key, 4, "one more") == .full)
        #expect(table.finish(id, .failed, now: start).all == ["large"])
        #expect(join(other, 1, bytes: most, "large") == .wait)
        // The thousand-and-first client of one cold key got a 503.
        (table, id) = try led()
        for number in 0..<3_000 { #expect(table.join(key, now: start, "\(number)") == .wait) }
        #expect(table.finish(id, .shared, now: start).early.count == 3_000)
        #expect(table.waitingBytes == 0)
    }

    /// The waiting requests of one client took all the memory, and each other client that had to
    /// wait got a 503.
    @Test func aPartyLeavesOthersRoomToWait() throws {
        var (table, id) = try led()
        func join(_ party: UInt64) -> Table.Joining {
            table.join(key, now: start, of: .network(party), "\(party)")
        }
        let places = Table.maxWaitingBytes / Table.bytesPerWaiter
        for _ in 0..<places / 8 * 7 { #expect(join(1) == .wait) }
        #expect(join(1) == .shareUsed && join(2) == .wait)
        for _ in 1..<places / 64 * 7 { #expect(join(2) == .wait) }
        #expect(join(2) == .shareUsed && join(3) == .wait)
        _ = table.finish(id, .shared, now: start)
        #expect(table.waitingBytes == 0)
        id = try lead(&table)
        #expect(join(1) == .wait, "nothing is held any more")
    }

    /// Given up only if that is certain, and then joined by no request.
    @Test func aLeaderIsGivenUpOnceNoClientWaits() throws {
        var (table, id) = try led("a", "b")
        let seat = try #require(table.seat(for: key))
        #expect(table.waiterLeft(seat) == false)
        #expect(table.abandon(id) == false, "one waits still")
        #expect(table.waiterLeft(seat) == true)
        #expect(table.abandon(id) == true)
        _ = try lead(&table)
        #expect(table.finish(id, .shared, now: start).all == ["a", "b"])
        #expect(try #require(table.seat(for: key)) != seat)
        // A leader whose place was taken is not given up.
        var (taken, slow) = try led()
        #expect(taken.takeOver(key, now: start + .seconds(5)) != nil)
        #expect(taken.abandon(slow) == false)
        // A waiter that was told already counts no more, if its client leaves before it has heard.
        var (told, first) = try led("a")
        let place = try #require(told.seat(for: key))
        let successor = told.takeOver(key, now: start + .seconds(5))
        let second = try #require(successor)
        #expect(told.finish(first, .shared, now: start + .seconds(6)).all == ["a"])
        #expect(told.join(key, now: start + .seconds(6), "b") == .wait)
        #expect(told.waiterLeft(place) == false)
        #expect(told.abandon(second) == false, "b waits")
    }

    @Test func marksAreBounded() {
        var table = Table()
        for number in 0..<Table.maxMarks + 10 {
            let key = FlightKey(CacheKey(of: .none, scope: .shared, target: Array("/\(number)".utf8)))
            if case .lead(let id) = table.join(key, now: start, "") {
                _ = table.finish(id, .uncollapsible, now: start)
            }
        }
        let last = FlightKey(CacheKey(of: .none, scope: .shared, target: Array("/\(Table.maxMarks + 9)".utf8)))
        #expect(!isAlone(table.join(last, now: start, "")), "what did not fit is not remembered")
        let first = FlightKey(CacheKey(of: .none, scope: .shared, target: Array("/0".utf8)))
        #expect(isAlone(table.join(first, now: start, "")))
    }

    /// An answer that a write has removed is not served again. A waiter could not take over from
    /// such a flight, and got a 504.
    @Test(arguments: [false, true], [false, true])
    func aFlightThatIsOutOfDateIsNotJoinedButLedAnew(isPurged: Bool, takesOver: Bool) throws {
        var (table, old) = try led("before")
        #expect(!table.isInvalid(old))
        if !isPurged { table.invalidate(Array("/a".utf8)) }
        #expect(table.isInvalid(old) != isPurged)
        let (later, purges) = (start + .seconds(5), isPurged ? PurgesSeen(newest: 1, last: 1) : .none)
        let taken = try takesOver ? table.takeOver(key, purges, now: later) : lead(&table, purges)
        let anew = try #require(taken)
        #expect(!table.isInvalid(anew) && anew.born == (isPurged ? 1 : 0))
        #expect(table.join(key, purges, now: later, "after") == .wait)
        if takesOver { #expect(table.takeOver(key, purges, now: start + .seconds(6)) == nil, "one at a time") }
        #expect(table.finish(old, .shared, now: start + .seconds(6)).all == ["before"])
        #expect(table.join(key, purges, now: start + .seconds(6), "later") == .wait)
        #expect(table.finish(anew, .shared, now: start + .seconds(7)).early == ["after", "later"])
        #expect(table.count == 0)
    }

    /// A user's flight was kept when another process may have served a write.
    @Test func personalFlightsAreInvalidatedAlone() throws {
        var table = Table()
        let user = CacheKey.Scope.personal(UserHash(bits: 1))
        let personal = FlightKey(CacheKey(of: .none, scope: user, target: Array("/a".utf8)))
        let (shared, alone) = (try lead(&table), table.begin(personal, 0, start))
        let joinable = try lead(&table, of: personal)
        table.invalidatePersonal()
        #expect([shared, alone, joinable].map { table.isInvalid($0) } == [false, true, true])
        #expect(table.join(personal, now: start, "b") != .wait)
        #expect(table.join(key, now: start, "c") == .wait)
        // The answer to a POST counts for its target, unless another write changed that.
        table = Table()
        let (own, other) = (table.begin(key, 0, start), table.begin(key, 0, start))
        table.invalidate(Array("/a".utf8), by: own)
        #expect(!table.isInvalid(own))
        #expect(table.isInvalid(other))
        table.invalidate(Array("/a".utf8), by: other)
        #expect(table.isInvalid(own))
    }

    /// In any order every waiter is handed out once, and nothing is left.
    @Test(arguments: 0..<TestSize.of(15, release: 50) as Range<UInt64>)
    func noWaiterIsEverLeftBehind(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = Table()
        var now = start
        var flying: [Table.FlightID] = []
        var (waiting, finished) = (Set<String>(), [String]())
        let keys = (0..<4).map { FlightKey(CacheKey(of: .none, scope: .shared, target: Array("/\($0)".utf8))) }
        for step in 0..<400 {
            now = now + .milliseconds(Int.random(in: 0..<2_000, using: &random))
            let key = keys.randomElement(using: &random)!
            let purges = PurgesSeen(newest: Int64(step / 10), last: Int64(step / 100 * 10))
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<6:
                switch table.join(key, purges, now: now, "\(step)") {
                case .lead(let id), .alone(let id): flying.append(id)
                case .wait: waiting.insert("\(step)")
                case .full, .shareUsed: break
                }
            case 6..<8:
                if let id = table.takeOver(key, purges, now: now) { flying.append(id) }
            case 8: table.invalidate(Array(key.key.target))
            default:
                guard let index = flying.indices.randomElement(using: &random) else { continue }
                let id = flying.remove(at: index)
                let ending = [Table.Ending.shared, .uncollapsible, .failed].randomElement(using: &random)!
                finished += table.finish(id, ending, now: now).all
            }
        }
        for id in flying { finished += table.finish(id, .shared, now: now).all }
        #expect(finished.count == waiting.count && Set(finished) == waiting, "seed \(seed)")
        #expect(table.count == 0, "seed \(seed)")
    }
}
