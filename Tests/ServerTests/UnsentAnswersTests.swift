import TestSupport
import Testing

@testable import Server

@Suite struct UnsentAnswersTests {
    @Test func contentThatSeveralAreSentCountsOnce() {
        var answers = UnsentAnswers<String>()
        let (anna, first) = answers.begin("anna", content: 1, byteCount: 100)
        let (ben, second) = answers.begin("ben", content: 1, byteCount: 100)
        let (carl, third) = answers.begin("carl", content: 2, byteCount: 30)
        #expect([first, second, third] == [100, 0, 30])
        #expect([answers.end(anna), answers.end(ben), answers.end(carl)] == [0, 100, 30])
        #expect(answers.end(carl) == 0)
    }

    @Test func whoHasTakenLongestIsTheSlowest() {
        var answers = UnsentAnswers<String>()
        #expect(answers.slowest() == nil)
        let tickets = ["anna", "ben", "carl"].enumerated().map { number, name in
            answers.begin(name, content: UInt(number), byteCount: 1).ticket
        }
        #expect(answers.slowest() == "anna")
        _ = answers.end(tickets[1])
        _ = answers.end(tickets[0])
        #expect(answers.slowest() == "carl")
        _ = answers.end(tickets[2])
        #expect(answers.slowest() == nil)
    }

    /// Against plain lists of what is there.
    @Test(arguments: [11, 12, 13] as [UInt64]) func whatIsHeldIsTheSumOfDifferentContents(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var answers = UnsentAnswers<Int>()
        var model: [(ticket: Int, client: Int, content: UInt)] = []
        var held = 0
        for client in 0..<2_000 {
            if Bool.random(using: &random), let index = model.indices.randomElement(using: &random) {
                held -= answers.end(model.remove(at: index).ticket)
            } else {
                let content = UInt.random(in: 0..<8, using: &random)
                let (ticket, more) = answers.begin(client, content: content, byteCount: 1 << content)
                held += more
                model.append((ticket, client, content))
            }
            #expect(held == Set(model.map(\.content)).reduce(0) { $0 + 1 << $1 }, "seed \(seed)")
            #expect(answers.slowest() == model.first?.client, "seed \(seed)")
        }
    }
}
