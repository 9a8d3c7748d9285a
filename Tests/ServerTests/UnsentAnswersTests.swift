import TestSupport
import Testing

@testable import Server

@Suite struct UnsentAnswersTests {
    /// Compared with plain lists: content that several are sent counts once, and of the party with
    /// the most the one that takes longest gives way.
    @Test(arguments: [11, 12, 13] as [UInt64]) func answersAreCountedAndGiveWayAsInAModel(seed: UInt64) {
        struct Known {
            let ticket: Int
            let party: UInt64
            let content: UInt
        }
        var random = SeededGenerator(seed: seed)
        var answers = UnsentAnswers<Int>()
        var model: [Known] = []
        func share(_ party: UInt64) -> Int { model.reduce(0) { $0 + ($1.party == party ? 1 << $1.content : 0) } }
        for client in 0..<2_000 {
            switch Int.random(in: 0..<9, using: &random) {
            case 0:
                let largest = Set(model.map(\.party)).max { (share($0), $0) < (share($1), $1) }
                let expected = model.first { $0.party == largest }
                #expect(answers.takeVictim()?.ticket == expected?.ticket, "seed \(seed)")
                model.removeAll { $0.ticket == expected?.ticket }
            case 1...4:
                guard let index = model.indices.randomElement(using: &random) else { break }
                let ticket = model.remove(at: index).ticket
                for _ in 0..<2 { answers.end(ticket) }
            default:
                let party = UInt64.random(in: 0..<5, using: &random)
                let content = UInt.random(in: 0..<8, using: &random)
                let ticket = answers.begin(client, of: party, content: content, byteCount: 1 << content)
                model.append(Known(ticket: ticket, party: party, content: content))
            }
            let held = Set(model.map(\.content)).reduce(0) { $0 + 1 << $1 }
            #expect(answers.heldBytes == held, "seed \(seed)")
        }
    }
}
