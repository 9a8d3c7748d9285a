import EventLoop
import Testing

@testable import Cache

@Suite struct UserGenerationsTests {
    private let key = UserHashKey(bytes: [1, 2, 3])

    private func second(_ number: Int64) -> Instant { Instant(nanoseconds: number * 1_000_000_000) }

    private func user(_ name: String) throws -> UserHash {
        let hash = key.hash(token: Array(name.utf8).span)
        return try #require(hash)
    }

    @Test func eachUserHasAScopeThatEndsForGood() throws {
        var generations = UserGenerations()
        let (anna, ben) = (try user("anna"), try user("ben"))
        let before = generations.scope(of: anna, at: second(0))
        let bens = generations.scope(of: ben, at: second(0))
        generations.end(anna, at: second(100))
        #expect(generations.scope(of: anna, at: second(109)) == nil, "what was written is not visible at once")
        let after = generations.scope(of: anna, at: second(110))
        #expect(after != nil && after != before)
        generations.end(anna, at: second(120))
        #expect(generations.scope(of: anna, at: second(130)) != after)
        #expect(generations.scope(of: ben, at: second(100)) == bens && before != bens)
    }

    @Test func aFullTableEndsAllGenerationsAndRecentWritersStayQuiet() throws {
        var generations = UserGenerations()
        let (anna, untouched) = (try user("anna"), try user("carla"))
        for number in 1..<UserGenerations.maxUsers { generations.end(try user("user \(number)"), at: second(0)) }
        let before = generations.scope(of: anna, at: second(100))
        let others = generations.scope(of: untouched, at: second(100))
        generations.end(anna, at: second(100))
        generations.end(try user("one more"), at: second(101))
        let after = generations.scope(of: untouched, at: second(101))
        #expect(after != nil && after != others)
        #expect(generations.scope(of: anna, at: second(109)) == nil)
        #expect(generations.scope(of: anna, at: second(110)) != before)
        // Where all are quiet none is kept: the table stays within its bound.
        generations = UserGenerations()
        generations.end(anna, at: second(0))
        let early = generations.scope(of: anna, at: second(10))
        for number in 0..<UserGenerations.maxUsers { generations.end(try user("user \(number)"), at: second(0)) }
        let late = generations.scope(of: anna, at: second(10))
        #expect(early != nil && late != nil && late != early)
    }

    /// A song that was added showed up after 15 s, and the library without it was kept for ten
    /// minutes from the eleventh second on.
    @Test func answersAfterAWriteAreKeptBrieflyAndLongerEachTime() throws {
        var generations = UserGenerations()
        let (anna, ben) = (try user("anna"), try user("ben"))
        func longest(_ user: UserHash, _ number: Int64) -> Duration? {
            generations.longestKept(of: user, askedAt: second(number))
        }
        #expect(longest(anna, 50) == nil, "no write is known")
        generations.end(anna, at: second(100))
        #expect(longest(anna, 110) == .seconds(5) && longest(anna, 130) == .seconds(15))
        #expect(longest(anna, 1300) == .seconds(600) && longest(anna, 90) == .zero)
        #expect(longest(ben, 110) == nil)
        generations.noteWriteByAnyone(at: second(120))
        #expect(longest(ben, 130) == .seconds(5) && longest(anna, 130) == .seconds(5))
        generations.noteWriteByAnyone(at: second(20))
        #expect(longest(ben, 130) == .seconds(5))
        // Writes of users that are no longer told apart still count.
        generations = UserGenerations()
        for number in 0...UserGenerations.maxUsers { generations.end(try user("user \(number)"), at: second(0)) }
        #expect(longest(try user("user 7"), 30) == .seconds(15))
    }

    @Test func anotherNodesWriteCountsFromWhenItsWordIsGone() throws {
        let users = UserScopes(key)
        let (anna, ben) = (try user("anna"), try user("ben"))
        let (one, two) = (UserGeneration.random(), UserGeneration.random())
        _ = users.scope(of: anna, in: one, at: second(1000))
        #expect(users.longestKept(of: anna, after: .zero, at: second(1000)) == nil)
        _ = users.scope(of: anna, in: two, at: second(1200))
        #expect(users.longestKept(of: anna, after: .zero, at: second(1200)) == 5)
        #expect(users.longestKept(of: anna, after: .seconds(4), at: second(1230)) == 18)
        #expect(users.longestKept(of: ben, after: .zero, at: second(1230)) == nil)
    }

    /// Nodes agree on a generation, and answers kept in the one before were left to eviction.
    @Test func answersOfAnEndedGenerationAreFreed() throws {
        let users = UserScopes(key)
        let (anna, ben) = (try user("anna"), try user("ben"))
        let (one, two) = (UserGeneration.random(), UserGeneration.random())
        let first = users.scope(of: anna, in: one, at: second(0))
        #expect(first.scope != nil && first.ended == nil)
        let same = users.scope(of: anna, in: one, at: self.second(1))
        #expect(same.scope == first.scope && same.ended == nil)
        #expect(users.scope(of: ben, in: two, at: self.second(1)).ended == nil)
        let second = users.scope(of: anna, in: two, at: self.second(2))
        #expect(second.scope != first.scope && second.ended == first.scope)
        #expect(users.end(anna, at: self.second(3)) == second.scope)
        #expect(users.scope(of: anna, in: two, at: self.second(4)).scope == nil, "a write was a moment ago")
        #expect(users.scope(of: anna, in: two, at: self.second(20)).ended == nil)
    }
}
