import TestSupport
import Testing

@testable import Purging

/// A list and its model, which go through the same script.
struct PurgeListRun {
    private let seed: UInt64
    private let maxBytes: Int
    private var script: PurgeScript
    private var list: PurgeList
    private var model = PurgeModel()
    private var steps = 0
    var forgettings: Int { list.forgettings }
    var widenings: Int { list.widenings }
    /// How many there were of each kind.
    private(set) var verdicts = [0, 0, 0]

    private var place: Comment { "seed \(seed), step \(steps)" }

    init(seed: UInt64, maxBytes: Int) {
        (self.seed, self.maxBytes) = (seed, maxBytes)
        (script, list) = (PurgeScript(seed: seed), PurgeList(maxBytes: maxBytes))
        _ = list.restore([], forgotten: 0, swept: 0)
    }

    mutating func step() throws {
        steps += 1
        switch script.draw(below: 40) {
        case 0: try restore()
        case 1...3: list.noteSwept(list.newest - Int64(script.draw(below: 3)))
        case 4...8 where !model.entries.isEmpty:
            try note(model.entries[script.draw(below: model.entries.count)].selection)
        default: try note(script.selection())
        }
    }

    private mutating func note(_ selection: EntrySelection) throws {
        let (newest, forgotten) = (list.newest, list.forgotten)
        let entry = list.note(selection, script.mode())
        try #require(entry.number == newest + 1 && list.newest >= entry.number, place)
        model.entries.append(entry)
        try #require(list.forgotten <= max(forgotten, list.swept), "\(place): each purge has its turn first")
        guard list.newest > entry.number else { return }
        let unswept = model.entries.filter { $0.number > max(list.swept, list.forgotten) }
        let mode = unswept.contains { $0.mode == .hard } ? PurgeMode.hard : .soft
        let everything = PurgeList.Entry(number: entry.number + 1, selection: EntrySelection(), mode: mode)
        try #require(list.entries(since: entry.number) == [everything], place)
        model.entries.append(everything)
    }

    /// The file has what the list has, or lacks the latest of it, or all, or is of another life.
    private mutating func restore() throws {
        var known = model.entries
        switch script.draw(below: 4) {
        case 0: try restore(known, list.forgotten, isOwn: true)
        case 1:
            known.removeLast(min(known.count, script.draw(below: 4)))
            try restore(known, min(list.forgotten, known.last?.number ?? 0), isOwn: true)
        case 2: try restore([], 0)
        default:
            let forgotten = script.isOne(in: 2) ? Int64(script.draw(below: 20)) : 0
            var number = forgotten + (script.isOne(in: 3) ? list.newest : 0)
            known = (0..<script.draw(below: 6)).map { _ in
                number += Int64(1 + script.draw(below: 3))
                return PurgeList.Entry(number: number, selection: script.selection(), mode: script.mode())
            }
            try restore(known, forgotten)
        }
    }

    private mutating func restore(_ known: [PurgeList.Entry], _ forgotten: Int64, isOwn: Bool = false) throws {
        let (before, last) = (list, known.last?.number ?? forgotten)
        let mostSwept = isOwn ? min(list.swept, last) : last
        let leastSwept = min(forgotten, mostSwept)
        let swept = leastSwept + Int64(script.draw(below: Int(mostSwept - leastSwept) + 1))
        // A file may keep no purges that all of it has had.
        let known = script.isOne(in: 2) ? known : known.filter { $0.number > swept }
        let own = before.entries(since: 0).filter { !known.contains($0) }
        let lacking = list.restore(known.shuffled(using: &script.generator), forgotten: forgotten, swept: swept)
        try #require(list.newest >= max(before.newest, last), "\(place): numbers only rise")
        try #require(lacking.map(\.number) == lacking.map(\.number).sorted(), place)
        // A file that has nothing this list does not know is taken for its own.
        let isTakenForOwn = list.renumberings == before.renumberings && !(known.isEmpty && forgotten == 0 && swept == 0)
        try #require(isTakenForOwn || !isOwn || list.entries(since: 0) == before.entries(since: 0), place)
        try #require(list.swept <= swept, "\(place): all of the file has its turn")
        let due = isTakenForOwn ? swept : 0
        try #require(lacking == list.entries(since: due).filter { !known.contains($0) }, place)
        let hasForgottenOthers = list.renumberings > before.renumberings && before.forgotten > forgotten
        // Answers of this life and of the file are judged by the purges of both.
        for _ in 0..<20 {
            let (answer, born) = (script.answer(), Int64(script.draw(below: Int(before.newest) + 1)))
            let after = list.effect(on: answer, since: born).verdict()
            let earlier = before.effect(on: answer, since: born).verdict()
            try #require(after.severity >= earlier.severity, place)
            let ofFile = list.effect(on: answer, since: Int64(script.draw(below: Int(last) + 1))).verdict()
            let owed = hasForgottenOthers ? .gone : PurgeModel(entries: own).verdict(on: answer, since: due)
            try #require(ofFile.severity >= owed.severity, place)
        }
        // Entries of another life have taken the numbers of forgotten or superseded ones.
        let isRenumbered = list.renumberings > before.renumberings
        model.entries = (isRenumbered ? lacking : model.entries.filter { known.find($0.number) == nil }) + known
        model.entries.sort { $0.number < $1.number }
    }

    mutating func check() throws {
        try #require(list.byteCount <= maxBytes, place)
        for _ in 0..<4 {
            let (answer, born) = (
                script.answer(), list.newest - Int64(script.draw(below: min(40, Int(list.newest) + 1)))
            )
            let verdict = list.effect(on: answer, since: born).verdict()
            verdicts[verdict.severity] += 1
            let expected = born < list.forgotten ? .gone : model.verdict(on: answer, since: born)
            try #require(verdict == expected, "\(place): \(answer), born \(born)")
            guard born >= list.forgotten else { continue }
            let last = born + Int64(script.draw(below: 30))
            let early = PurgeModel(entries: list.entries(since: 0).filter { $0.number <= last })
            let upTo = list.effect(on: answer, since: born).verdict(upTo: last)
            try #require(upTo == early.verdict(on: answer, since: born), "\(place): up to \(last)")
        }
        let answer = script.answer()
        let request = AnswerToCome(
            target: answer.targets[0], storefront: answer.storefront, classTag: UInt8(script.draw(below: 3)))
        let last = list.lastPurge(
            of: request.target, storefront: request.storefront, classTag: request.classTag)
        try #require(last == max(list.forgotten, model.lastPurge(of: request)), "\(place): \(request)")
    }
}

extension PurgeVerdict {
    fileprivate var severity: Int {
        switch self {
        case .untouched: 0
        case .stale: 1
        case .gone: 2
        }
    }
}
