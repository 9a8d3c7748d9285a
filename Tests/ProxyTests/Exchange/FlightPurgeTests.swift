import EventLoop
import TestSupport
import Testing
import Upstream

@testable import Cache
@testable import Proxy

/// The purges of a script, as a request of it knows them.
struct PurgesSeen {
    /// The number of the latest.
    var newest: Int64
    /// That of the last that is known to choose its answer; 0: none.
    var last: Int64

    static let none = PurgesSeen(newest: 0, last: 0)
}

/// The table with purges as numbers.
extension FlightTable {
    /// - Parameter asked: when the request came; nil: now.
    mutating func join(
        _ key: FlightKey, _ purges: PurgesSeen = .none, asked: Int64? = nil, now: Instant,
        of party: UpstreamParty = .everyone, bytes: Int = 0, _ waiter: Waiter
    ) -> Joining {
        join(
            key, newest: purges.newest, bornFrom: purges.last, asked: asked ?? purges.newest, now: now, of: party,
            bytes: bytes, waiter)
    }

    mutating func refresh(_ key: FlightKey, _ purges: PurgesSeen = .none, now: Instant) -> FlightID? {
        refresh(key, newest: purges.newest, bornFrom: purges.last, now: now)
    }

    mutating func takeOver(_ key: FlightKey, _ purges: PurgesSeen = .none, now: Instant) -> FlightID? {
        takeOver(key, newest: purges.newest, bornFrom: purges.last, now: now)
    }

    func isWaitedFor(_ key: FlightKey, _ purges: PurgesSeen = .none, now: Instant) -> Bool {
        isWaitedFor(key, bornFrom: purges.last, now: now)
    }
}

/// Purges while requests are under way.
@Suite struct FlightPurgeTests {
    private typealias Table = FlightTable<String>
    private let key = FlightKey(CacheKey(of: .none, scope: .shared, target: Array("/a".utf8)))
    private let start = Instant(nanoseconds: 1_000_000_000)

    private struct Unexpected: Error {}

    /// A table with a leader that began under that number.
    private func led(_ newest: Int64) throws -> (Table, Table.FlightID) {
        var table = Table()
        guard case .lead(let id) = table.join(key, PurgesSeen(newest: newest, last: 0), now: start, "leader")
        else { throw Unexpected() }
        return (table, id)
    }

    /// A script that purged album after album had each client of another album ask for itself.
    @Test func purgesOfOthersKeepNoRequestFromJoining() throws {
        var (table, id) = try led(3)
        let others = PurgesSeen(newest: 9, last: 3)
        #expect(table.join(key, others, now: start, "a") == .wait)
        #expect(table.isWaitedFor(key, others, now: start))
        #expect(table.refresh(key, others, now: start) == nil)
        #expect(table.takeOver(key, others, now: start + .seconds(4)) == nil)
        #expect(table.finish(id, .shared, now: start).all == ["a"])
    }

    @Test func aPurgeOfTheTargetEndsTheFlightForThoseWhoComeLater() throws {
        var (table, old) = try led(3)
        #expect(table.join(key, PurgesSeen(newest: 3, last: 0), now: start, "before") == .wait)
        let purged = PurgesSeen(newest: 4, last: 4)
        #expect(!table.isWaitedFor(key, purged, now: start))
        let refreshed = table.refresh(key, purged, now: start)
        let anew = try #require(refreshed)
        #expect(anew.born == 4)
        #expect(table.join(key, purged, now: start, "after") == .wait)
        #expect(table.finish(old, .shared, now: start).early == ["before"])
        #expect(table.finish(anew, .shared, now: start).early == ["after"])
        #expect(table.count == 0)
    }

    /// Whether a purge chose the answer is known by its content alone, perhaps.
    @Test func thoseWhoCameAfterAPurgeAreToldApart() throws {
        var (table, id) = try led(3)
        for (number, waiter) in [(3, "a"), (5, "b"), (3, "c"), (4, "d")] as [(Int64, String)] {
            #expect(table.join(key, PurgesSeen(newest: number, last: 0), now: start, waiter) == .wait)
        }
        // One that came before the purge, and joins a second time.
        #expect(table.join(key, PurgesSeen(newest: 5, last: 0), asked: 3, now: start, "e") == .wait)
        let told = table.finish(id, .shared, now: start)
        #expect(told.early == ["a", "c", "e"] && told.late == ["b", "d"])
    }

    /// A leader that took over is born when it begins; the flight is as old as its oldest leader.
    @Test func eachLeaderHasItsOwnNumber() throws {
        var (table, slow) = try led(3)
        let other = PurgesSeen(newest: 5, last: 0)
        #expect(table.join(key, other, now: start, "a") == .wait)
        let taken = table.takeOver(key, other, now: start + .seconds(5))
        let quick = try #require(taken)
        #expect(quick.born == 5 && slow.born == 3)
        #expect(!table.isWaitedFor(key, PurgesSeen(newest: 6, last: 4), now: start), "the first may be sooner")
        #expect(table.finish(quick, .shared, now: start + .seconds(6)).early == ["a"])
        (table, slow) = try led(3)
        let again = table.takeOver(key, other, now: start + .seconds(5))
        let second = try #require(again)
        _ = table.finish(slow, .failed, now: start + .seconds(6))
        #expect(
            table.join(key, PurgesSeen(newest: 6, last: 4), now: start + .seconds(7), "b") == .wait,
            "the second alone is out")
        #expect(table.finish(second, .shared, now: start + .seconds(8)).late == ["b"])
    }

    /// Against a model that remembers all: no request waits for an answer that a purge before it
    /// chose by its target, and none leads for another reason than that, or that no flight is open.
    @Test(arguments: 0..<TestSize.of(15, release: 50) as Range<UInt64>)
    func onlyPurgesOfTheTargetKeepRequestsApart(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var table = Table()
        var purged: [Int64] = []
        var newest: Int64 = 0
        var flying: [Table.FlightID] = []
        var asked: [String: Int64] = [:]
        for step in 0..<400 {
            let seen = PurgesSeen(newest: newest, last: purged.last ?? 0)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                newest += 1
                if Int.random(in: 0..<4, using: &random) == 0 { purged.append(newest) }
            case 3..<8:
                let isOpen = flying.contains { $0.born >= seen.last }
                switch table.join(key, seen, now: start, "\(step)") {
                case .wait:
                    asked["\(step)"] = newest
                    #expect(isOpen, "seed \(seed)")
                case .lead(let id):
                    flying.append(id)
                    #expect(!isOpen && id.born == newest, "seed \(seed)")
                case .alone, .full, .shareUsed: Issue.record("seed \(seed)")
                }
            default:
                guard let index = flying.indices.randomElement(using: &random) else { continue }
                let id = flying.remove(at: index)
                let told = table.finish(id, .shared, now: start)
                for waiter in told.all {
                    let came = asked[waiter] ?? 0
                    #expect(!purged.contains { id.born < $0 && $0 <= came }, "seed \(seed)")
                    #expect(told.late.contains(waiter) == (came > id.born), "seed \(seed)")
                }
            }
        }
    }
}
