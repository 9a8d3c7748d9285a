import Testing

@testable import EventLoop

struct WorkPaceTests {
    @Test func aPurgeRestsForThreeTimesAsLongAsItWorks() {
        #expect(WorkPace.rest(after: 1_000_000) == 3_000_000)
        #expect(WorkPace.rest(after: 0) == 0)
        #expect(WorkPace.rest(after: 1_000_000_000) == WorkPace.longestRest && WorkPace.rest(after: .max) > 0)
        var pieces = 0
        let result = WorkPace.resting { rest in
            for _ in 0..<3 {
                rest()
                pieces += 1
            }
            return pieces
        }
        #expect(result == 3)
    }
}
