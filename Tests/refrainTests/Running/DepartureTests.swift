import EventLoop
import Glibc
import Testing

@testable import refrain

/// Scripts of the events of a departing process, and its actions.
@Suite struct DepartureTests {
    private let start = Instant.now()

    /// A process whose place another has taken.
    private func leaving() -> Departure {
        Departure(within: .seconds(60), hurriedLimit: .seconds(10), at: start)
    }

    private func stopping() -> Departure { Departure(within: .seconds(10), at: start) }

    private func after(_ seconds: Int) -> Instant { start + .seconds(seconds) }

    private func facts(
        isAsked: Bool = false, isUrgent: Bool = false, successorHasEnded: Bool = false,
        predecessorHasEnded: Bool = true, cutOff: Int? = nil
    ) -> Departure.Facts {
        Departure.Facts(
            isAsked: isAsked, isUrgent: isUrgent, successorHasEnded: successorHasEnded,
            predecessorHasEnded: predecessorHasEnded, cutOff: cutOff)
    }

    /// The end counted as the operator's second signal, and cut off the requests in hand.
    @Test func theEndOfTheSuccessorIsNoSignal() {
        for hasSignalFirst in [true, false] {
            var departure = leaving()
            let first = hasSignalFirst ? facts(isAsked: true) : facts(successorHasEnded: true)
            let both = facts(isAsked: true, successorHasEnded: true)
            let steps = [departure.next(first, at: after(1)), departure.next(both, at: after(2))]
            #expect(steps == [.hurry, .wait(until: after(11))])
            #expect(departure.next(both, at: after(11)) == .over(.timedOut))
        }
    }

    /// Two TERMs cut the requests off that one would have let end: timeout(1) sends one to the
    /// process and one to its group.
    @Test func aSecondSignalIsUrgentOnlyAsINT() {
        for (signals, isUrgent) in [
            ([SIGTERM, SIGTERM], false), ([SIGINT], false), ([SIGINT, SIGTERM], false), ([SIGTERM, SIGINT], true),
            ([SIGINT, SIGINT], true),
        ] {
            var received = StopSignals.Received()
            for signal in signals { received.note(signal) }
            #expect(received.isUrgent == isUrgent, "\(signals)")
        }
    }

    @Test func anUrgentSignalCutsOffTheRequestsInHand() {
        var (departure, stop) = (leaving(), stopping())
        let urgent = facts(isAsked: true, isUrgent: true)
        #expect(departure.next(facts(isAsked: true), at: after(1)) == .hurry)
        #expect(departure.next(urgent, at: after(2)) == .over(.interrupted))
        #expect(stop.next(facts(isAsked: true), at: after(1)) == .wait(until: after(10)))
        #expect(stop.next(urgent, at: after(2)) == .over(.interrupted))
        // All is done: there is nothing to cut off, and no predecessor is waited for.
        var done = leaving()
        #expect(done.next(facts(isAsked: true), at: after(1)) == .hurry)
        let late = facts(isAsked: true, isUrgent: true, predecessorHasEnded: false, cutOff: 0)
        #expect(done.next(late, at: after(2)) == .over(.drained(cutOff: 0)))
    }

    @Test func withoutASignalAReplacedProcessTakesItsTime() {
        var departure = leaving()
        #expect(departure.next(facts(), at: after(0)) == .wait(until: after(60)))
        #expect(departure.next(facts(), at: after(59)) == .wait(until: after(60)))
        #expect(departure.next(facts(), at: after(60)) == .over(.timedOut))
        #expect(departure.next(facts(cutOff: 3), at: after(60)) == .over(.drained(cutOff: 3)))
    }

    /// The successor waited for as long as the predecessor lived.
    @Test func theWaitForThePredecessorHasAnEnd() {
        let done = facts(predecessorHasEnded: false, cutOff: 0)
        var departure = leaving()
        #expect(departure.next(done, at: after(1)) == .wait(until: after(60)))
        #expect(departure.next(done, at: after(60)) == .over(.drained(cutOff: 0)))
        var hurried = leaving()
        #expect(hurried.next(facts(isAsked: true, predecessorHasEnded: false), at: after(1)) == .hurry)
        let late = facts(isAsked: true, predecessorHasEnded: false, cutOff: 0)
        #expect(hurried.next(late, at: after(2)) == .wait(until: after(11)))
        #expect(hurried.next(late, at: after(11)) == .over(.drained(cutOff: 0)))
    }

    @Test func nothingIsWaitedForOnceNoPurgeCanCome() {
        let ends = [
            facts(cutOff: 0), facts(successorHasEnded: true, predecessorHasEnded: false, cutOff: 0),
            facts(isAsked: true, predecessorHasEnded: false, cutOff: 0),
        ]
        for end in ends {
            var departure = leaving()
            let waits = facts(predecessorHasEnded: false, cutOff: 0)
            #expect(departure.next(waits, at: after(1)) == .wait(until: after(60)))
            #expect(departure.next(end, at: after(2)) == .over(.drained(cutOff: 0)))
        }
    }
}
