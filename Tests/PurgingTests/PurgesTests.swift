import Synchronization
import TestSupport
import Testing

@testable import Purging

@Suite struct PurgesTests {
    private final class Notes: Sendable {
        let changes = Mutex<[Purges.Change]>([])
        let lines = Mutex<[String]>([])

        func take() -> [Purges.Change] {
            changes.withLock { changes in
                defer { changes = [] }
                return changes
            }
        }
    }

    private func selection(_ target: String) -> EntrySelection { EntrySelection([.target(Array(target.utf8))]) }

    private func purges(_ notes: Notes) -> Purges {
        let purges = Purges { line in notes.lines.withLock { $0.append(line) } }
        purges.keep { change in notes.changes.withLock { $0.append(change) } }
        return purges
    }

    @Test func theJournalGetsEachChangeOnce() {
        let notes = Notes()
        let purges = purges(notes)
        let one = PurgeList.Entry(number: 1, selection: selection("/a"), mode: .soft)
        #expect(purges.note(selection("/a"), .soft) == 1 && notes.take() == [.noted(one)])
        #expect(purges.noteIfUnknown(selection("/a"), .soft) == 1 && notes.take().isEmpty)
        #expect(purges.noteIfUnknown(selection("/a"), .hard) == 2 && notes.take().count == 1)
        #expect(purges.isSweeping)
        purges.noteSwept(9)
        #expect(!purges.isSweeping && purges.swept == 2 && notes.take() == [.swept(2)])
        purges.noteSwept(1)
        #expect(purges.swept == 2 && notes.take().isEmpty)
    }

    @Test func ofAFileTheCallerGetsTheChangesThatItLacks() {
        let notes = Notes()
        let purges = purges(notes)
        purges.note(selection("/a"), .hard)
        _ = notes.take()
        let known = PurgeList.Entry(number: 4, selection: selection("/b"), mode: .soft)
        let own = PurgeList.Entry(number: 5, selection: selection("/a"), mode: .hard)
        #expect(purges.restore([known], forgotten: 2, swept: 3) == [.noted(own)])
        #expect(purges.newest == 5 && purges.swept == 3 && purges.forgotten == 2 && purges.renumberings == 1)
        #expect(purges.restore([known, own], forgotten: 2, swept: 3).isEmpty)
        #expect(notes.take().isEmpty && purges.newest == 5)
        #expect(notes.lines.withLock { $0.isEmpty }, "a start says nothing of what an earlier life forgot")
    }

    /// It had been through memory, and counted for the file that was opened meanwhile.
    @Test func aSweepFromBeforeAFileWasReadDoesNotCount() {
        let purges = Purges()
        purges.note(selection("/a"), .hard)
        let early = Sweep(purges, waiting: [])
        _ = purges.restore([], forgotten: 0, swept: 0)
        purges.noteSwept(by: early)
        #expect(purges.swept == 0 && purges.isSweeping)
        purges.noteSwept(by: Sweep(purges, waiting: []))
        #expect(!purges.isSweeping)
    }

    @Test func theLogSaysOnceThatPurgesWereForgottenOrBecameOne() {
        for isSwept in [false, true] {
            let notes = Notes()
            let purges = purges(notes)
            for number in 0..<40_000 {
                let number = purges.note(selection("/\(number)"), .hard)
                if isSwept { purges.noteSwept(number) }
            }
            let lines = notes.lines.withLock { $0 }
            #expect(lines.count == 1 && lines[0].hasPrefix("purges: too many \(isSwept ? "to remember" : "at once")"))
            let changes = notes.take()
            let forgotten = changes.contains { if case .forgotten = $0 { true } else { false } }
            let widened = changes.contains {
                if case .noted(let entry) = $0 { entry.selection == EntrySelection() } else { false }
            }
            #expect(forgotten == isSwept && widened != isSwept)
        }
    }

    /// One that is held has had the sweeps up to now.
    @Test func anAnswerIsJudgedByThePurgesThatItDidNotHave() {
        let purges = Purges()
        let answer = ModelAnswer(targets: [Array("/a".utf8)], storefront: [], classTag: 1, named: [])
        for number in 0..<40 { purges.note(selection(number % 20 == 0 ? "/a" : "/\(number)"), .soft) }
        #expect(purges.verdict(on: answer, since: 0) == .stale && purges.verdict(on: answer, since: 21) == .untouched)
        #expect(purges.effect(onHeld: answer, born: 0).verdict() == .stale)
        let effect = purges.effect(onHeld: answer, born: 0)
        #expect(effect.verdict(upTo: 20) == .untouched, "the first one has given way to the second")
        purges.noteSwept(21)
        #expect(purges.effect(onHeld: answer, born: 0).verdict() == .untouched)
        #expect(purges.verdict(on: answer, since: 0) == .stale)
        #expect(purges.lastPurge(of: Array("/a".utf8), storefront: [], classTag: 1) == 21)
    }
}
