import Testing

@testable import Tier

@Suite struct PurgeLogStateTests {
    private typealias Action = PurgeLogState.Action

    private func at(_ milliseconds: UInt64) -> LogPosition { LogPosition(milliseconds, 0) }

    private func entry(_ milliseconds: UInt64) -> PurgeLogEntry {
        PurgeLogEntry(at(milliseconds), purge(.target(Array("/\(milliseconds)".utf8))))
    }

    private func page(
        _ entries: UInt64..., first: UInt64? = nil, last: UInt64? = nil, hasForgotten: Bool = false,
        in epoch: LogEpoch = epoch
    ) -> PurgeLogPage {
        PurgeLogPage(
            epoch, first: (first ?? entries.first).map(at), last: at(last ?? entries.last ?? 0),
            hasForgotten: hasForgotten, entries: entries.map(entry))
    }

    private func mark(_ milliseconds: UInt64, in epoch: LogEpoch = epoch) -> LogMark {
        LogMark(epoch, at(milliseconds))
    }

    private func begin(_ forgottenUntil: UInt64, in epoch: LogEpoch = epoch) -> Action {
        .beginHistory(epoch, forgottenUntil: at(forgottenUntil))
    }

    /// A node that has read a log with entries 10 and 20 to its end.
    private func ready() -> PurgeLogState {
        var state = PurgeLogState(kept: mark(20))
        #expect(state.connected() == [.read(after: .start)])
        #expect(state.read(page(10, 20)) == [begin(0), .note(entry(10)), .note(entry(20)), .wait])
        #expect(state.readiness == .ready && state.mayTake)
        return state
    }

    /// The same, and it asks for the entries since.
    private func reading() -> PurgeLogState {
        var state = ready()
        _ = state.woken()
        return state
    }

    /// A node that has read a log up to there in an earlier run, and asks for all of it.
    private func connected(_ kept: UInt64) -> PurgeLogState {
        var state = PurgeLogState(kept: mark(kept))
        _ = state.connected()
        return state
    }

    @Test func aJoiningNodeMakesAllStaleAndAppliesWhatFollows() {
        var state = PurgeLogState()
        #expect(state.readiness == .away && state.logMark == nil && !state.mayTake)
        #expect(state.connected() == [.read(after: .start)])
        #expect(state.readiness == .catchingUp)
        #expect(state.read(page()) == [begin(0), .makeAllStale(.joined)])
        #expect(state.logMark == nil && !state.mayTake)
        #expect(state.madeStale(succeeded: true) == [.persist(mark(0)), .read(after: .start)])
        #expect(state.read(page()) == [begin(0), .wait])
        #expect(state.readiness == .ready && state.logMark == mark(0) && state.mayTake)
        state = PurgeLogState()
        _ = state.connected()
        #expect(state.read(page(10, last: 20)) == [begin(20), .makeAllStale(.joined)])
        #expect(state.madeStale(succeeded: true) == [.persist(mark(20)), .read(after: .start)])
        #expect(state.read(page(10, 20, 30)) == [begin(0), .note(entry(10)), .note(entry(20)), .apply(entry(30))])
        #expect(state.applied(succeeded: true) == [.persist(mark(30)), .wait])
        #expect(state.readiness == .ready && state.position == at(30))
    }

