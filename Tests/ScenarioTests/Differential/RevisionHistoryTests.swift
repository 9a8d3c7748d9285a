import Testing

@testable import Simulator

@Suite struct RevisionHistoryTests {
    private let revisions = (0...3).map { Revision(catalog: $0) }

    @Test func tellsWhatWasCurrentSinceASecond() {
        var history = RevisionHistory(revisions[0])
        history.move(to: revisions[1], at: 100)
        history.move(to: revisions[2], at: 100)
        history.move(to: revisions[3], at: 130)
        #expect(history.revisions(since: 131) == [revisions[3]])
        #expect(history.revisions(since: 130) == [revisions[3], revisions[2]])
        #expect(history.revisions(since: 101) == [revisions[3], revisions[2]])
        #expect(history.revisions(since: 100) == revisions.reversed())
    }

    @Test func shapesMayBeOlderThanTheirContent() {
        var history = RevisionHistory(revisions[0])
        history.move(to: Revision(catalog: 0, isFlipped: true), at: 100)
        history.move(to: Revision(catalog: 1, isFlipped: true), at: 120)
        let last = Revision(catalog: 1, isFlipped: true)
        #expect(history.revisions(since: 121, shapesSince: 101) == [last])
        #expect(history.revisions(since: 121, shapesSince: 100) == [last, revisions[1]])
        #expect(
            history.revisions(since: 120, shapesSince: 90)
                == [last, Revision(catalog: 0, isFlipped: true), revisions[1], revisions[0]])
    }

    @Test func anAnswerIsHeldToItsLifetimeAndAge() {
        let age = AnswerAge(lifetime: 60, staleFor: 40)
        #expect(age.most(cacheStatus: "refrain; fwd=miss; stored; ttl=60", age: nil) == 59)
        #expect(age.most(cacheStatus: "refrain; hit; ttl=20", age: "10") == 10)
        #expect(age.most(cacheStatus: "refrain; hit; ttl=0", age: "60") == nil)
        let stale = "refrain; hit; ttl=-5; detail=stale-while-revalidate"
        #expect(age.most(cacheStatus: stale, age: nil) == 99)
        #expect(age.most(cacheStatus: stale, age: "65") == 65)
        #expect(age.most(cacheStatus: stale, age: "100") == nil)
        #expect(AnswerAge(lifetime: 60, slack: 3).most(cacheStatus: nil, age: "5") == 8)
    }
}
