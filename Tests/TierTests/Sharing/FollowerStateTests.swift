import EventLoop
import Purging
import Store
import Testing

@testable import Tier

@Suite struct FollowerStateTests {
    /// A node that has read a log up to 20, and reads on.
    private var script = FollowerScript.ready()

    private func at(_ milliseconds: UInt64) -> LogPosition { LogPosition(milliseconds, 0) }

    /// The purge of `/` at that place of the log.
    private func entry(_ milliseconds: UInt64) -> PurgeLogEntry {
        PurgeLogEntry(at(milliseconds), purge(.target([47])))
    }

    @Test func theDiskIsAskedFirstThenTheTimeThenTheNodes() {
        var script = FollowerScript()
        #expect(script.state.wakeAt == nil && script.status.readiness == .away)
        #expect(script.tell(.began(nil)).questions == [.signs])
        #expect(script.state.wakeAt == nil, "the answer wakes it")
        script = FollowerScript()
        #expect(script.tell(.began(logMark(20))).lines(.signs) == ["TIME"])
        #expect(script.state.logMark == logMark(20), "it is known without an engine")
        let effects = script.tell(.answered(.signs, [script.signs([:])[0]]))
        #expect(effects.questions == [.page(1), .signs] && effects.pages == [.start])
        #expect(effects.lines(.signs).map { $0.prefix(7) } == ["TIME", "HGETALL", "HSET re", "EVAL lo"])
        #expect(script.sign().questions.isEmpty)
        #expect(script.state.wakeAt == script.now + .seconds(2))
    }

    @Test mutating func aCaughtUpNodeIsReadyAndPolls() {
        #expect(script.status.readiness == .ready && script.state.mayTake)
        #expect(script.state.logMark == logMark(20))
        let effects = script.wake()
        #expect(effects.questions == [.page(2)] && effects.pages == [at(20)])
        #expect(script.read([], last: 20).isEmpty)
        #expect(script.state.wakeAt == script.now + .milliseconds(250))
    }

    @Test func newsOfWantedNamesAreToldAtOnce() {
        var script = FollowerScript.ready()
        #expect(script.tell(.wanted("albums:8", isNews: false)).isEmpty)
        let effects = script.tell(.wanted("albums:16", isNews: true))
        #expect(effects.questions == [.signs])
        let sign = effects.lines(.signs).last ?? ""
        #expect(sign.hasPrefix("HSET") && sign.contains("wanted=albums:16"))
        #expect(script.tell(.wanted("albums:32", isNews: true)).isEmpty, "one is on its way")
        #expect(script.sign().questions.contains(.signs))
    }

