import EventLoop
import TestSupport
import Testing

@testable import Upstream

/// One exchange with the origin as a script of events and effects.
@Suite struct UpstreamStateTests {
    private typealias Event = UpstreamState.Event

    // MARK: The common way

    @Test func turnThenConnectionThenAnswer() {
        var script = UpstreamScript()
        #expect(script.play(.sent(isDraining: false)) == "ask for turn")
        #expect(script.play(.turnCame) == "connect")
        #expect(script.play(.started) == "")
        script.wait(.seconds(2))
        #expect(
            script.play(.answered(UpstreamScript.ok)) == "count 200 after 2.0 seconds, return answered, end, tell")
        #expect(script.state.hasEnded)
    }

    @Test func aStreamedAnswerHoldsItsTurnToItsEnd() {
        var script = UpstreamScript.started()
        #expect(script.play(.headCame(UpstreamScript.ok)) == "")
        #expect(script.play(.began(UpstreamScript.ok)) == "count 200 after 0.0 seconds, tell")
        #expect(script.play(.continued) == "tell")
        #expect(script.play(.finished) == "return answered, end, tell")
    }

    /// Without a gate nothing is counted and no turn returned.
    @Test func aRequestOfAPoolAloneHasNoTurn() {
        var script = UpstreamScript(repeats: 0)
        #expect(script.play([.turnCame, .started]) == ["connect", ""])
        #expect(script.play(.answered(UpstreamScript.refusal)) == "end, tell")
    }

    // MARK: Waiting

    @Test func aTurnThatComesInTimeStopsTheTimer() {
        var script = UpstreamScript()
        script.play(.sent(isDraining: false))
        #expect(script.play(.queued) == "wake after 15.0 seconds")
        #expect(script.play(.turnCame) == "stop timer, connect")
    }

    @Test func aTurnThatDoesNotComeInTimeIsReturnedAndTheFailureToldLater() {
        var script = UpstreamScript.waiting()
        script.wait(.seconds(15))
        #expect(script.play(.woken) == "ask why late")
        let failure = UpstreamFailure.shareUsed(retryAfter: 2)
        #expect(script.play(.late(failure)) == "wake after 15.0 seconds, return unanswered")
        #expect(script.play(.woken) == "end, fail share-used")
        #expect(script.state.failure == failure)
    }

    /// The budget has forgotten it.
    @Test(arguments: [false, true]) func aTurnThatIsRefusedIsNotReturned(isWaiting: Bool) {
        var script = isWaiting ? UpstreamScript.waiting() : UpstreamScript()
        if !isWaiting { script.play(.sent(isDraining: false)) }
        #expect(script.play(.turnRefused(.heldBack(retryAfter: 9))) == "wake after 0.0 seconds")
        #expect(script.play(.woken) == "end, fail held-back")
    }

    @Test func aGateThatDrainsIsNotAskedForATurn() {
        var script = UpstreamScript()
        #expect(script.play(.sent(isDraining: true)) == "wake after 0.0 seconds")
        #expect(script.play(.woken) == "end, fail draining")
    }

    // MARK: Broken connections

    @Test func aRequestWhoseKeptConnectionWasDeadKeepsItsTurn() {
        var script = UpstreamScript.started()
        #expect(script.play([.left, .started]) == ["", ""])
        script.wait(.seconds(1))
        #expect(
            script.play([.left, .failed(.closedEarly(.head))]) == ["", "wake after 1.0 seconds"])
        #expect(script.play(.woken) == "count none, return unanswered, end, fail upstream-closed")
    }

    /// The answer's age counts from the connection that brought it.
    @Test func timeCountsFromTheLastConnection() {
        var script = UpstreamScript.started()
        script.wait(.seconds(5))
        script.play(.left)
        script.play(.started)
        script.wait(.seconds(1))
        #expect(script.play(.began(UpstreamScript.ok)) == "count 200 after 1.0 seconds, tell")
    }

    @Test func anAnswerThatBeganAndBrokeOffIsCountedOnce() {
        var script = UpstreamScript.started()
        script.play(.began(UpstreamScript.ok))
        script.play(.left)
        script.play(.failed(.closedEarly(.content)))
        #expect(script.play(.woken) == "return unanswered, end, fail upstream-closed")
    }

    // MARK: 429

    @Test func aRequestThatMetA429WaitsForAnotherTurn() {
        var script = UpstreamScript.started()
        #expect(
            script.play(.answered(UpstreamScript.refusal))
                == "count 429 after 0.0 seconds, return limited, ask for repeat 0")
        #expect(script.play(.mayRepeat(at: UpstreamScript.after(.seconds(1)))) == "wake after 1.0 seconds")
        #expect(script.play(.woken) == "count repeat, ask for turn")
        #expect(script.state.isRepeated && script.state.phase == .waitingForTurn)
        #expect(script.play([.turnCame, .started]) == ["connect", ""])
        #expect(script.play(.answered(UpstreamScript.ok)) == "count 200 after 0.0 seconds, return answered, end, tell")
    }

    @Test func a429ThatMayNotBeRepeatedIsHandedOn() {
        var script = UpstreamScript.started()
        script.play(.answered(UpstreamScript.refusal))
        #expect(script.play(.mayRepeat(at: nil)) == "end, tell")
        script = .started(repeats: 0)
        #expect(
            script.play(.answered(UpstreamScript.refusal)) == "count 429 after 0.0 seconds, return limited, end, tell")
    }

    /// The budget hears of it, however the content ends.
    @Test func a429WhoseContentBreaksOffWasNoAnswer() {
        var script = UpstreamScript.started()
        script.play(.headCame(UpstreamState.Head(status: 429, retryAfter: .seconds(60))))
        script.play(.left)
        script.play(.failed(.closedEarly(.content)))
        #expect(script.play(.woken) == "count none, return limited for 60.0 seconds, end, fail upstream-closed")
    }

    /// The second sending's result would have been the first one's.
    @Test func aRepeatForgetsThe429() {
        var script = UpstreamScript.pausing()
        for event in [.woken, .turnCame, .started, .left, .failed(.timeout(.firstByte))] as [Event] {
            script.play(event)
        }
        #expect(script.play(.woken) == "count none, return unanswered, end, fail upstream-first-byte-timeout")
    }

    // MARK: Cancelling

    @Test func whatCancellingTakesBackDependsOnHowFarItIs() {
        var scripts = [UpstreamScript.waiting(), .started(), .started(), .pausing(), .started()]
        scripts[2].play(.left)
        scripts[4].play(.left)
        scripts[4].play(.failed(.timeout(.whole)))
        let leaves = "leave pool, count none, return unanswered, end"
        #expect(
            scripts.indices.map { scripts[$0].play(.cancelled) } == [
                "return unanswered, stop timer, end", leaves, leaves, "stop timer, end",
                "count none, return unanswered, stop timer, end",
            ])
        let late: [Event] = [
            .cancelled, .turnCame, .started, .left, .answered(UpstreamScript.ok), .finished, .failed(.draining),
            .woken, .promoted(.waitingClient, of: .everyone), .paused, .resumed, .cutOff,
        ]
        for index in scripts.indices {
            #expect(scripts[index].play(late) == late.map { _ in "" })
        }
    }

    // MARK: Pauses

    @Test func aPauseEndsOnce() {
        var script = UpstreamScript.started()
        script.play(.began(UpstreamScript.ok))
        #expect(script.play([.paused, .paused]) == ["pause reading", ""])
        #expect(script.play([.resumed, .resumed]) == ["end pause, resume reading", ""])
        script.play(.paused)
        #expect(script.play(.cancelled) == "leave pool, return unanswered, end pause, end")
    }

    @Test func aReaderThatIsTooSlowIsCutOffOnItsConnectionAlone() {
        var script = UpstreamScript.waiting()
        #expect(script.play([.paused, .cutOff]) == ["pause reading", ""])
        #expect(script.play(.turnCame) == "stop timer, end pause, connect")
        script.play(.started)
        script.play(.began(UpstreamScript.ok))
        script.play(.paused)
        #expect(script.play(.cutOff) == "leave pool, return unanswered, end pause, end, fail slow-reader")
    }

    // MARK: Urgency

    @Test func aRequestThatWaitsMovesInTheQueue() {
        var script = UpstreamScript.waiting(.refresh, of: .background)
        #expect(script.play(.promoted(.refresh, of: nil)) == "")
        #expect(script.play(.promoted(.waitingClient, of: .named(1))) == "move to waitingClient of named(1)")
        script.play(.moved(to: .named(1), or: .named(1)))
        // As urgent as before, among those of the party that is served sooner.
        #expect(script.play(.promoted(.refresh, of: .named(2))) == "move to refresh of named(2)")
        script.play(.moved(to: .named(1), or: .named(2)))
        #expect(script.state.priority == .waitingClient && script.state.party == .named(1))
    }

    /// The repeat would have waited as nobody's.
    @Test(arguments: [(UpstreamParty.background, UpstreamParty.named(2)), (.named(1), .named(1))])
    func aRequestThatHasItsTurnIsRepeatedForWhomItIs(party: UpstreamParty, then: UpstreamParty) {
        var script = UpstreamScript(.refresh, of: party)
        script.play(.sent(isDraining: false))
        script.play(.turnCame)
        #expect(script.play(.promoted(.waitingClient, of: .named(2))) == "")
        #expect(script.state.priority == .waitingClient && script.state.party == then)
    }

    // MARK: All of it

    /// Random events, as far as each may come: every turn is returned or refused once, and the end
    /// is told once.
    @Test func everyTurnIsReturnedOnce() {
        for seed in UInt64(0)..<2000 {
            var random = SeededGenerator(seed: seed)
            var (script, held, ends, told) = (UpstreamScript(repeats: 2), 0, 0, 0)
            var event = Event.sent(isDraining: false)
            for _ in 0..<60 {
                let words = script.play(event)
                if words.contains("ask for turn") { held += 1 }
                if words.contains("return") { held -= 1 }
                if case .turnRefused = event { held -= 1 }
                #expect(held == 0 || held == 1, "seed \(seed), after \(event)")
                if words.contains("end, ") || words == "end" || words.hasSuffix(", end") { ends += 1 }
                if words.hasSuffix("end, tell") || words.contains("fail ") { told += 1 }
                event = next(after: script.state.phase, words, &random)
            }
            #expect(script.state.hasEnded && held == 0 && ends == 1 && told <= 1, "seed \(seed)")
        }
    }

    private func next(after phase: UpstreamState.Phase, _ words: String, _ random: inout SeededGenerator) -> Event {
        if words.contains("ask why late") { return .late(.waitedTooLong(retryAfter: 1)) }
        let answer = Bool.random(using: &random) ? UpstreamScript.refusal : UpstreamScript.ok
        let possible: [Event] =
            switch phase {
            case .unsent, .ended: [.cancelled]
            case .waitingForTurn: [.turnCame, .turnCame, .turnRefused(.heldBack(retryAfter: 1)), .woken]
            case .waitingForConnection: [.started, .started, .failed(.timeout(.whole))]
            case .onConnection:
                [.left, .headCame(answer), .began(answer), .continued, .answered(answer), .finished, .cutOff]
            case .refused: [.mayRepeat(at: nil), .mayRepeat(at: UpstreamScript.after(.seconds(1)))]
            case .pausing, .failing: [.woken]
            }
        let always: [Event] = [.paused, .resumed, .promoted(.waitingClient, of: .named(1))]
        let others = phase == .refused ? [] : Int.random(in: 0..<40, using: &random) == 0 ? [.cancelled] : always
        return Int.random(in: 0..<4, using: &random) == 0 && !others.isEmpty
            ? others.randomElement(using: &random)! : possible.randomElement(using: &random)!
    }
}
