import TestSupport
import Testing

@testable import Cache

@Suite struct PendingWritesTests {
    private typealias Waiting = [(key: Int64, operation: PendingWrites.Operation)]

    /// `#expect` calls nothing that mutates.
    private func store(_ response: StoredResponse, _ index: Int64, in pending: inout PendingWrites) -> Bool {
        pending.enqueue(.store(response), index)
    }

    /// The keys of the next batch.
    private func cut(_ waiting: inout Waiting, _ maxBytes: Int) -> [Int64] {
        PendingWrites.nextBatch(of: &waiting, maxBytes: maxBytes).map(\.key)
    }

    private func isStore(_ operation: PendingWrites.Operation?, of response: StoredResponse) -> Bool {
        if case .store(let found) = operation { found === response } else { false }
    }

    @Test func aBurstIsTakenAtOnceAndStaysVisibleUntilItsBatchIsDone() {
        var pending = PendingWrites()
        let burst = (0..<5_000).map { response("/\($0)") }
        for (index, each) in burst.enumerated() { #expect(store(each, Int64(index), in: &pending)) }
        let bytes = pending.byteCount
        var waiting: Waiting = pending.takeAll().operations.map { ($0.key, $0.value) }
        #expect(waiting.count == burst.count && pending.queued.isEmpty && pending.byteCount == bytes)
        var done: Set<Int64> = []
        while !waiting.isEmpty {
            let batch = PendingWrites.nextBatch(of: &waiting, maxBytes: .max)
            #expect(batch.count <= PendingWrites.maxBatch && !batch.isEmpty)
            for index in burst.indices where !done.contains(Int64(index)) {
                guard isStore(pending.operation(Int64(index)), of: burst[index]) else {
                    Issue.record("\(index) is not found")
                    return
                }
            }
            pending.finish(batch)
            done.formUnion(batch.map(\.key))
        }
        #expect(done.count == burst.count && pending.inFlight.isEmpty && pending.byteCount == 0)
    }

    @Test func aBatchHasAtLeastOneOperationAndNoMoreBytesThanItMay() {
        let one = response("/a", filler(1_000))
        var waiting: Waiting = (0..<10).map { (Int64($0), .store(one)) }
        let bytes = PendingWrites.Operation.store(one).rowBytes
        #expect(cut(&waiting, bytes * 3) == [7, 8, 9])
        #expect(cut(&waiting, bytes * 3 - 1) == [5, 6])
        #expect(cut(&waiting, 1) == [4])
        #expect(cut(&waiting, .max) == [0, 1, 2, 3] && waiting.isEmpty)
    }

    /// One batch of large answers evicted all that a small file held, and was dropped then.
    @Test func aBatchHasNoMoreBytesOfRecordsThanItMay() {
        let one = response("/a", filler(100_000))
        var waiting: Waiting = (0..<5).map { (Int64($0), .store(one)) }
        let bytes = PendingWrites.Operation.store(one).recordBytes
        let batch = PendingWrites.nextBatch(of: &waiting, maxBytes: .max, maxRecordBytes: bytes * 2)
        #expect(batch.map(\.key) == [3, 4] && waiting.count == 3)
        let next = PendingWrites.nextBatch(of: &waiting, maxBytes: .max, maxRecordBytes: 1)
        #expect(next.count == 1)
    }

    /// A removal was forgotten together with the newer answer that did not fit, and what it had
    /// removed came back out of the file.
    @Test func whatDoesNotFitLeavesNothingOlderBehind() {
        func isRemoval(_ operation: PendingWrites.Operation?) -> Bool {
            if case .remove(_, .max) = operation { true } else { false }
        }
        var pending = PendingWrites()
        #expect(store(response("/full", filler(PendingWrites.maxBytes * 2 / 3)), 0, in: &pending))
        let large = response("/a", filler(PendingWrites.maxBytes / 2))
        _ = pending.enqueue(.remove(large.key, receivedBy: .max), 1)
        #expect(!store(large, 1, in: &pending) && isRemoval(pending.operation(1)))
        #expect(store(response("/b"), 2, in: &pending) && !store(large, 2, in: &pending))
        #expect(isRemoval(pending.operation(2)))
        let isTaken = pending.enqueue(.store(large), 3, isInFile: true)
        #expect(!isTaken && isRemoval(pending.operation(3)))
        #expect(!store(large, 4, in: &pending) && pending.operation(4) == nil)
    }

    @Test func whatFailedWaitsAgainUnlessSomethingNewerDoes() {
        var pending = PendingWrites()
        let (older, newer, other) = (response("/a", "old"), response("/a", "newer"), response("/b"))
        #expect(store(older, 1, in: &pending) && store(other, 2, in: &pending))
        _ = pending.takeAll()
        #expect(store(newer, 1, in: &pending) && isStore(pending.operation(1), of: newer))
        pending.putBack()
        #expect(pending.inFlight.isEmpty && pending.byteCount == newer.byteCount + other.byteCount)
        #expect(isStore(pending.queued[1], of: newer) && isStore(pending.queued[2], of: other))
    }

    @Test func whatIsInFlightCountsAgainstTheBound() {
        var pending = PendingWrites()
        let large = response("/a", filler(PendingWrites.maxBytes * 2 / 3))
        #expect(store(large, 1, in: &pending))
        var waiting: Waiting = pending.takeAll().operations.map { ($0.key, $0.value) }
        #expect(!store(large, 2, in: &pending))
        pending.finish(PendingWrites.nextBatch(of: &waiting, maxBytes: 1))
        #expect(store(large, 2, in: &pending))
    }

    @Test(arguments: [41, 42, 43] as [UInt64])
    func bytesAreTheSumOfWhatIsHeldWhateverHappens(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pending = PendingWrites()
        var waiting: Waiting = []
        for step in 0..<5_000 {
            let index = Int64.random(in: 0..<40, using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0 where waiting.isEmpty: waiting = pending.takeAll().operations.map { ($0.key, $0.value) }
            case 1:
                pending.putBack()
                waiting = []
            case 2:
                for (index, response) in pending.queuedResponses where response.body.count % 3 == 0 {
                    pending.replace(response, with: .remove(response.key, receivedBy: .max), index)
                }
            case 3, 4: pending.finish(PendingWrites.nextBatch(of: &waiting, maxBytes: 2_000))
            case 5: _ = pending.enqueue(.remove(key("/\(index)"), receivedBy: .max), index)
            default:
                let body = filler(Int.random(in: 0..<900, using: &generator))
                _ = pending.enqueue(.store(response("/\(index)", body)), index)
            }
            let held = Array(pending.queued.values) + Array(pending.inFlight.values)
            guard pending.byteCount == held.reduce(0, { $0 + $1.byteCount }), pending.inFlight.count == waiting.count
            else {
                Issue.record("seed \(seed), step \(step): \(pending.byteCount) bytes")
                return
            }
        }
    }

    @Test func whatIsReplacedMustStillWait() {
        var pending = PendingWrites()
        let (older, newer) = (response("/a", "old"), response("/a", "new"))
        _ = pending.enqueue(.store(older), 1)
        #expect(pending.queuedResponses.map(\.response.body) == [older.body])
        _ = pending.enqueue(.store(newer), 1)
        pending.replace(older, with: .remove(older.key, receivedBy: .max), 1)
        #expect(pending.queuedResponses.map(\.response.body) == [newer.body])
        pending.replace(newer, with: .remove(newer.key, receivedBy: .max), 1)
        #expect(pending.queuedResponses.isEmpty && !pending.isEmpty)
    }
}
