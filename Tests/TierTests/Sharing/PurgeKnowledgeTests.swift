import Cache
import TestSupport
import Testing

@testable import Tier

/// What a node remembers of purges that it has done and that the log may lack.
@Suite struct PurgeKnowledgeTests {
    /// One that follows a log from its beginning.
    private func knowledge() -> PurgeKnowledge {
        let knowledge = PurgeKnowledge()
        knowledge.begin(epoch, forgottenUntil: .start)
        knowledge.stand(fence: fence(1), mayTake: true)
        return knowledge
    }

    private func remember(_ knowledge: PurgeKnowledge, _ number: Int, _ target: String, at time: Int64 = noon) -> Bool {
        knowledge.remember(.init(number: number, record: purge(.target(Array(target.utf8)), at: time)))
    }

    /// It was done by the node that was asked, and no other ever heard of it.
    @Test func thePurgeThatHasNoRoomBecomesOneOfEverything() throws {
        let knowledge = knowledge()
        let most = PurgeKnowledge.mostBeside
        for number in 1...most { #expect(!remember(knowledge, number, "/\(number)", at: noon + Int64(number))) }
        #expect(remember(knowledge, most + 1, "/more", at: noon))
        #expect(knowledge.beside.count == most)
        #expect(knowledge.beside.dropLast().allSatisfy { $0.record.selection != EntrySelection() })
        let last = try #require(knowledge.beside.last)
        #expect(last.number == most + 1 && last.record.selection == EntrySelection() && last.record.mode == .soft)
        #expect(last.record.at == noon + Int64(most), "none of the two is the older for it")
        #expect(knowledge.isPurged(TierValue(answer("/other"), fence: fence(1))))
    }

    /// The place of the one before says nothing of what came to it since.
    @Test func whatGrewSinceItWasWrittenIsWrittenAgain() throws {
        let knowledge = knowledge()
        let most = PurgeKnowledge.mostBeside
        for number in 1...(most + 1) { _ = remember(knowledge, number, "/\(number)") }
        let written = try #require(knowledge.beside.last)
        #expect(remember(knowledge, most + 2, "/more", at: noon + 9))
        knowledge.logged(written.number, at: LogPosition(5, 0))
        knowledge.note(PurgeLogEntry(LogPosition(5, 0), written.record))
        #expect(knowledge.beside.count == most && knowledge.beside.last?.record.at == noon + 9)
        for purge in knowledge.beside {
            let position = LogPosition(10 + UInt64(purge.number), 0)
            knowledge.logged(purge.number, at: position)
            knowledge.note(PurgeLogEntry(position, purge.record))
        }
        #expect(knowledge.beside.isEmpty)
        #expect(!knowledge.isPurged(TierValue(answer("/other"), fence: fence(.max))))
    }

    @Test func longTargetsCountByTheirBytes() {
        let knowledge = knowledge()
        let long = String(repeating: "x", count: PurgeKnowledge.mostBesideBytes / 4)
        for number in 1...4 { #expect(!remember(knowledge, number, long)) }
        #expect(remember(knowledge, 5, "/") && knowledge.beside.count == 4)
        #expect(!remember(knowledge, 6, "/"), "there is room again")
        #expect(PurgeKnowledge.mostBeside == 4_096 && PurgeKnowledge.mostBesideBytes == 4 << 20)
    }
}
