import TestSupport
import Testing

@testable import Store

@Suite struct PendingWritesTests {
    private var pending = PendingWrites()

    private mutating func store(_ waiting: WaitingRecord, _ index: Int64) -> Bool {
        pending.enqueue(.store(waiting), index) == .taken
    }

    private func waiting(_ target: String, _ body: String = "{}") -> WaitingRecord {
        WaitingRecord(record(target, body))
    }

    /// How many operations the next batch has, which is written then.
    private mutating func cut(_ maxBytes: Int) -> Int {
        let batch = pending.nextBatch(maxBytes: maxBytes)
        pending.finish(batch)
        return batch.count
    }

    private func isStore(_ operation: PendingWrites.Operation?, of waiting: WaitingRecord) -> Bool {
        if case .store(let found) = operation { found === waiting } else { false }
    }

    private func isRemoval(_ operation: PendingWrites.Operation?) -> Bool {
        if case .remove(.max) = operation { true } else { false }
    }

    @Test mutating func aBurstIsTakenAtOnceAndStaysVisibleUntilItsBatchIsDone() throws {
        let burst = (0..<5_000).map { waiting("/\($0)") }
        for (index, each) in burst.enumerated() { #expect(store(each, Int64(index))) }
        let bytes = pending.byteCount
        pending.beginRound()
        #expect(pending.inFlight.count == burst.count && pending.queued.isEmpty && pending.byteCount == bytes)
        var done: Set<Int64> = []
        while !pending.inFlight.isEmpty {
            let batch = pending.nextBatch(maxBytes: .max)
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

    private mutating func begin(_ count: Int, _ waiting: WaitingRecord) {
        for index in 0..<count { _ = pending.enqueue(.store(waiting), Int64(index)) }
        pending.beginRound()
    }

    @Test mutating func aBatchHasAtLeastOneOperationAndNoMoreBytesThanItMay() throws {
        let one = waiting("/a", filler(1_000))
        begin(10, one)
        let bytes = PendingWrites.Operation.store(one).rowBytes
        #expect(cut(bytes * 3) == 3)
        #expect(cut(bytes * 3 - 1) == 2)
        #expect(cut(1) == 1)
        #expect(cut(.max) == 4 && pending.inFlight.isEmpty)
        // One batch of large answers evicted all that a small file held, and was dropped then.
        let recordBytes = PendingWrites.Operation.store(one).recordBytes
        pending = PendingWrites()
        begin(5, one)
        #expect(pending.nextBatch(maxBytes: .max, maxRecordBytes: recordBytes * 2).count == 2)
        #expect(pending.nextBatch(maxBytes: .max, maxRecordBytes: 1).count == 1)
    }

    /// Operations that come while a round is written belong to the next one.
    @Test mutating func factsFollowTheirOperations() throws {
        let mark = StoreMark(table: .fact, key: [1], value: .text("a"))
        begin(1, waiting("/a"))
        pending.add(mark)
        pending.beginRound()
        _ = cut(.max)
        #expect(pending.takeRest(9).marks.isEmpty)
        pending.beginRound()
        #expect(pending.takeRest(9).marks == [mark])
        pending.putBack()
        pending.beginRound()
        #expect(pending.takeRest(9).marks == [mark])
        pending.finishRound()
        pending.add(mark)
        pending.add(StoreMark(table: .fact, key: [1], value: .text("b")))
        pending.beginRound()
        #expect(pending.takeRest(9).marks.map(\.value) == [.text("b")])
        pending.finishRound()
        #expect(pending.isEmpty)
    }

    private func purge(_ number: Int64, _ effect: StoreMark.PurgeEffect = .hard) -> StoreMark {
        StoreMark(purge: number, effect, words: Array("target /\(number)".utf8))
    }

    /// A crash would give the number out again, and answers born under it would count as younger.
    @Test mutating func purgesWaitUntilTheyAreInTheFile() throws {
        pending.add(purge(1))
        _ = pending.enqueue(.store(waiting("/a")), 1)
        pending.beginRound()
        #expect(pending.purges.all == [purge(1)] && !pending.isEmpty)
        pending.add(purge(2))
        pending.putBack()
        #expect(pending.purges.all == [purge(1), purge(2)])
        pending.finish(purges: [purge(1)])
        #expect(pending.purges.all == [purge(2)])
        pending.beginRound()
        _ = cut(.max)
        let isMore = pending.finishRound()
        #expect(isMore, "one that came meanwhile is written soon")
        pending.finish(purges: [purge(2)])
        #expect(pending.isEmpty)
    }

    /// They were lost, and a later process built answers of parts that they had purged.
    @Test mutating func tooManyPurgesBecomeOneThatForgetsThem() {
        let refused = (1...5_000).count { !pending.add(purge(Int64($0))) }
        let left = pending.purges.all
        #expect(left.count < 5_000 && refused > 0, "each is said")
        guard case .purge(let forgotten, .forgotten) = left.first?.value else {
            Issue.record("\(left.count) of them wait")
            return
        }
        #expect(left.dropFirst() == ((forgotten + 1)..<5_001).map { purge($0) }[...])
        // The one that is being written has become one with others.
        pending.add(purge(5_001))
        pending.add(purge(5_000, .forgotten))
        pending.finish(purges: left)
        #expect(pending.purges.all == [purge(5_001), purge(5_000, .forgotten)])
        pending.finish(purges: pending.purges.all)
        #expect(pending.purges.isEmpty && !pending.purges.hasPurges)
        pending.add(purge(5_001, .swept))
        #expect(!pending.isEmpty && !pending.purges.hasPurges, "the file knows all purges")
    }

    /// A store that was closed then lost it.
    @Test mutating func aRoundEndsWithTheMarksAndUsesThatWaited() {
        let marks = ["a", "b"].map { StoreMark(table: .rest, key: Array($0.utf8), value: .time(noon)) }
        pending.add(marks[0])
        for (mark, next) in [(marks[0], marks[1]), (marks[1], nil)] {
            pending.beginRound()
            if let next { pending.add(next) }
            #expect(pending.takeRest(1).marks == [mark])
            #expect(pending.finishRound() == (next != nil))
        }
        // Uses that came all the while kept a round from ending.
        pending = PendingWrites()
        for index: Int64 in 0..<5 { pending.touch(index, at: noon) }
        for (most, isAll) in [(4, false), (4, true), (1, true)] {
            let rest = pending.takeRest(most)
            #expect(rest.isAll == isAll)
            pending.touch(9, at: noon)
            pending.finishRound(isOver: rest.isAll)
        }
        #expect(pending.roundCount == 2)
    }

    /// Each distinct target that did not fit cost its removal, with the whole key, for good.
    @Test mutating func removalsAreBoundedToo() throws {
        let large = waiting("/full", filler(PendingWrites.maxBytes - PendingWrites.reservedBytes - 2_000))
        #expect(store(large, -1))
        let long = waiting("/" + filler(7_000))
        var overflows = 0
        for index in 0..<100_000 {
            let admission = pending.enqueue(.store(long), Int64(index), isInFile: true)
            #expect(admission != .taken)
            if admission == .overflown {
                overflows += 1
                // They count until their replacements do.
                guard isRemoval(pending.operation(Int64(index))) else {
                    Issue.record("nothing hides \(index)")
                    return
                }
                pending.forgetRemovals()
            }
            guard pending.byteCount <= PendingWrites.maxBytes else {
                Issue.record("\(pending.byteCount) bytes wait")
                return
            }
        }
        #expect(overflows == 3 && isStore(pending.operation(-1), of: large))
    }

    /// A process that had handed its file over found again records that it had removed.
    @Test mutating func unwrittenRecordsCountAndNothingWaitsForNoFile() throws {
        let (first, second) = (waiting("/a"), waiting("/b"))
        pending.touch(4, at: noon)
        pending.add(StoreMark(table: .fact, key: [1], value: .text("a")))
        #expect(store(first, 1))
        pending.keepUnwritten()
        #expect(store(second, 2) && pending.enqueue(.remove(receivedBy: .max), 3) == .taken)
        #expect(isStore(pending.operation(1), of: first) && isStore(pending.operation(2), of: second))
        #expect(isRemoval(pending.operation(3)) && !pending.hasTouches)
        pending.touch(4, at: noon)
        pending.add(StoreMark(table: .fact, key: [1], value: .text("a")))
        #expect(!pending.hasTouches && !pending.claim(.scheduled) && !pending.claim(.next))
        #expect(!store(waiting("/large", filler(PendingWrites.maxBytes)), 5), "they are bounded")
        pending = PendingWrites()
        #expect(store(waiting("/a"), 1))
        pending.close()
        #expect(store(waiting("/b"), 2) && pending.enqueue(.remove(receivedBy: .max), 3) == .taken)
        pending.touch(4, at: noon)
        pending.add(StoreMark(table: .fact, key: [1], value: .text("a")))
        #expect(pending.isEmpty && pending.byteCount == 0 && !pending.claim(.early))
    }

    /// Each turn that left something begot another, in addition to those that were on the way.
    @Test mutating func oneTurnOfAKindIsOnTheWayAndNoneAfterAFailure() throws {
        for turn in [PendingWrites.Turn.scheduled, .early, .next] {
            #expect(pending.claim(turn) && !pending.claim(turn))
            pending.begin(turn)
        }
        pending.hold()
        // The rest of the writer's round is no new turn.
        #expect(!pending.claim(.early) && pending.claim(.next) && !pending.claim(.next))
        pending = PendingWrites()
        pending.hold()
        #expect(!pending.claim(.scheduled) && !pending.claim(.early))
        #expect(store(waiting("/a"), 1))
        #expect(pending.release() && pending.claim(.early) && !pending.release())
    }

    /// A removal was forgotten with the newer answer that did not fit: the old one came back.
    @Test mutating func aRecordThatDoesNotFitRemovesTheOlderOne() throws {
        #expect(store(waiting("/full", filler(PendingWrites.maxBytes * 2 / 3)), 0))
        let large = waiting("/a", filler(PendingWrites.maxBytes / 2))
        _ = pending.enqueue(.remove(receivedBy: .max), 1)
        #expect(!store(large, 1) && isRemoval(pending.operation(1)))
        #expect(store(waiting("/b"), 2) && !store(large, 2))
        #expect(isRemoval(pending.operation(2)))
        let admission = pending.enqueue(.store(large), 3, isInFile: true)
        #expect(admission == .dropped && isRemoval(pending.operation(3)))
        #expect(!store(large, 4) && pending.operation(4) == nil)
    }

    @Test mutating func aFailedWriteWaitsAgainAndCountsAgainstTheBound() throws {
        let (older, newer, other) = (waiting("/a", "old"), waiting("/a", "newer"), waiting("/b"))
        #expect(store(older, 1) && store(other, 2))
        pending.beginRound()
        #expect(store(newer, 1) && isStore(pending.operation(1), of: newer))
        pending.putBack()
        #expect(pending.inFlight.isEmpty && pending.byteCount == newer.record.byteCount + other.record.byteCount)
        #expect(isStore(pending.queued[1], of: newer) && isStore(pending.queued[2], of: other))
        pending = PendingWrites()
        let large = waiting("/a", filler(PendingWrites.maxBytes * 2 / 3))
        #expect(store(large, 1))
        pending.beginRound()
        #expect(!store(large, 2))
        pending.finish(pending.nextBatch(maxBytes: 1))
        #expect(store(large, 2))
    }

    @Test(arguments: [41, 42, 43] as [UInt64])
    mutating func bytesAreTheSumOfWhatIsHeldWhateverHappens(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for step in 0..<5_000 {
            let index = Int64.random(in: 0..<40, using: &generator)
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: pending.beginRound()
            case 1: pending.putBack()
            case 2:
                for (index, waiting) in pending.waiting.records where waiting.record.body.count % 3 == 0 {
                    pending.replace(waiting, with: .remove(receivedBy: .max), index)
                }
            case 3, 4: pending.finish(pending.nextBatch(maxBytes: 2_000))
            case 5: _ = pending.enqueue(.remove(receivedBy: .max), index)
            default:
                let body = filler(Int.random(in: 0..<900, using: &generator))
                _ = pending.enqueue(.store(waiting("/\(index)", body)), index)
            }
            let held = Array(pending.queued.values) + Array(pending.inFlight.values)
            try #require(pending.byteCount == held.reduce(0) { $0 + $1.byteCount }, "seed \(seed), step \(step)")
        }
    }

    @Test mutating func aPurgeMeetsWhatWaitsAndWhatIsBeingWritten() throws {
        let (first, second) = (waiting("/a"), waiting("/b"))
        #expect(store(first, 1))
        pending.beginRound()
        #expect(store(second, 2))
        #expect(pending.waiting.records.count == 2 && Set(pending.waiting.keys) == [1, 2])
        pending.replace(first, with: .remove(receivedBy: .max), 1)
        pending.replace(second, with: .store(first), 2)
        pending.replace(second, with: .store(second), 1)
        #expect(isStore(pending.queued[2], of: first))
        if case .remove(.max) = pending.inFlight[1] {} else { Issue.record("it is written all the same") }
    }
}
