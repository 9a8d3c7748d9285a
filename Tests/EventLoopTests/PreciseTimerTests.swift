import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import EventLoop

@Suite struct PreciseTimerTests {
    /// Confined to its loop.
    private final class Fixture {
        var timer: PreciseTimer?
        var fired: [Instant] = []
    }

    private func fixture() throws -> (EventLoop, Confined<Fixture>) {
        let loop = try EventLoop(label: "precise")
        return (loop, loop.sync { Confined(Fixture(), to: loop) })
    }

    @Test func itFiresOnceForEachSettingAndNeverEarly() throws {
        let (loop, fixture) = try fixture()
        let done = DispatchSemaphore(value: 0)
        let times = Mutex<[Instant]>([])
        try loop.sync { () throws(SystemError) in
            let this = fixture.value
            this.timer = try PreciseTimer(loop: loop) {
                this.fired.append(.now())
                if this.fired.count < 3, let last = times.withLock({ $0.last }) {
                    let next = last + .milliseconds(2)
                    times.withLock { $0.append(next) }
                    this.timer?.set(at: next)
                } else {
                    done.signal()
                }
            }
            let first = Instant.now() + .milliseconds(2)
            times.withLock { $0.append(first) }
            this.timer?.set(at: first)
        }
        done.waitOrFail()
        loop.sync {
            let due = times.withLock { $0 }
            #expect(fixture.value.fired.count == 3 && zip(fixture.value.fired, due).allSatisfy { $0 >= $1 })
            #expect(fixture.value.timer?.deadline == nil)
        }
        loop.stop()
    }

    @Test func settingItAgainForgetsTheEarlierTime() throws {
        let (loop, fixture) = try fixture()
        let done = DispatchSemaphore(value: 0)
        let late = Instant.now() + .milliseconds(30)
        try loop.sync { () throws(SystemError) in
            let this = fixture.value
            this.timer = try PreciseTimer(loop: loop) {
                this.fired.append(.now())
                done.signal()
            }
            this.timer?.set(at: Instant.now() + .milliseconds(1))
            this.timer?.set(at: late)
        }
        done.waitOrFail()
        loop.sync { #expect(fixture.value.fired.count == 1 && fixture.value.fired[0] >= late) }
        loop.stop()
    }

    @Test func aClosedOneNeverFiresAndHoldsNoDescriptor() throws {
        let (loop, fixture) = try fixture()
        try loop.sync { () throws(SystemError) in
            let timer = try PreciseTimer(loop: loop) { fixture.value.fired.append(.now()) }
            #expect(loop.slots.count == 1)
            timer.set(at: .now())
            timer.close()
            timer.set(at: .now())
            #expect(loop.slots.count == 0 && timer.deadline == nil)
        }
        loop.sync { #expect(fixture.value.fired.isEmpty) }
        loop.stop()
    }
}
