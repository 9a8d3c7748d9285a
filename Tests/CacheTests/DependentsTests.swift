import TestSupport
import Testing

@testable import Cache
@testable import Store

@Suite struct DependentsTests {
    private func record(_ target: String, _ parts: [String]) -> Dependents.Record {
        Dependents.Record(
            key: key(target),
            composition: Composition(.composed, parts: parts.map { key($0) }, naming: parts.map { _ in [] }))
    }

    private func targets(_ records: [Dependents.Record]) -> [String] {
        records.map { String(decoding: $0.key.target, as: UTF8.self) }.sorted()
    }

    /// Against a plain list, in which everything is looked for.
    @Test(arguments: [71, 72, 73] as [UInt64])
    func itIsTheList(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var dependents = Dependents(maxParts: 60)
        var list: [(target: String, parts: [String])] = []
        for number in 0..<3_000 {
            if Int.random(in: 0..<4, using: &generator) == 0 {
                let part = "/part\(Int.random(in: 0..<20, using: &generator))"
                let expected = list.filter { $0.parts.contains(part) }.map(\.target).sorted()
                #expect(targets(dependents.take(madeFrom: key(part))) == expected, "seed \(seed), \(number)")
                list.removeAll { $0.parts.contains(part) }
            } else {
                let all = (0..<20).shuffled(using: &generator).prefix(Int.random(in: 1...8, using: &generator))
                let parts = all.map { "/part\($0)" }
                var expected: [String] = []
                while list.reduce(parts.count, { $0 + $1.parts.count }) > 60 {
                    expected.append(list.removeFirst().target)
                }
                list.append(("/\(number)", parts))
                let lost = targets(dependents.add(record("/\(number)", parts)))
                #expect(lost == expected.sorted(), "seed \(seed), \(number)")
            }
            #expect(dependents.count == list.count && dependents.partCount == list.reduce(0) { $0 + $1.parts.count })
        }
    }

    @Test func answersAreTakenByTheResourcesThatTheirPartsName() {
        var dependents = Dependents(maxParts: 60)
        for (number, named) in ([[1, 2], [3], [.max]] as [[UInt64]]).enumerated() {
            let composition = Composition(.composed, parts: [key("/part\(number)")], naming: [named])
            _ = dependents.add(Dependents.Record(key: key("/\(number)"), composition: composition))
        }
        #expect(targets(dependents.take(naming: [2, 9])) == ["/0", "/2"], "one may name any")
        #expect(dependents.count == 1 && dependents.partCount == 1)
    }

    /// Answers of a part that names others by now were made from what it was.
    @Test func anAnswerOfAPartThatNamesOthersTakesThePlaceOfThoseBefore() {
        var dependents = Dependents(maxParts: 60)
        let lost = ([[1], [1], [2]] as [[UInt64]]).enumerated().map { number, named in
            let composition = Composition(.composed, parts: [key("/part")], naming: [named])
            return targets(dependents.add(Dependents.Record(key: key("/\(number)"), composition: composition)))
        }
        #expect(lost == [[], [], ["/0", "/1"]])
        #expect(dependents.take(naming: [1]).isEmpty && dependents.count == 1 && dependents.partCount == 1)
    }

    @Test func anAnswerMayHaveAPartTwice() {
        for named in [[[1], [1]], [[1], [2]]] as [[[UInt64]]] {
            var dependents = Dependents(maxParts: 60)
            let composition = Composition(.composed, parts: [key("/part"), key("/part")], naming: named)
            #expect(dependents.add(Dependents.Record(key: key("/0"), composition: composition)).isEmpty)
            #expect(targets(dependents.take(naming: [named[1][0]])) == ["/0"])
            #expect(dependents.count == 0 && dependents.partCount == 0 && !dependents.hasAnswers(from: key("/part")))
        }
    }
}
