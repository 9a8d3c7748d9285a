import EventLoop
import TestSupport
import Testing

@testable import Server

@Suite struct RequestAllowanceTests {
    private func instant(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

    @Test func aSecondsWorthMayComeAtOnceAndTheRestEvenly() {
        var allowance = RequestAllowance(perSecond: 4)
        for _ in 0..<4 { #expect(allowance.take(at: instant(0)) == nil) }
        #expect(allowance.take(at: instant(0)) == .milliseconds(250))
        #expect(allowance.take(at: instant(249)) == .milliseconds(1))
        #expect(allowance.take(at: instant(250)) == nil)
        #expect(allowance.take(at: instant(250)) != nil)
        for _ in 0..<4 { #expect(allowance.take(at: instant(9000)) == nil) }
        #expect(allowance.take(at: instant(9000)) != nil)
    }

    /// A key of 5/s was admitted 18 times a second by three nodes.
    @Test func nodesDivideTheRateAmongThem() {
        for nodes in 1...8 {
            var allowances = (0..<nodes).map { _ in RequestAllowance(perSecond: 4) }
            var admitted = 0
            for milliseconds in stride(from: 0, to: 10_000, by: 10) {
                for node in 0..<nodes where allowances[node].take(at: instant(milliseconds), nodes: nodes) == nil {
                    admitted += 1
                }
            }
            // One at a time is admitted by each in any case.
            #expect((40...44 + max(0, nodes - 4)).contains(admitted), "\(nodes) nodes: \(admitted)")
        }
    }

    @Test func thePartFollowsTheNumberOfNodes() {
        var allowance = RequestAllowance(perSecond: 4)
        #expect(allowance.take(at: instant(0), nodes: 8) == nil)
        #expect(allowance.take(at: instant(0), nodes: 8) == .seconds(2))
        // The others are gone.
        for _ in 0..<2 { #expect(allowance.take(at: instant(1500)) == nil) }
        #expect(allowance.take(at: instant(1500)) == .milliseconds(250))
    }

    @Test func noSecondHasMoreThanTwiceTheRate() {
        var random = SeededGenerator(seed: 63)
        for _ in 0..<50 {
            let rate = Int.random(in: 1...50, using: &random)
            var allowance = RequestAllowance(perSecond: rate)
            var (time, taken) = (0, [Int]())
            for _ in 0..<2000 {
                time += Int.random(in: 0...20, using: &random)
                if allowance.take(at: instant(time)) == nil { taken.append(time) }
            }
            for start in taken {
                #expect(taken.count { $0 >= start && $0 < start + 1000 } <= 2 * rate)
            }
            #expect(taken.count <= rate + rate * time / 1000 + 1)
        }
    }
}
