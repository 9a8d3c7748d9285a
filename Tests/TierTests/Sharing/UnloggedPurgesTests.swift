import Purging
import Store
import Testing

@testable import Tier

@Suite struct UnloggedPurgesTests {
    private func add(_ purges: inout UnloggedPurges, _ number: Int, _ target: String, at time: Int64 = noon) -> Bool {
        purges.add(number, purge(.target(Array(target.utf8)), at: time), at: nil)
    }

    private func isPurged(_ target: String, by purges: UnloggedPurges, logMark mark: LogMark = logMark(1)) -> Bool {
        let knowledge = PurgeKnowledge()
        knowledge.begin(epoch, forgottenUntil: .start, in: Purges())
        knowledge.move(to: logMark(1), mayTake: true)
        knowledge.hold(purges.all, from: 1)
        return knowledge.isPurged(TierValue(answer(target), logMark: mark))
    }

    @Test func chosenValuesAreNotTakenAndLongTargetsCount() {
        var purges = UnloggedPurges()
        #expect(!add(&purges, 1, "/1"))
        #expect(isPurged("/1", by: purges) && !isPurged("/2", by: purges))
        purges = UnloggedPurges()
        let long = String(repeating: "x", count: UnloggedPurges.mostBytes / 4)
        for number in 1...4 { #expect(!add(&purges, number, long)) }
        #expect(add(&purges, 5, "/") && purges.all.count == 4)
        #expect(!add(&purges, 6, "/"), "there is room again")
        #expect(UnloggedPurges.mostCount == 4_096 && UnloggedPurges.mostBytes == 4 << 20)
    }

    /// While the engine was away, answers were composed of parts from before a purge of them.
    @Test func partsFromBeforeAPurgeThatTheLogLacksWereTaken() {
        let knowledge = PurgeKnowledge()
        knowledge.begin(epoch, forgottenUntil: .start, in: Purges())
        knowledge.move(to: logMark(1), mayTake: true)
        func isPurged(_ target: String) -> Bool {
            knowledge.isPurged(Array(target.utf8), storefront: Array("us".utf8), classTag: 1, since: logMark(1))
        }
        #expect(!isPurged("/1"))
        // The cache's list has it a moment later.
        knowledge.hold([UnloggedPurge(number: 1, record: purge(.target(Array("/1".utf8))))], from: 1)
        #expect(isPurged("/1") && !isPurged("/2"))
    }

    /// The node that was asked did the purge, and no other ever heard of it.
    @Test func thePurgeThatHasNoRoomBecomesOneOfEverything() throws {
        var purges = UnloggedPurges()
        let most = UnloggedPurges.mostCount
        for number in 1...most { #expect(!add(&purges, number, "/\(number)", at: noon + Int64(number))) }
        #expect(add(&purges, most + 1, "/more", at: noon))
        #expect(purges.all.count == most)
        #expect(purges.all.dropLast().allSatisfy { $0.record.selection != EntrySelection() })
        let last = try #require(purges.all.last)
        #expect(last.number == most + 1 && last.record.selection == EntrySelection() && last.record.mode == .soft)
        #expect(last.record.at == noon + Int64(most), "none of the two is the older for it")
        #expect(isPurged("/other", by: purges))
    }

    /// The place of the purge before says nothing about the purge that it became.
    @Test func aPurgeThatGrewIsWrittenAgain() throws {
        var purges = UnloggedPurges()
        let most = UnloggedPurges.mostCount
        for number in 1...(most + 1) { _ = add(&purges, number, "/\(number)") }
        let written = try #require(purges.all.last)
        #expect(add(&purges, most + 2, "/more", at: noon + 9))
        purges.written(written.number, at: LogPosition(5, 0))
        let wasThere = purges.read(LogPosition(5, 0))
        #expect(!wasThere)
        #expect(purges.all.count == most && purges.all.last?.record.at == noon + 9)
        for purge in purges.all {
            let position = LogPosition(10 + UInt64(purge.number), 0)
            purges.written(purge.number, at: position)
            let isThere = purges.read(position)
            #expect(isThere)
        }
        #expect(purges.all.isEmpty && !isPurged("/other", by: purges, logMark: logMark(.max)))
    }
}
