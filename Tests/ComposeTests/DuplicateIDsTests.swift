import TestSupport
import Testing

@testable import Compose

@Suite struct DuplicateIDsTests {
    @Test func nothingIsKnownBeforeAnAnswerShowedIt() {
        var duplicates = DuplicateIDs()
        #expect(duplicates.applied(to: [1, 2, 1]) == nil && duplicates.applied(to: [1, 1]) == nil)
        #expect(duplicates.applied(to: [2, 1]) == [2, 1])
        let fits = duplicates.note(asked: [1, 2, 3], found: [1, 2, 3])
        #expect(fits && duplicates.applied(to: [1, 1]) == nil)
    }

    @Test(arguments: [([1, 2], [4, 5]), ([2, 1], [5, 4]), ([1, 2, 1], [4, 5, 4])])
    func eachMannerIsLearnt(found: [Int], expected: [Int]) {
        var duplicates = DuplicateIDs()
        let fits = duplicates.note(asked: [1, 2, 1], found: found)
        #expect(fits && duplicates.applied(to: [4, 5, 4]) == expected)
    }

    @Test func whatAllPossibleMannersAgreeOnIsKnown() {
        var duplicates = DuplicateIDs()
        var fits = duplicates.note(asked: [1, 1, 2], found: [1, 2])
        #expect(fits && duplicates.applied(to: [4, 4, 5]) == [4, 5] && duplicates.applied(to: [4, 5, 4]) == nil)
        fits = duplicates.note(asked: [1, 2, 1], found: [2, 1])
        #expect(fits && duplicates.applied(to: [4, 5, 4]) == [5, 4])
    }

    @Test func whatNoMannerExplainsContradicts() {
        for found in [[2, 1], [1], [1, 2, 2], [1, 2, 3]] {
            var duplicates = DuplicateIDs()
            let fits = duplicates.note(asked: [1, 2], found: found)
            #expect(!fits, "\(found)")
        }
        var duplicates = DuplicateIDs()
        let once = duplicates.note(asked: [1, 1], found: [1])
        let twice = duplicates.note(asked: [1, 1], found: [1, 1])
        #expect(once && !twice)
    }

    /// What is said of any request is what the origin answers, whatever was learnt before it.
    @Test(arguments: 0..<40) func nothingIsSaidThatTheOriginWouldNotAnswer(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let origin = Int.random(in: 0..<3, using: &random)
        var duplicates = DuplicateIDs()
        for _ in 0..<50 {
            let ids = (0..<Int.random(in: 1..<6, using: &random)).map { _ in Int.random(in: 0..<4, using: &random) }
            let answer = ids.indices.filter { index in
                switch origin {
                case 0: !ids[..<index].contains(ids[index])
                case 1: !ids[(index + 1)...].contains(ids[index])
                default: true
                }
            }.map { ids[$0] }
            if let said = duplicates.applied(to: ids) { #expect(said == answer, "seed \(seed): \(ids)") }
            let fits = duplicates.note(asked: ids, found: answer)
            #expect(fits, "seed \(seed): \(ids)")
        }
        #expect(duplicates.applied(to: [1, 2, 1]) != nil, "seed \(seed)")
    }
}
