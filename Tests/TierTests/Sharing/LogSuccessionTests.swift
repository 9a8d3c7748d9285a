import EventLoop
import Testing

@testable import Tier

/// An engine that was started anew, or another one, with a log that may lack its latest purges.
@Suite struct LogSuccessionTests {
    /// The life of an engine whose mark is one.
    private static let other = LogEpoch(number: epoch.number ^ 1)
    /// The epoch in the engine once a node has ended the earlier one.
    private static let third = LogEpoch(number: 3)

    /// A node at 20 that reads on, the others and their places.
    private func script(_ others: [String: LogMark] = [:]) -> FollowerScript {
        var script = FollowerScript.ready()
        script.sign(others)
        return script
    }

    /// Wakes the node until it asks for a page; an engine whose mark is one answers.
    @discardableResult
    private func page(
        _ script: inout FollowerScript, place: UInt64? = 20, last: UInt64 = 20,
        record: PurgeRecord = purge(.target([47])), stored: LogEpoch = epoch
    ) -> [FollowerState.Effect] {
        for _ in 0..<10 where !script.wake().pages.isEmpty {
            return script.read(
                last > 20 ? [last] : [], last: last, record: record, place: place, stored: stored, engine: 1)
        }
        return []
    }

    /// Whether the node ends the old life in the engine before it takes its own answers for stale.
    private func ends(_ effects: [FollowerState.Effect], _ stored: LogEpoch = epoch) -> Bool {
        let lines = effects.lines(.succession)
        return effects.purges.isEmpty && lines.count == 1
            && lines[0].contains("refrain:{refrain}:epoch \(stored.text) ")
            && !lines[0].hasSuffix(Self.other.text)
    }

    @Test func anEngineThatHasAllGoesOn() {
        var script = script(["b": logMark(20)])
        let first = page(&script)
        #expect(first.purges.isEmpty && first.lines(.signs).contains { $0.contains("confirmed=\(Self.other.text)") })
        #expect(first.questions.contains(.succession) == false && script.status.readiness == .away)
        // The other node has an earlier position, and has found its place too.
        script.sign(["b": logMark(10)], confirmed: Self.other)
        let second = page(&script)
        #expect(second.purges.isEmpty)
        let change = second.lines(.succession)
        #expect(change.count == 1 && change[0].hasSuffix("refrain:{refrain}:epoch \(epoch.text) \(Self.other.text)"))
        #expect(page(&script, stored: Self.other).purges.isEmpty)
        #expect(script.status.readiness == .ready && script.state.logMark == logMark(20))
    }

    /// The engine came back with its data but for the last entries.
    @Test func aPurgeLostWithTheTailIsWrittenAgain() {
        var script = script(["b": logMark(20)])
        script.purgeUnlogged(1)
        #expect(script.sign().questions.contains(.unlogged([1])))
        script.tell(.answered(.unlogged([1]), [.bulk("40-0")]))
        // This page is on its way since the purge.
        #expect(script.read([], last: 20, place: 20, engine: 1).purges.isEmpty)
        script.sign(["b": logMark(20)], confirmed: Self.other)
        page(&script)
        #expect(page(&script, stored: Self.other).purges.isEmpty)
        var effects = script.sign()
        for _ in 0..<20 where !effects.questions.contains(.unlogged([1])) {
            effects = script.goOn(after: effects)
        }
        #expect(effects.questions.contains(.unlogged([1])))
    }

    /// Returns the lines of the node's next signs of life; one may be on its way.
    private func nextSigns(_ script: inout FollowerScript) -> [String] {
        var lines: [String] = []
        var effects = script.sign()
        for _ in 0..<20 {
            lines += effects.lines(.signs)
            effects = script.goOn(after: effects)
        }
        return lines
    }

    /// A node that had purged and ended counted as having its place in an engine without the purge.
    @Test(arguments: [other, third])
    func aDoubtThatWasOverWasSaidOnAndOn(stored: LogEpoch) {
        var script = script(["b": logMark(20)])
        #expect(page(&script).lines(.signs).contains { $0.contains("confirmed=") })
        script.sign(["b": logMark(20)])
        page(&script, stored: stored)
        let signs = nextSigns(&script)
        #expect(signs.contains { $0.contains("seen=") } && !signs.contains { $0.contains("confirmed=") }, "\(signs)")
    }

    /// The node asked 20 times a second for as long as the engine was away.
    @Test func aNodeInDoubtHurriedWithoutAnEngine() {
        var script = script(["b": logMark(20)])
        #expect(page(&script).questions.contains(.signs))
        script.tell(.answered(.signs, nil))
        for _ in 0..<5 {
            let before = script.now
            #expect(script.wake().questions == [.signs])
            #expect(script.now - before == LogFollower.Settings().pause)
            script.tell(.answered(.signs, nil))
        }
    }

    @Test(arguments: [(nil, 30), (nil, 10)] as [(UInt64?, UInt64)])
    func aMissingPurgeAtOurPlaceBeginsAnotherLife(place: UInt64?, last: UInt64) {
        var script = script()
        let effects = page(&script, place: place, last: last)
        #expect(ends(effects) && script.status.readiness == .away)
        #expect(page(&script, place: place, last: last, stored: Self.third).purges == [.everything(.otherEpoch)])
    }

    /// No other node heard of the loss: the next one found all others in agreement.
    @Test func aLeavingNodeWithALossStaysOnTheList() {
        for isLost in [true, false] {
            var script = script(["b": logMark(20)])
            page(&script, place: isLost ? nil : 20)
            let effects = script.tell(.leave)
            #expect(effects.contains(.left) && !effects.questions.contains(.farewell))
        }
        var away = script()
        while away.status.readiness != .away { away.tell(.answered(.signs, nil)) }
        #expect(away.tell(.leave).contains(.left))
    }

