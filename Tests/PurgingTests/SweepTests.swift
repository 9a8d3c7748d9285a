import Synchronization
import TestSupport
import Testing

@testable import Purging

/// One sweep does what the purges would have done one after the other, and counts as they would
/// have.
@Suite struct SweepTests {
    private struct Answer: Selectable {
        let target: [UInt8]
        let resources: [UInt64]
        let born: Int64
        let index: Int64
        var isFresh = true
        var isThere = true

        var storefront: [UInt8] { Array("us".utf8) }
        func answers(_ test: ([UInt8]) -> Bool) -> Bool { test(target) }
        func mayBeOfClass(_ tag: UInt8) -> Bool { tag == 1 }
        func mayName(_ resource: UInt64) -> Bool { resources.contains(resource) }
        var named: [UInt64]? { resources }
    }

    /// All purges, and what each of them did when it was done at once.
    private struct Model {
        var answers: [Answer] = []
        var counts: [Int] = []

        mutating func purge(_ selection: EntrySelection, _ mode: PurgeMode) {
            let chosen = answers.indices.filter { answers[$0].isThere && selection.chooses(answers[$0]) }
            counts.append(chosen.count)
            for index in chosen {
                if mode == .hard { answers[index].isThere = false }
                if mode == .soft { answers[index].isFresh = false }
            }
        }
    }

    @Test(arguments: 0..<200) func aSweepDoesAndCountsWhatItsPurgesWouldOneAfterTheOther(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        let purges = Purges()
        var (model, held, waiting): (Model, [Answer], [Sweep.Waiting]) = (Model(), [], [])
        for step in 0..<60 {
            if Int.random(in: 0..<3, using: &random) > 0 {
                let answer = Answer(
                    target: Array("/\(Int.random(in: 0..<4, using: &random))/\(step)".utf8),
                    resources: (0..<3).filter { _ in Bool.random(using: &random) }.map { UInt64($0) },
                    born: purges.newest, index: Int64(step))
                model.answers.append(answer)
                held.append(answer)
            } else {
                let selection = Self.selection(held, &random)
                let mode: PurgeMode = Bool.random(using: &random) ? .hard : .soft
                model.purge(selection, mode)
                waiting.append(
                    Sweep.Waiting(id: waiting.count, number: purges.note(selection, mode), selection, mode))
            }
        }
        // It counts what is there when its turn comes.
        let everything = EntrySelection()
        model.purge(everything, .dryRun)
        waiting.append(Sweep.Waiting(id: waiting.count, number: purges.newest, everything, .dryRun))
        var sweep = Sweep(purges, waiting: waiting)
        for (place, answer) in held.enumerated() {
            let verdict = sweep.judge(answer, born: answer.born, index: answer.index)
            let wanted = model.answers[place]
            let fate: PurgeVerdict = wanted.isThere ? wanted.isFresh ? .untouched : .stale : .gone
            #expect(verdict == fate, "seed \(seed), answer \(place)")
        }
        for (place, count) in sweep.waiting.flatMap(\.totals) {
            #expect(count == model.counts[place], "seed \(seed), purge \(place)")
        }
        purges.noteSwept(by: sweep)
        #expect(!purges.isSweeping)
    }

    /// Each chosen answer was compared with all purges that waited, and judged anew for each.
    @Test func whatAnAnswerCostsDoesNotGrowWithThePurgesOfOthers() {
        struct CountedAnswer: Selectable {
            let target: [UInt8]
            let looks: Counter
            final class Counter: Sendable { let count = Atomic(0) }

            var storefront: [UInt8] { Array("us".utf8) }
            func answers(_ test: ([UInt8]) -> Bool) -> Bool {
                looks.count.add(1, ordering: .relaxed)
                return test(target)
            }
            func mayBeOfClass(_ tag: UInt8) -> Bool { true }
            func mayName(_ resource: UInt64) -> Bool { false }
            var named: [UInt64]? { [] }
        }
        let (purges, answer) = (Purges(), CountedAnswer(target: Array("/7".utf8), looks: .init()))
        let waiting = (0..<1_000).map { number in
            let selection = EntrySelection([.target(Array("/\(number)".utf8))])
            return Sweep.Waiting(id: number, number: purges.note(selection, .soft), selection, .soft)
        }
        var sweep = Sweep(purges, waiting: waiting)
        #expect(sweep.judge(answer, born: 0, index: 7) == .stale)
        #expect(answer.looks.count.load(ordering: .relaxed) < 10)
        #expect(sweep.waiting.flatMap(\.totals).filter { $0.count > 0 }.map(\.id) == [7])
    }

    private static func selection(_ held: [Answer], _ random: inout SeededGenerator) -> EntrySelection {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: EntrySelection([.target(held.randomElement(using: &random)?.target ?? Array("/".utf8))])
        case 1: EntrySelection([.prefix(Array("/\(Int.random(in: 0..<4, using: &random))/".utf8))])
        case 2: EntrySelection([.resource(UInt64.random(in: 0..<3, using: &random))])
        case 3: EntrySelection([.resource(UInt64.random(in: 0..<3, using: &random)), .prefix(Array("/1".utf8))])
        default: EntrySelection([.storefront(Array("jp".utf8))])
        }
    }
}
