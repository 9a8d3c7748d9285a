import Testing

@testable import Proxy

/// Old is told from wrong (DECISIONS 9.7).
@Suite struct VerificationTests {
    private static let other = Verification.Event.different(at: "$.data[0].id")

    private func play(_ events: [Verification.Event], parts: Int = 1) -> [Verification.Action] {
        var verification = Verification(partCount: parts)
        return events.map { verification.handle($0) }
    }

    private static let courses: [(name: String, parts: Int, [Verification.Event], [Verification.Action])] = [
        ("an equal answer ends it", 1, [.equal], [.end(.equal)]),
        (
            "each part is asked for where the whole differs", 3, [other, .equal, other, .equal],
            [.askPart(0), .askPart(1), .askPart(2), .compose]
        ),
        (
            "a revision that explains the difference makes it older", 1, [other, other, .equal],
            [.askPart(0), .compose, .end(.older)]
        ),
        // A part may only have been evicted.
        (
            "parts of which nothing can be composed", 1, [other, other, .unanswered],
            [.askPart(0), .compose, .end(.undecided)]
        ),
        (
            "a revision between the whole and its parts", 1, [other, other, other, .equal],
            [.askPart(0), .compose, .askWhole, .end(.older)]
        ),
        (
            "a difference that a revision does not explain", 1, [other, other, other, other],
            [.askPart(0), .compose, .askWhole, .end(.undecided)]
        ),
        (
            "a difference without a revision that stays is wrong", 1,
            [.different(at: "$.a"), .equal, .different(at: "$.b")], [.askPart(0), .askWhole, .end(.wrong(at: "$.b"))]
        ),
        (
            "a difference without a revision that goes away was one", 1, [other, .equal, .equal],
            [.askPart(0), .askWhole, .end(.older)]
        ),
        ("eight parts are asked for", 8, [other], [.askPart(0)]),
        ("more are not", 9, [other], [.end(.undecided)]), ("but may be equal", 9, [.equal], [.end(.equal)]),
    ]

    @Test func eachCourseOfEventsHasItsEnd() {
        for (name, parts, events, actions) in Self.courses { #expect(play(events, parts: parts) == actions, "\(name)") }
    }

    @Test func withoutAnAnswerNothingIsDecided() {
        for before in [[], [Self.other], [Self.other, .equal], [Self.other, Self.other, Self.other]] {
            #expect(play(before + [.unanswered]).last == .end(.undecided), "\(before)")
        }
    }

    /// Whatever happens, it ends, and asks for no more than it says.
    @Test func itEndsAfterTwoWholesAndEightParts() {
        let events: [Verification.Event] = [.equal, Self.other, .unanswered]
        for first in events {
            for rest in events {
                var verification = Verification(partCount: Verification.mostParts)
                var (action, asked) = (verification.handle(first), 1)
                while !action.isEnd {
                    if action != .compose { asked += 1 }
                    action = verification.handle(rest)
                }
                #expect(asked <= 2 + Verification.mostParts, "\(first) \(rest)")
            }
        }
    }
}

extension Verification.Action {
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}

@Suite struct ComparedAnswerTests {
    private func event(_ expected: (Int, String), _ said: (Int, String)) -> Verification.Event {
        ComparedAnswer(status: said.0, body: Array(said.1.utf8)).event(
            expecting: ComparedAnswer(status: expected.0, body: Array(expected.1.utf8)))
    }

    @Test func theFirstMemberThatDiffersIsNamedInShortContents() {
        #expect(event((200, #"{"a":1,"b":2}"#), (200, #"{"b":2,"a":1}"#)) == .equal)
        #expect(event((200, #"{"a":[1]}"#), (200, #"{"a":[2]}"#)) == .different(at: "$.a[0]"))
        #expect(event((200, "{}"), (404, "{}")) == .different(at: "status"))
        let long = { (last: String) in "[\"" + String(repeating: "x", count: ComparedAnswer.mostBytes) + last + "\"]" }
        #expect(event((200, long("y")), (200, long("y"))) == .equal)
        #expect(event((200, long("y")), (200, long("z"))) == .unanswered)
    }
}

@Suite struct SamplingTests {
    private func taken(_ share: Int, of count: Int) -> [Int] {
        var sampling = Sampling()
        return (1...count).filter { _ in sampling.takes(share) }
    }

    @Test func onePercentTakesEachHundredth() {
        #expect(taken(10_000, of: 300) == [100, 200, 300])
        #expect(taken(300_000, of: 1000).count == 300)
        #expect(taken(Sampling.all, of: 3) == [1, 2, 3])
        #expect(taken(0, of: 1000).isEmpty)
    }
}