    @Test func aForeignPurgeIsNotedAppliedAndReported() {
        var script = FollowerScript.reading()
        let record = purge(.target([47]), at: 0, by: "b")
        let entry = PurgeLogEntry(at(30), record)
        #expect(
            script.read([30], record: record)
                == [.note(entry, isNew: true), .purge(.logged(entry), record.selection, .hard, at: noon)])
        let effects = script.tell(.purged(.logged(entry), 2))
        #expect(effects.first == .inform("purged 2 entries (hard), requested on node b: target /"))
        #expect(effects.contains(.persist(logMark(30))) && effects.questions == [.signs])
    }

    /// Purges by a clock that was ahead ended all answers stored until then, on all nodes and for
    /// good.
    @Test mutating func aPurgeFromTheFutureCountsAsNow() {
        var script = FollowerScript.reading()
        let entries = [1, 2].map { UInt64(noon * 1000) + $0 }
        let record = purge(.prefix([47]), mode: .soft, at: noon + 300_000_000, by: "b")
        let first = script.read(entries, record: record)
        #expect(first.times == [script.wall / 1000])
        #expect(first.warnings == ["purge log: the clock of node b is 300000000 s ahead"])
        let second = script.tell(.purged(.logged(PurgeLogEntry(at(entries[0]), record)), 1))
        #expect(second.times == [script.wall / 1000] && second.warnings.isEmpty)
        script = .ready()
        let effects = script.tell(.purge(1, purge(.target([47]), at: noon + 300_000_000)))
        #expect(effects.questions == [.announcement(1)])
        #expect(effects.lines(.announcement(1))[0].contains(" at \(script.engine / 1000) by a target /"))
    }

    @Test func anUnknownEntryIsReportedOnce() {
        var script = FollowerScript.reading()
        var parts = script.parts([30, 31])
        let fields = purge().fields + [Array("language".utf8), Array("de".utf8)]
        let odd = RESPReply.array(fields.map { .bulk($0) })
        parts[1] = .array(["30-0", "31-0"].map { .array([.bulk($0), odd]) })
        let first = script.answerPage([.array(parts)])
        guard case .purge(let job, let selection, let mode, _)? = first.last else {
            Issue.record("nothing is purged: \(first)")
            return
        }
        #expect(selection == EntrySelection() && mode == .soft)
        #expect(first.warnings.count == 1 && first.warnings[0].contains("(the field language)"))
        #expect(script.tell(.purged(job, 0)).warnings.isEmpty)
    }

    @Test func aPurgeIsReportedWhenAllLiveNodesHaveIt() {
        var script = FollowerScript.reading()
        script.read([], last: 20)
        #expect(script.tell(.purge(1, entry(30).record)).lines(.announcement(1)).count == 2, "there is no replica")
        let announced = script.announced(1, at: 30)
        #expect(announced.questions == [.page(3), .signs] && announced.pages == [at(20)])
        #expect(script.read([30]).purges == [.logged(entry(30))])
        script.sign(["b": logMark(20)])
        #expect(script.tell(.purged(.logged(entry(30)), 1)).reports.isEmpty, "b has not applied it")
        #expect(script.state.wakeAt.map { $0 - script.now } ?? .zero <= .milliseconds(250))
        let effects = script.sign(["b": logMark(30)])
        #expect(effects.reports == [PurgeReport(purged: 1, replication: .noReplica, missing: [], nodes: 2)])
    }

    /// A node whose purge is at 30, which node b has not applied.
    private func waiting() -> FollowerScript {
        var script = FollowerScript.ready { $0.heartbeat = .seconds(60) }
        script.tell(.purge(1, entry(30).record))
        script.announced(1, at: 30)
        script.sign(["b": logMark(20)])
        script.read([30])
        #expect(script.tell(.purged(.logged(entry(30)), 1)).reports.isEmpty)
        return script
    }

    @Test func aPurgeIsAcknowledgedOnceItHoldsHere() {
        var script = FollowerScript.ready { $0.heartbeat = .seconds(60) }
        script.tell(.purge(1, entry(30).record))
        script.announced(1, at: 30)
        script.sign(["b": logMark(20)])
        script.read([30])
        let early = script.tell(.durable(.logged(entry(30))))
        #expect(early.acknowledgements.map(\.replication) == [.noReplica] && early.reports.isEmpty)
        #expect(script.tell(.durable(.logged(entry(20)))).isEmpty, "it was not asked for here")
        #expect(script.tell(.durable(.everything(.otherEpoch))).isEmpty)
        script.tell(.purged(.logged(entry(30)), 1))
        #expect(script.sign(["b": logMark(30)]).reports.map(\.purged) == [1])
        // Without the engine the cache does it by its number.
        script.tell(.purge(2, purge(.target([47]))))
        #expect(script.announced(2, at: nil).purges == [.asked(2)])
        #expect(script.tell(.durable(.asked(2))).acknowledgements.map(\.replication) == [.unlogged])
        #expect(script.tell(.durable(.asked(1))).isEmpty, "it is reported")
    }

    @Test func aPurgeWaitsForNoNodeForEverNorForAnotherLog() {
        var script = waiting()
        script.pass(.seconds(2))
        #expect(script.tell(.woken).reports.map { $0.missing.map(\.name) } == [["b"]])
        #expect(script.tell(.woken).reports.isEmpty, "it is reported once")
        // Another purge of the new log had a later position, and seemed to be beyond it.
        script = waiting()
        let other = LogEpoch(number: 2)
        script.pass(.milliseconds(250))
        #expect(script.tell(.woken).pages == [at(30)])
        var effects = script.read([], last: 30, stored: other)
        #expect(effects.purges == [.everything(.otherEpoch)])
        effects += script.sign(["b": LogMark(other, LogPosition(.max, 0))])
        script.pass(.seconds(2))
        effects += script.tell(.woken)
        #expect(effects.reports.map { $0.missing.map(\.name) } == [["b"]])
    }

    @Test func aPurgeMissingInTheLogIsDoneHere() {
        var script = FollowerScript.ready { $0.heartbeat = .seconds(60) }
        script.tell(.purge(1, purge(.target([47]))))
        #expect(script.announced(1, at: 30).purges.isEmpty)
        #expect(script.tell(.woken).purges.isEmpty, "the log is still to bring it")
        script.pass(.seconds(2))
        #expect(script.tell(.woken).purges == [.asked(1)])
        script.pass(.seconds(60))
        #expect(script.tell(.woken).reports.isEmpty, "the disk is at work")
        #expect(script.tell(.purged(.asked(1), 1)).reports.map(\.purged) == [1])
    }

    /// A node that had purged it alone seemed to have done all that the log had.
    @Test func aLoggedPurgeWaitsForEarlierOnes() {
        var script = FollowerScript.reading()
        script.answerPage(nil)
        script.tell(.purge(1, entry(40).record))
        let taken = script.announced(1, at: 40)
        #expect(taken.purges.isEmpty && taken.pages == [at(20)])
        #expect(script.read([30, 40]).purges == [.logged(entry(30))])
        #expect(script.tell(.purged(.logged(entry(30)), 1)).purges == [.logged(entry(40))])
        #expect(script.tell(.purged(.logged(entry(40)), 1)).reports.map(\.replication) == [.noReplica])
    }

    /// Each waited until all rows had been looked at for the one before.
    @Test func theNextPurgeOfTheLogDoesNotWaitForTheSweepOfTheLast() {
        var script = FollowerScript.reading()
        #expect(script.read([30, 40]).purges == [.logged(entry(30))])
        #expect(script.tell(.durable(.logged(entry(30)))).purges == [.logged(entry(40))])
        #expect(script.tell(.purged(.logged(entry(30)), 1)).purges.isEmpty)
        #expect(script.state.logMark?.position == at(30))
        script.tell(.purged(.logged(entry(40)), 1))
        #expect(script.state.logMark?.position == at(40))
    }

    @Test mutating func withoutAnEngineAPurgeIsDoneFirstAndLoggedLater() {
        let record = purge(.target([47]))
        script.tell(.purge(1, record))
        let effects = script.announced(1, at: nil)
        #expect(effects.contains(.hold([UnloggedPurge(number: 1, record: record)])))
        #expect(effects.purges == [.asked(1)])
        #expect(script.tell(.purged(.asked(1), 3)).reports.map(\.replication) == [.unlogged])
        #expect(script.sign().questions.contains(.unlogged([1])))
        #expect(script.tell(.answered(.unlogged([1]), [.bulk("40-0")])).isEmpty, "a page is on its way")
        #expect(script.read([40], record: record).contains(.hold([])))
    }

    /// Signs of life are answered for that long; the questions about purges without the log.
    private static func logging(_ script: inout FollowerScript, for time: Duration) -> [FollowerState.Question] {
        var asked: [FollowerState.Question] = []
        let end = script.now + time
        var effects = script.sign()
        while script.now < end, script.state.wakeAt != nil || effects.questions.contains(.signs) {
            for case .unlogged(let numbers) in effects.questions {
                asked.append(.unlogged(numbers))
                let places = numbers.indices.map { RESPReply.bulk("\(100 + asked.count)-\($0)") }
                script.tell(.answered(.unlogged(numbers), places))
            }
            effects = script.goOn(after: effects)
        }
        return asked
    }

    /// Each copy in the log was another purge of every node.
    @Test mutating func aPurgeThatWaitedForALargeOneWasWrittenEveryTwoSeconds() {
        let large = PurgeLogEntry(at(30), purge(.prefix([47])))
        script.tell(.purge(1, large.record))
        script.announced(1, at: 30)
        script.read([30], record: large.record)
        script.tell(.purge(2, purge(.target([47]))))
        script.announced(2, at: 40)
        #expect(Self.logging(&script, for: .seconds(60)).isEmpty)
        #expect(script.tell(.purged(.asked(2), 1)).reports.map(\.purged) == [1], "it is done here")
        var read = script.tell(.purged(.logged(large), 1))
        while read.purges.isEmpty, script.state.wakeAt != nil {
            read = script.wake()
            if !read.pages.isEmpty { read = script.read([40]) }
        }
        #expect(read.contains(.hold([])))
    }

    /// A node with a purge that the log has at 40, and that was done without it.
    private func unlogged() -> FollowerScript {
        var script = FollowerScript.ready()
        script.purgeUnlogged(1)
        script.sign()
        script.tell(.answered(.unlogged([1]), [.bulk("40-0")]))
        return script
    }

    @Test func aPurgeThatTheLogLacksAfterAllIsWrittenAgain() {
        var script = unlogged()
        script.read([50])
        script.tell(.purged(.logged(entry(50)), 0))
        #expect(Self.logging(&script, for: .seconds(3)) == [.unlogged([1])])
        script = unlogged()
        #expect(script.read([], last: 20, stored: LogEpoch(number: 5)).purges == [.everything(.otherEpoch)])
        script.tell(.purged(.everything(.otherEpoch), 0))
        #expect(Self.logging(&script, for: .seconds(3)) == [.unlogged([1])])
    }

    /// The latest of too many purges reached no other node.
    @Test mutating func tooManyUnloggedPurgesBecomeOneOfEverything() {
        script.sign(["b": logMark(20)])
        let long = [UInt8](repeating: 47, count: UnloggedPurges.mostBytes / 4)
        var reports: [PurgeReport] = []
        for number in 1...5 {
            script.tell(.purge(number, purge(.target(number < 5 ? long : [47]))))
            let refused = script.tell(.answered(.announcement(number), [.error(code: "OOM", text: "")]))
            #expect(refused.purges == [.asked(number)])
            reports += script.tell(.purged(.asked(number), 0)).reports
        }
        #expect(reports.map(\.isWidened) == [false, false, false, false, true])
        #expect(reports.allSatisfy { $0.replication == .unlogged && $0.missing.map(\.name) == ["b"] })
        // The engine has room again. A megabyte at a time gets through a slow link.
        var written: [String] = []
        for number in [1, 2, 3, 5] {
            written = script.sign(["b": logMark(20)]).lines(.unlogged([number]))
            script.tell(.answered(.unlogged([number]), [.bulk("\(100 + number)-0")]))
            script.pass(.seconds(2))
        }
        #expect(written.last?.hasSuffix(" mode soft at \(noon) by a") == true)
    }

    @Test func anUnreadablePageOrASilentEngineIsWaitedFor() {
        var script = FollowerScript.reading()
        #expect(script.answerPage(nil).isEmpty)
        #expect(script.status.readiness == .away)
        #expect(script.read([30]).isEmpty, "too late")
        #expect(script.wake().questions == [.signs])
        #expect(script.sign().questions == [.page(4)])
        script = FollowerScript.reading()
        let refusal = [RESPReply.error(code: "NOPERM", text: "")]
        #expect(script.answerPage(refusal) == [.warn("purge log: cannot be read: NOPERM; retrying")])
        _ = script.wake()
        script.sign()
        #expect(script.answerPage(refusal).isEmpty)
    }

    /// A page costs the engine seven commands, and an idle node asked for four a second.
    @Test func aLogThatDoesNotGrowIsGlancedAt() {
        var script = FollowerScript.ready { $0.pageInterval = .seconds(4) }
        let idle = script.glance()
        #expect(idle.map { $0.glances > 10 && $0.after >= .seconds(4) && $0.after < .milliseconds(4_300) } == true)
        script.read([], last: 20)
        // Another end of the log, and another engine.
        #expect(script.glance(end: 30).map { $0.glances == 1 && $0.after == .milliseconds(250) } == true)
        script.read([30])
        script = FollowerScript.ready { $0.pageInterval = .seconds(4) }
        #expect(script.glance(engine: 7)?.glances == 1)
        // A silent engine is away, and a late answer is not read.
        script = FollowerScript.ready { $0.pageInterval = .seconds(4) }
        let question = script.wake().questions[0]
        #expect(script.tell(.answered(question, nil)).isEmpty && script.status.readiness == .away)
        #expect(script.tell(.answered(question, Array(script.parts([], last: 20).suffix(2)))).isEmpty)
        #expect(script.wake().questions == [.signs] && script.sign().pages.count == 1)
    }

    @Test mutating func aLogWithoutAnEpochIsBegunAndReadAfterAPause() {
        var script = FollowerScript.reading()
        var parts = script.parts([])
        parts[2] = .bulk(nil)
        #expect(script.answerPage([.array(parts)]).questions == [.beginning])
        #expect(script.tell(.answered(.beginning, [.bulk(nil)])).isEmpty)
        #expect(script.wake().questions == [.page(3)])
        // The node began the log and asked for the next page as fast as the engine answered.
        script = .ready()
        var pages: [Instant] = []
        var effects = script.wake()
        for _ in 0..<100 {
            var next: [FollowerState.Effect] = []
            for question in effects.questions {
                switch question {
                case .page:
                    pages.append(script.now)
                    next += script.answerPage([.array(parts)])
                case .beginning: next += script.tell(.answered(question, [.simple("OK")]))
                case .signs: next += script.sign()
                default: break
                }
            }
            effects = next.isEmpty ? script.wake() : next
        }
        #expect(pages.count > 10)
        #expect(zip(pages, pages.dropFirst()).allSatisfy { $1 - $0 >= LogFollower.Settings().pause })
    }

    @Test mutating func theLogIsTrimmedAndFutureHeartbeatsAreReported() {
        let end = script.engine - 30 * 86_400_000 - 1
        #expect(script.sign().lines(.horizon) == ["XREVRANGE refrain:{refrain}:purges \(end) - COUNT 1"])
        let newest = RESPReply.array([.array([.bulk("7-1"), .array([])])])
        #expect(
            script.tell(.answered(.horizon, [newest])).lines(.trimming) == ["XTRIM refrain:{refrain}:purges MINID 7-1"])
        #expect(script.sign().questions.isEmpty, "once an hour")
        // Each purge waited for node b, until the engine's clock came to the time of its heartbeat.
        script = .ready()
        let warnings = script.sign(["b": logMark(20)], seen: 300_000_000_000).warnings
        #expect(warnings.count == 1 && warnings[0].contains("the last heartbeat of node b is in the future"))
    }

    @Test mutating func leavingAndClosingEndSignsAndReportPurges() {
        #expect(script.tell(.leave).lines(.farewell) == ["HDEL refrain:{refrain}:nodes a"])
        #expect(script.tell(.answered(.farewell, nil)) == [.left])
        for _ in 0..<10 { #expect(!script.wake().questions.contains(.signs)) }
        // The node left the list, and no other one ever heard of the purge.
        script = .ready()
        script.sign()
        script.purgeUnlogged(1)
        #expect(script.tell(.leave).questions == [.unlogged([1]), .farewell])
        script = .ready()
        script.tell(.purge(1, purge(.target([47]))))
        let effects = script.tell(.close)
        #expect(effects.purges == [.asked(1)] && effects.reports.map(\.purged) == [nil])
        #expect(script.state.wakeAt == nil && script.state.logMark == nil && !script.state.mayTake)
        #expect(script.status == SharingStatus())
        #expect(script.announced(1, at: 30).isEmpty && script.tell(.close).isEmpty)
        #expect(script.tell(.purge(2, purge())).reports.count == 1)
    }
}
