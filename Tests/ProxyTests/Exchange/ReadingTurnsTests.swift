import Testing
import Text

@testable import Proxy

@Suite struct ReadingTurnsTests {
    private typealias Turns = ReadingTurns<String, Int>

    @Test func aTurnReadsOneCompositionBeyondItsBound() {
        var turns = Turns()
        #expect(turns.isIdle && !turns.isUsedUp)
        turns.read(Turns.most - 1)
        #expect(!turns.isIdle && !turns.isUsedUp)
        turns.read(8 << 20)
        #expect(turns.isUsedUp)
        #expect(turns.next() == nil)
        turns.begin()
        #expect(turns.isIdle && !turns.isUsedUp)
    }

    @Test func waitingRequestsGoOnInLaterTurns() {
        var turns = Turns()
        turns.read(Turns.most)
        for number in 0..<3 { #expect(turns.add(number, of: "a") == true) }
        #expect(turns.next() == nil, "this turn has read enough")
        turns.begin()
        #expect(!turns.isIdle)
        #expect(turns.next() == 0)
        turns.read(Turns.most)
        #expect(turns.next() == nil)
        turns.begin()
        for next in [1, 2, nil] { #expect(turns.next() == next, "what goes on reads nothing") }
        #expect(turns.isIdle)
    }

    /// A hundred large compositions of one client would come before a small one of another.
    @Test func partiesTakeTurns() {
        var turns = Turns()
        for number in 0..<4 { _ = turns.add(number, of: "greedy") }
        _ = turns.add(10, of: "honest")
        _ = turns.add(20, of: "other")
        var order: [Int] = []
        while let next = turns.next() { order.append(next) }
        #expect(order == [0, 10, 1, 20, 2, 3])
    }

    /// One client took all places, so that the compositions of others became misses.
    @Test func aPartyLeavesOthersRoomToWait() {
        var turns = Turns()
        let most = FairShare.most(of: Turns.mostWaiting)
        for number in 0..<most { #expect(turns.add(number, of: "a") == true) }
        #expect(turns.add(-1, of: "a") == false)
        #expect(turns.add(-2, of: "b") == true)
        #expect(turns.next() == 0 && turns.next() == -2)
        #expect(turns.add(-1, of: "a") == true)
    }

    @Test func noMoreWaitThanMay() {
        var turns = ReadingTurns<Int, Int>()
        for number in 0..<ReadingTurns<Int, Int>.mostWaiting { #expect(turns.add(number, of: number) == true) }
        #expect(turns.add(-1, of: -1) == false)
        #expect(turns.next() == 0)
        #expect(turns.add(-1, of: -1) == true)
    }
}