    @Test func aReturningNodeCatchesUpFirst() {
        var state = PurgeLogState(kept: mark(20))
        #expect(state.logMark == mark(20))
        _ = state.connected()
        #expect(
            state.read(page(10, 20, 30, last: 50))
                == [begin(0), .note(entry(10)), .note(entry(20)), .apply(entry(30))])
        #expect(state.mayTake, "what is beyond is applied to what is taken")
        #expect(state.applied(succeeded: true) == [.persist(mark(30)), .read(after: at(30))])
        #expect(state.readiness == .catchingUp)
        #expect(state.read(page(50, first: 10)) == [.apply(entry(50))])
        #expect(state.applied(succeeded: true) == [.persist(mark(50)), .wait])
        #expect(state.readiness == .ready)
    }

    /// The entry 20 went between two pages: a value with a log mark before it was taken.
    @Test func nothingIsTakenUntilTheWholeHistoryIsKnown() {
        var state = connected(30)
        #expect(state.read(page(10, last: 30)) == [begin(0), .note(entry(10)), .read(after: at(10))])
        #expect(state.read(page(30, hasForgotten: true)) == [begin(30), .note(entry(30)), .wait])
        #expect(state.mayTake && state.readiness == .ready)
        var emptied = connected(30)
        _ = emptied.read(page(10, last: 30))
        #expect(emptied.read(page(last: 30, hasForgotten: true)) == [begin(30), .wait])
        state = connected(20)
        #expect(state.read(page(10, last: 20)) == [begin(0), .note(entry(10)), .read(after: at(10))])
        #expect(!state.mayTake)
        #expect(state.read(page(20, first: 10)) == [.note(entry(20)), .wait])
        #expect(state.mayTake)
    }

    @Test func whatTheDiskRefusedIsTriedAgain() {
        var state = reading()
        #expect(state.read(page(30, first: 10)) == [.apply(entry(30))])
        #expect(state.applied(succeeded: false) == [.wait])
        #expect(state.position == at(20) && state.logMark == mark(20))
        #expect(state.woken() == [.apply(entry(30))])
        #expect(state.applied(succeeded: true) == [.persist(mark(30)), .wait])
        state = reading()
        _ = state.read(page(in: LogEpoch(number: 2)))
        #expect(state.madeStale(succeeded: false) == [.wait])
        #expect(state.logMark == mark(20) && !state.mayTake)
        #expect(state.woken() == [.makeAllStale(.otherEpoch)])
    }

    @Test func anotherEpochMakesAllStale() {
        let other = LogEpoch(number: 2)
        var state = reading()
        #expect(state.read(page(first: 5, last: 5, in: other)) == [begin(5, in: other), .makeAllStale(.otherEpoch)])
        #expect(state.readiness == .catchingUp && !state.mayTake)
        #expect(state.madeStale(succeeded: true) == [.persist(mark(5, in: other)), .read(after: .start)])
        #expect(state.read(page(5, 6, in: other)) == [begin(0, in: other), .note(entry(5)), .apply(entry(6))])
        #expect(state.applied(succeeded: true) == [.persist(mark(6, in: other)), .wait])
        #expect(state.readiness == .ready && state.logMark == mark(6, in: other))
        // The node had gone on beyond it, and had it as a soft one.
        state = reading()
        _ = state.read(page(30, in: other))
        #expect(state.madeStale(succeeded: true) == [.persist(mark(20, in: other)), .read(after: .start)])
        #expect(state.read(page(30, in: other)) == [begin(0, in: other), .apply(entry(30))])
        #expect(state.applied(succeeded: true) == [.persist(mark(30, in: other)), .wait])
    }

    @Test func aLogThatEndsTooEarlyMakesAllStale() {
        var state = reading()
        #expect(state.read(page(first: 10, last: 10)) == [begin(20), .makeAllStale(.beyondEnd)])
        #expect(state.madeStale(succeeded: true) == [.persist(mark(10)), .read(after: .start)])
        // Ids up to 20 were given twice: no value with such a log mark can be judged.
        #expect(state.read(page(10, 15)) == [begin(20), .note(entry(10)), .apply(entry(15))])
        // The log had gone on without the purge at this place: those beyond were noted alone.
        state = reading()
        #expect(state.read(page(30), lacksPlace: true) == [begin(30), .makeAllStale(.beyondEnd)])
        #expect(state.madeStale(succeeded: true) == [.read(after: .start)])
        #expect(state.read(page(10, 30)) == [begin(20), .note(entry(10)), .apply(entry(30))])
    }

    @Test func aLogTrimmedBeyondTheNodeMakesAllStale() {
        for first in [30, nil] as [UInt64?] {
            var state = connected(20)
            let known = first.map { _ in [entry(30)] } ?? []
            let page = PurgeLogPage(epoch, first: first.map(at), last: at(30), hasForgotten: true, entries: known)
            #expect(state.read(page) == [begin(30), .makeAllStale(.trimmed)])
            #expect(state.madeStale(succeeded: true) == [.persist(mark(30)), .read(after: .start)])
            #expect(state.read(page) == [begin(30)] + known.map { .note($0) } + [.wait])
            #expect(state.readiness == .ready && state.mayTake)
        }
    }

    @Test func aLogTrimmedUpToTheNodeGoesOn() {
        var state = connected(20)
        #expect(state.read(page(20, 30, hasForgotten: true)) == [begin(20), .note(entry(20)), .apply(entry(30))])
        var emptied = connected(20)
        #expect(emptied.read(page(last: 20, hasForgotten: true)) == [begin(20), .wait])
        #expect(emptied.readiness == .ready && emptied.mayTake)
        var first = connected(0)
        #expect(first.read(page(30)) == [begin(0), .apply(entry(30))], "nothing was trimmed")
        // Entries that an operator took out.
        var taken = reading()
        #expect(taken.read(page(first: 10, last: 40, hasForgotten: true)) == [begin(40), .makeAllStale(.trimmed)])
    }

    @Test func aNodeWithoutAConnectionIsAway() {
        var state = ready()
        state.disconnected()
        #expect(state.readiness == .away && state.logMark == mark(20))
        #expect(state.woken() == [])
        #expect(state.connected() == [.read(after: at(20))])
        #expect(state.readiness == .catchingUp)
        state.disconnected()
        #expect(state.read(page(30, first: 10)) == [], "a reply that came too late")
        #expect(state.connected() == [.read(after: at(20))])
        #expect(state.read(page(first: 10, last: 20)) == [.wait])
        #expect(state.readiness == .ready)
    }

    @Test func whatHasBegunEndsWithoutAConnection() {
        var state = connected(0)
        #expect(state.read(page(10, 20)) == [begin(0), .apply(entry(10))])
        state.disconnected()
        #expect(state.applied(succeeded: true) == [.apply(entry(20))])
        #expect(state.connected() == [], "one thing after the other")
        state.disconnected()
        #expect(state.applied(succeeded: true) == [.persist(mark(20))])
        #expect(state.readiness == .away)
        #expect(state.connected() == [.read(after: at(20))])
        state = reading()
        _ = state.read(page(first: 5, last: 5, in: LogEpoch(number: 2)))
        state.disconnected()
        #expect(state.madeStale(succeeded: true) == [.persist(mark(5, in: LogEpoch(number: 2)))])
        #expect(state.connected() == [.read(after: .start)])
    }

    @Test func anImpossiblePageChangesNothing() {
        for entries in [[30, 30], [40, 30], [20], [10]] as [[UInt64]] {
            var state = reading()
            let page = PurgeLogPage(
                epoch, first: at(10), last: at(50), hasForgotten: false, entries: entries.map(entry))
            #expect(state.read(page) == [.wait], "\(entries)")
            #expect(state.position == at(20))
        }
        var state = reading()
        let beyond = PurgeLogPage(epoch, first: at(10), last: at(30), hasForgotten: false, entries: [entry(40)])
        #expect(state.read(beyond) == [.wait])
    }

    @Test func aReadyNodeReadsOnAndIgnoresOtherEvents() {
        var state = ready()
        #expect(state.read(page(30, first: 10)) == [] && state.applied(succeeded: true) == [])
        #expect(state.madeStale(succeeded: true) == [] && state.position == at(20))
        #expect(state.woken() == [.read(after: at(20))])
        #expect(state.read(page(first: 10, last: 20)) == [.wait])
        #expect(state.woken() == [.read(after: at(20))])
        #expect(state.read(page(30, first: 10)) == [.apply(entry(30))])
        #expect(state.applied(succeeded: true) == [.persist(mark(30)), .wait])
        #expect(state.woken() == [.read(after: at(30))])
    }
}
