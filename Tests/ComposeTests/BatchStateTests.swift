import Testing

@testable import Compose

@Suite struct BatchStateTests {
    private typealias State = BatchState<String, Int>

    private func id(_ number: Int) -> [UInt8] { Array("\(number)".utf8) }

    @Test func theFirstOfAKindSetsTheMoment() throws {
        var state = State()
        guard case .wake(let pause) = state.add(id(1), of: "songs", 1, most: 10) else {
            Issue.record("no moment")
            return
        }
        #expect(pause == State.window)
        guard case .wait = state.add(id(2), of: "songs", 2, most: 10) else {
            Issue.record("a second moment")
            return
        }
        guard case .wake = state.add(id(1), of: "albums", 3, most: 10) else {
            Issue.record("kinds share nothing")
            return
        }
        let due = state.due("songs")
        let batch = try #require(due)
        #expect(batch.ids == [id(1), id(2)] && batch.members.map(\.member) == [1, 2])
        let (gone, other) = (state.due("songs"), state.due("albums"))
        #expect(gone == nil && other?.members.map(\.member) == [3])
    }

    @Test func aFullBatchGoesAtOnceAndTheMomentFindsNothing() {
        var state = State()
        _ = state.add(id(1), of: "artists", 1, most: 2)
        guard case .send(let batch) = state.add(id(2), of: "artists", 2, most: 2) else {
            Issue.record("it was full")
            return
        }
        #expect(batch.ids.count == 2)
        let late = state.due("artists")
        #expect(late == nil)
    }

    @Test func oneIDAskedForTwiceStandsInItOnce() throws {
        var state = State()
        _ = state.add(id(1), of: "songs", 1, most: 3)
        _ = state.add(id(1), of: "songs", 2, most: 3)
        let due = state.due("songs")
        let batch = try #require(due)
        #expect(batch.ids == [id(1)] && batch.members.count == 2)
        #expect(batch.halved() == nil)
    }

    /// Halves of halves end with single ids, and no request is lost on the way.
    @Test func halvingLosesNoRequest() throws {
        var state = State()
        for number in 0..<13 { _ = state.add(id(number), of: "songs", number, most: 100) }
        let due = state.due("songs")
        var (open, single) = ([try #require(due)], [Int]())
        while let batch = open.popLast() {
            if let (one, other) = batch.halved() {
                #expect(one.ids.count + other.ids.count == batch.ids.count && abs(one.ids.count - other.ids.count) <= 1)
                open += [one, other]
            } else {
                single += batch.members.map(\.member)
            }
        }
        #expect(single.sorted() == Array(0..<13))
    }
}
