import TestSupport
import Testing

@testable import EventLoop

@Suite struct TimerQueueTests {
    /// Against a model: a sorted array of (deadline, order).
    @Test(arguments: [1, 2, 3] as [UInt64])
    func runsInOrderWhateverIsCancelled(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue()
        var model: [(deadline: Int64, id: Int, token: TimerToken)] = []
        var ran: [Int] = []
        var expected: [Int] = []
        var now: Int64 = 0
        for id in 0..<5000 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let deadline = now + Int64.random(in: -5...200, using: &random)
                let token = queue.insert(at: Instant(nanoseconds: deadline)) { ran.append(id) }
                model.append((deadline, id, token))
            case 6..<9:
                guard !model.isEmpty else { continue }
                let victim = model.remove(at: Int.random(in: 0..<model.count, using: &random))
                queue.cancel(victim.token)
                queue.cancel(victim.token)
            default:
                now += Int64.random(in: 0...50, using: &random)
                let due = model.filter { $0.deadline <= now }.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
                model.removeAll { $0.deadline <= now }
                expected += due.map(\.id)
                while let (_, body) = queue.popDue(at: Instant(nanoseconds: now)) { body() }
            }
            #expect(queue.count == model.count, "seed \(seed)")
            #expect(queue.earliest?.nanoseconds == model.map(\.deadline).min(), "seed \(seed)")
        }
        #expect(ran == expected, "seed \(seed)")
    }

    @Test func releasesACancelledClosure() {
        final class Canary {}
        var queue = TimerQueue()
        weak var canary: Canary?
        let token = {
            let object = Canary()
            canary = object
            return queue.insert(at: .now()) { _ = object }
        }()
        #expect(canary != nil)
        queue.cancel(token)
        #expect(canary == nil)
    }

    @Test func aTokenOfATimerThatRanCancelsNoOther() {
        var queue = TimerQueue()
        let old = queue.insert(at: Instant(nanoseconds: 1)) {}
        _ = queue.popDue(at: Instant(nanoseconds: 1))
        _ = queue.insert(at: Instant(nanoseconds: 2)) {}
        queue.cancel(old)
        #expect(queue.count == 1)
    }
}
