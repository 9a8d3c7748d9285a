import Testing

@testable import EventLoop

@Suite(.timeLimit(.minutes(10))) struct PreciseTimerTests: LoopSuite {
    let scene = LoopScene()

    @Test func itFiresOnceForEachSettingAndNeverEarly() throws {
        var (due, fired): ([Instant], [Instant]) = ([], [])
        var timer: PreciseTimer?
        try loop.sync { () throws(SystemError) in
            func set() {
                due.append((due.last ?? .now()) + .milliseconds(2))
                timer?.set(at: due[due.count - 1])
            }
            timer = try PreciseTimer(loop: loop) {
                fired.append(.now())
                if fired.count < 3 { set() }
            }
            set()
        }
        #expect(loop.eventually { fired.count == 3 })
        loop.sync {
            #expect(zip(fired, due).allSatisfy { $0 >= $1 })
            #expect(timer?.deadline == nil)
            // Its body holds it, and it holds the loop.
            timer = nil
        }
    }

    @Test func settingItAgainForgetsTheEarlierTime() throws {
        var fired: [Instant] = []
        let late = Instant.now() + .milliseconds(30)
        try loop.sync { () throws(SystemError) in
            let timer = try PreciseTimer(loop: loop) { fired.append(.now()) }
            timer.set(at: Instant.now() + .milliseconds(1))
            timer.set(at: late)
        }
        #expect(loop.eventually { !fired.isEmpty })
        loop.sync { #expect(fired.count == 1 && fired[0] >= late) }
    }

    @Test func aClosedOneNeverFiresAndHoldsNoDescriptor() throws {
        var hasFired = false
        try loop.sync { () throws(SystemError) in
            let timer = try PreciseTimer(loop: loop) { hasFired = true }
            #expect(loop.slots.count == 1)
            timer.set(at: .now())
            timer.close()
            timer.set(at: .now())
            #expect(loop.slots.count == 0 && timer.deadline == nil)
        }
        loop.sync { #expect(!hasFired) }
    }
}
