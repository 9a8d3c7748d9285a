import EventLoop
import Testing

@testable import Tier

@Suite struct TierLookTests {
    private let begin = Instant(nanoseconds: 1_000_000_000_000)

    private func after(_ milliseconds: Int) -> Instant { begin + .milliseconds(milliseconds) }

    private func started() -> TierLook {
        var look = TierLook()
        #expect(look.start(now: begin) == [.ask])
        return look
    }

    /// A look that waits for another node, until the first pause ends.
    private func waiting() -> TierLook {
        var look = started()
        #expect(look.answered(isFound: false, claim: .taken, now: after(1)) == [.wake(at: after(26))])
        return look
    }

    @Test func aLookBeginsOnceAndTakesAFoundValue() {
        var look = started()
        #expect(look.answered(isFound: true, claim: .taken, now: after(1)) == [.take])
        #expect(look.woken(now: after(30)) == [] && look.fetchEnded(now: after(30)) == [] && look.failed() == [])
        look = started()
        #expect(look.start(now: after(1)) == [])
        var unstarted = TierLook()
        #expect(unstarted.failed() == [] && unstarted.woken(now: begin) == [])
    }

    @Test func aComposedAnswerIsNotFetched() {
        var look = started()
        #expect(look.answered(isFound: false, claim: .got, hasHints: true, now: after(1)) == [.gather])
        #expect(look.gathered(isComposed: true, now: after(2)) == [.take, .giveBack])
        #expect(look.fetchEnded(now: after(3)) == [] && look.gathered(isComposed: true, now: after(3)) == [])
        look = started()
        #expect(look.answered(isFound: false, claim: .got, hasHints: true, now: after(1)) == [.gather])
        #expect(look.gathered(isComposed: false, now: after(2)) == [.fetch])
        #expect(look.fetchEnded(now: after(9)) == [.giveBack])

        var without = started()
        #expect(without.answered(isFound: false, claim: .taken, hasHints: true, now: after(1)) == [.gather])
        #expect(without.gathered(isComposed: false, now: after(2)) == [.wake(at: after(27))])
        #expect(without.woken(now: after(27)) == [.ask])
        #expect(without.answered(isFound: false, claim: .taken, now: after(28)) == [.wake(at: after(53))])
    }

    /// No node can have a claim: nobody is waited for.
    @Test func anEngineThatRefusesWritesDelaysNothing() {
        var look = started()
        #expect(look.answered(isFound: true, claim: .refused, now: after(1)) == [.take])
        look = started()
        #expect(look.answered(isFound: false, claim: .refused, now: after(1)) == [.fetch])
        #expect(look.fetchEnded(now: after(9)) == [])
        look = started()
        #expect(look.answered(isFound: false, claim: .refused, hasHints: true, now: after(1)) == [.gather])
        #expect(look.gathered(isComposed: false, now: after(2)) == [.fetch])
        // It refuses since this node waits for another.
        look = waiting()
        #expect(look.woken(now: after(26)) == [.ask])
        #expect(look.answered(isFound: false, claim: .refused, now: after(27)) == [.fetch])
    }

    @Test func theClaimIsReadFromTheReply() {
        #expect(TierLook.Claim(.simple("OK")) == .got && TierLook.Claim(.bulk(nil)) == .taken)
        #expect(TierLook.Claim(.error(code: "OOM", text: "")) == .refused && TierLook.Claim(.integer(1)) == nil)
    }

    @Test func theClaimHolderFetchesAndReleasesIt() {
        var look = started()
        #expect(look.answered(isFound: false, claim: .got, now: after(1)) == [.fetch])
        #expect(look.fetchEnded(now: after(200)) == [.giveBack])
        #expect(look.fetchEnded(now: after(201)) == [])
        look = started()
        #expect(look.answered(isFound: true, claim: .got, now: after(1)) == [.take, .giveBack])
        #expect(look.fetchEnded(now: after(2)) == [])
    }

    @Test func withoutAClaimTheLookWaits() {
        var look = waiting()
        #expect(look.woken(now: after(26)) == [.ask])
        #expect(look.answered(isFound: false, claim: .taken, now: after(27)) == [.wake(at: after(52))])
        #expect(look.woken(now: after(52)) == [.ask])
        #expect(look.answered(isFound: true, claim: .taken, now: after(53)) == [.take])
        look = waiting()
        _ = look.woken(now: after(26))
        #expect(look.answered(isFound: false, claim: .got, now: after(27)) == [.fetch])
        #expect(look.fetchEnded(now: after(100)) == [.giveBack])
    }

    @Test func theWaitEndsAfterFourSecondsOrWithALateReply() {
        var look = started()
        var (now, asked) = (1, 1)
        while true {
            let actions = look.answered(isFound: false, claim: .taken, now: after(now))
            guard case .wake(let wake) = actions.first else {
                #expect(actions == [.fetch])
                break
            }
            #expect(wake == after(min(now + 25, 4_000)))
            let woken = look.woken(now: wake)
            now = Int((wake - begin) / .milliseconds(1))
            guard woken == [.ask] else {
                #expect(woken == [.fetch] && now == 4_000)
                break
            }
            asked += 1
            now += 1
        }
        #expect((152...161).contains(asked), "\(asked)")
        #expect(look.fetchEnded(now: after(6_000)) == [])
        for isFound in [false, true] {
            var look = waiting()
            #expect(look.woken(now: after(3_999)) == [.ask])
            #expect(look.answered(isFound: isFound, claim: .taken, now: after(4_010)) == [isFound ? .take : .fetch])
        }
    }

    @Test func aFailureAtAnyPointIsAFetch() {
        var asking = started()
        #expect(asking.failed() == [.fetch] && asking.failed() == [])
        #expect(asking.answered(isFound: true, claim: .got, now: after(60)) == [], "a late reply")
        #expect(asking.fetchEnded(now: after(70)) == [])
        var pausing = waiting()
        #expect(pausing.failed() == [.fetch])
        #expect(pausing.woken(now: after(26)) == [])
        var again = waiting()
        _ = again.woken(now: after(26))
        #expect(again.failed() == [.fetch])
        var gathering = started()
        #expect(gathering.answered(isFound: false, claim: .got, hasHints: true, now: after(1)) == [.gather])
        #expect(gathering.failed() == [.fetch])
        var fetching = started()
        _ = fetching.answered(isFound: false, claim: .got, now: after(1))
        #expect(fetching.failed() == [] && fetching.fetchEnded(now: after(100)) == [.giveBack])
    }

    /// The claim may have ended by itself, and another node may have it.
    @Test func aClaimThatMayHaveEndedIsNotGivenBack() {
        for (end, actions) in [(3_999, [.giveBack]), (4_000, []), (9_000, [])] as [(Int, [TierLook.Action])] {
            var look = started()
            _ = look.answered(isFound: false, claim: .got, now: after(1))
            #expect(look.fetchEnded(now: after(end)) == actions, "\(end)")
        }
        // The claim counts from when it was asked for, not from the look's beginning.
        var late = waiting()
        _ = late.woken(now: after(3_000))
        _ = late.answered(isFound: false, claim: .got, now: after(3_001))
        #expect(late.fetchEnded(now: after(6_000)) == [.giveBack])
    }
}