    /// The node was away for longer than the log reaches back: the others lose nothing.
    @Test func aPlaceOnDiskIsNotConfirmedAndATrimmedOneGone() {
        var script = FollowerScript.begun(logMark(5))
        #expect(script.read([10, 20], first: 10).purges == [.everything(.trimmed)])
        // A new process does not know the last entry that the one before it had read.
        script = FollowerScript.begun(logMark(20))
        #expect(ends(script.read([10, 20], place: 20, engine: 1)))
        #expect(script.status.readiness == .catchingUp, "it was never ready")
        #expect(page(&script, stored: Self.third).purges == [.everything(.otherEpoch)])
    }

    /// A list of nodes that was read before may lack one that has come since.
    @Test func onlyHeartbeatsSinceTheDoubtCount() {
        var script = script(["b": logMark(20)])
        var isSent = false
        for _ in 0..<60 where !isSent {
            let effects = script.wake()
            isSent = effects.questions.contains(.signs)
            if !effects.pages.isEmpty { script.read([], last: 20) }
        }
        #expect(isSent)
        #expect(page(&script).purges.isEmpty)
        let agreed = script.sign(["b": logMark(20)], confirmed: Self.other)
        #expect(agreed.lines(.signs).contains { $0.contains("confirmed=") })
        #expect(!page(&script).questions.contains(.succession))
        script.sign(["b": logMark(20)], confirmed: Self.other)
        #expect(page(&script).lines(.succession).contains { $0.hasSuffix(Self.other.text) })
    }

    /// Ids that were given and lost are given again.
    @Test func anotherPurgeOrNumberIsAnotherLifeThatIsTaken() {
        var script = script()
        #expect(ends(page(&script, record: purge(.target([48])))))
        script = self.script()
        #expect(page(&script, stored: LogEpoch(number: 5)).purges == [.everything(.otherEpoch)])
        script = self.script()
        let begin = script.now
        var effects = page(&script, place: nil)
        while effects.purges.isEmpty, script.now - begin < .seconds(60) { effects = page(&script, place: nil) }
        #expect(effects.purges == [.everything(.otherEpoch)] && script.now - begin < .seconds(2))
    }

    /// The node may have been the only one that had read a purge which is lost.
    @Test func anUnconfirmedNodeIsMissedAndOneThatMovedFollowed() {
        var script = script(["b": logMark(20)])
        let begin = script.now
        var effects: [FollowerState.Effect] = []
        while !effects.questions.contains(.succession), script.now - begin < .seconds(60) {
            script.sign(["b": logMark(20)])
            effects = page(&script)
            #expect(effects.purges.isEmpty)
        }
        #expect(ends(effects))
        #expect(page(&script, stored: Self.third).purges == [.everything(.otherEpoch)])
        #expect(script.now - begin >= LogFollower.Settings().successionPatience && script.now - begin < .seconds(12))
        script = self.script(["b": logMark(20)])
        #expect(page(&script).purges.isEmpty)
        script.sign(["b": LogMark(Self.other, LogPosition(20, 0))])
        #expect(ends(page(&script)))
        #expect(page(&script, stored: Self.third).purges == [.everything(.otherEpoch)])
    }

    /// A node that begins with the state on its disk: a page comes before the list of nodes.
    private func started(_ stored: LogEpoch) -> FollowerScript {
        var script = FollowerScript()
        script.tell(.began(logMark(20)))
        script.tell(.answered(.signs, Array(script.signs([:]).prefix(1))))
        let effects = script.read([10, 20], place: 20, stored: stored, engine: 1)
        #expect(effects.purges.isEmpty && !effects.questions.contains(.succession))
        return script
    }

    /// Each node ended the life that all others had begun by then.
    @Test func nodesStartedInTurnEndTheOldLifeOnce() {
        var stored = epoch
        var marks = ["b": logMark(20), "c": logMark(20), "d": logMark(20)]
        for name in marks.keys.sorted() {
            var script = started(stored)
            script.sign(marks.filter { $0.key != name })
            var effects = page(&script, stored: stored)
            if name == "b" {
                #expect(ends(effects))
                stored = Self.third
                effects = page(&script, stored: stored)
            }
            #expect(effects.purges == [.everything(.otherEpoch)] && !effects.questions.contains(.succession))
            script.tell(.purged(.everything(.otherEpoch), 0))
            #expect(script.state.logMark?.epoch == LogEpoch(number: Self.third.number ^ 1))
            marks[name] = script.state.logMark
        }
        var script = started(epoch)
        let begin = script.now
        var effects = page(&script)
        while !effects.questions.contains(.succession), script.now - begin < .seconds(60) { effects = page(&script) }
        #expect(ends(effects) && script.now - begin < .seconds(2))
    }

    /// Two engines were masters at once, and both were of one life after nodes had agreed on one.
    @Test func aSecondMasterOfTheSameLifeIsDetected() {
        let cases: [(UInt64?, UInt64, Bool)] = [(nil, 30, true), (20, 30, false), (nil, 20, false)]
        for (place, last, isBroken) in cases {
            var script = script()
            let effects = page(&script, place: place, last: last, stored: Self.other)
            #expect(ends(effects, Self.other) == isBroken, "\(place as Any), \(last)")
            guard isBroken else { continue }
            // The other nodes had gone on without it: then it alone took its answers for stale.
            #expect(page(&script, place: place, last: last, stored: Self.third).purges == [.everything(.otherEpoch)])
        }
    }
}
