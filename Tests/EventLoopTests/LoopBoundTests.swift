import Dispatch
import Testing

@testable import EventLoop

@Suite struct LoopBoundTests {
    private final class Target {
        var calls = 0
    }

    @Test func whatIsGoneIsNotReachedAndNotKept() throws {
        let loop = try EventLoop(label: "bound")
        defer { loop.stop() }
        let (kept, gone) = loop.sync { () -> (Target, LoopBound<Target>) in
            let kept = Target()
            let bound = LoopBound(kept, on: loop)
            bound.object?.calls += 1
            return (kept, LoopBound(Target(), on: loop))
        }
        #expect(kept.calls == 1)
        #expect(loop.sync { gone.object == nil })
    }
}
