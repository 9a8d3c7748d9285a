import Cache
import EventLoop
import Store
import Testing

@testable import Tier

/// Scripts: a node's events, and its actions.
@Suite struct FollowerStateTests {
    private typealias Event = FollowerState.Event

    private func at(_ milliseconds: UInt64) -> LogPosition { LogPosition(milliseconds, 0) }

    private let added: [RESPReply] = [.bulk("30-0"), .bulk("connected_slaves:0\r\nmaster_replid:00000000000000000000")]

    @Test func nothingIsAskedBeforeTheDiskHasTold() {
        var script = FollowerScript()
        #expect(script.state.wakeAt == nil && script.state.status(at: script.now).standing == .away)
        #expect(script.tell(.began(nil)).questions == [.signs])
        #expect(script.state.wakeAt == nil, "the answer wakes it")
    }

    @Test func timeComesBeforeTheNodes() {
        var script = FollowerScript()
        #expect(script.tell(.began(fence(20))).lines(.signs) == ["TIME"])
        let effects = script.tell(.answered(.signs, [script.signs([:])[0]]))
        #expect(effects.questions == [.page(1, after: .start), .signs])
        #expect(effects.lines(.signs).map { $0.prefix(7) } == ["TIME", "HGETALL", "HSET re"])
        #expect(script.tell(.answered(.signs, script.signs([:]))).questions.isEmpty)
        #expect(script.state.wakeAt == script.now + .seconds(2))
    }

    @Test func aCaughtUpNodeIsReadyAndPolls() {
        var script = FollowerScript.ready()
        #expect(script.state.status(at: script.now).standing == .ready && script.state.mayTake)
        #expect(script.state.fence == fence(20))
        #expect(script.wake().questions == [.page(2, after: at(20))])
        #expect(script.tell(.answered(.page(2, after: at(20)), script.page(entries: [], last: 20))).isEmpty)
        #expect(script.state.wakeAt == script.now + .milliseconds(250))
    }

    @Test func aForeignPurgeIsNotedAppliedAndReported() {
        var script = FollowerScript.ready()
        _ = script.wake()
        let record = purge(.target([47]), at: 0, by: "b")
        let entry = PurgeLogEntry(at(30), record)
        #expect(
            script.tell(.answered(.page(2, after: at(20)), script.page(entries: [30], record: record)))
                == [.note(entry, at: noon), .purge(.logged(entry), record.selection, .hard, at: noon)])
        let effects = script.tell(.purged(.logged(entry), 2))
        #expect(effects.first == .inform("purged 2 entries (hard), requested on node b: target /"))
        #expect(effects.contains(.persist(fence(30))) && effects.questions == [.signs])
    }

    /// Its purges ended all answers stored until then, on all nodes and for good.
    @Test func aPurgeFromTheFutureCountsAsNow() {
        var script = FollowerScript.ready()
        _ = script.wake()
        let entries = [1, 2].map { UInt64(noon * 1000) + $0 }
        let record = purge(.prefix([47]), mode: .soft, at: noon + 300_000_000, by: "b")
        let first = script.tell(.answered(.page(2, after: at(20)), script.page(entries: entries, record: record)))
        #expect(first.times == [script.wall / 1000])
        #expect(first.warnings == ["purge log: the clock of node b is 300000000 s ahead"])
        let second = script.tell(.purged(.logged(PurgeLogEntry(at(entries[0]), record)), 1))
        #expect(second.times == [script.wall / 1000] && second.warnings.isEmpty)
    }

    @Test func aPurgeIsNotDatedAfterTheEnginesClock() {
        var script = FollowerScript.ready()
        let record = purge(.target([47]), at: noon + 300_000_000)
        let effects = script.tell(.purge(1, record))
        #expect(effects.questions == [.announcement(1)])
        #expect(effects.lines(.announcement(1))[0].contains(" at \(script.engine / 1000) by a target /"))
    }

    @Test func anUnknownEntryIsReportedOnce() {
        var script = FollowerScript.ready()
        _ = script.wake()
        var page = script.page(entries: [30, 31])
        let fields = purge().fields + [Array("language".utf8), Array("de".utf8)]
        let odd = RESPReply.array(fields.map { .bulk($0) })
        guard case .array(var parts?) = page[0] else { return }
        parts[1] = .array(["30-0", "31-0"].map { .array([.bulk(Array($0.utf8)), odd]) })
        page[0] = .array(parts)
        let first = script.tell(.answered(.page(2, after: at(20)), page))
        guard case .purge(let job, let selection, let mode, _)? = first.last else {
            Issue.record("nothing is purged: \(first)")
            return
        }
        #expect(selection == EntrySelection() && mode == .soft)
        #expect(first.warnings.count == 1 && first.warnings[0].contains("(the field language)"))
        #expect(script.tell(.purged(job, 0)).warnings.isEmpty)
    }

    @Test func aPurgeIsReportedWhenAllLiveNodesHaveIt() {
        var script = FollowerScript.ready()
        _ = script.wake()
        _ = script.tell(.answered(.page(2, after: at(20)), script.page(entries: [], last: 20)))
        let record = purge(.target([47]))
        let entry = PurgeLogEntry(at(30), record)
        #expect(script.tell(.purge(1, record)).lines(.announcement(1)).count == 2, "there is no replica")
        #expect(script.tell(.answered(.announcement(1), added)).questions == [.page(3, after: at(20)), .signs])
        #expect(
            script.tell(.answered(.page(3, after: at(20)), script.page(entries: [30]))).purges == [.logged(entry)])
        _ = script.tell(.answered(.signs, script.signs(["b": fence(20)])))
        #expect(script.tell(.purged(.logged(entry), 1)).reports.isEmpty, "b has not applied it")
        #expect(script.state.wakeAt.map { $0 - script.now } ?? .zero <= .milliseconds(250))
        let effects = script.tell(.answered(.signs, script.signs(["b": fence(30)])))
        #expect(effects.reports == [PurgeReport(purged: 1, replication: .noReplica, missing: [], nodes: 2)])
    }

    @Test func aPurgeWaitsForNoNodeForEver() {
        var script = FollowerScript.ready { $0.heartbeat = .seconds(60) }
        let entry = PurgeLogEntry(at(30), purge(.target([47])))
        _ = script.tell(.purge(1, entry.record))
        _ = script.tell(.answered(.announcement(1), added))
        _ = script.tell(.answered(.signs, script.signs(["b": fence(20)])))
        _ = script.tell(.answered(.page(2, after: at(20)), script.page(entries: [30])))
        #expect(script.tell(.purged(.logged(entry), 1)).reports.isEmpty)
        script.pass(.seconds(2))
        #expect(script.tell(.woken).reports.map { $0.missing.map(\.name) } == [["b"]])
        #expect(script.tell(.woken).reports.isEmpty, "it is reported once")
    }

    @Test func aPurgeMissingInTheLogIsDoneHere() {
        var script = FollowerScript.ready { $0.heartbeat = .seconds(60) }
        _ = script.tell(.purge(1, purge(.target([47]))))
        #expect(script.tell(.answered(.announcement(1), added)).purges.isEmpty)
        #expect(script.tell(.woken).purges.isEmpty, "the log is still to bring it")
        script.pass(.seconds(2))
        #expect(script.tell(.woken).purges == [.asked(1)])
        script.pass(.seconds(60))
        #expect(script.tell(.woken).reports.isEmpty, "the disk is at work")
        #expect(script.tell(.purged(.asked(1), 1)).reports.map(\.purged) == [1])
    }

    /// Another purge of the new log had a later position, and seemed to be beyond it.
    @Test func aPurgeLostWithTheLogIsNotDoneElsewhere() {
        var script = FollowerScript.ready { $0.heartbeat = .seconds(60) }
        let (other, entry) = (LogEpoch(number: 2), PurgeLogEntry(at(30), purge(.target([47]))))
        _ = script.tell(.purge(1, entry.record))
        _ = script.tell(.answered(.announcement(1), added))
        _ = script.tell(.answered(.signs, script.signs(["b": fence(20)])))
        _ = script.tell(.answered(.page(2, after: at(20)), script.page(entries: [30])))
        _ = script.tell(.purged(.logged(entry), 1))
        script.pass(.milliseconds(250))
        #expect(script.tell(.woken).questions.contains(.page(3, after: at(30))))
        let page = script.page(entries: [], last: 30, stored: other)
        var effects = script.tell(.answered(.page(3, after: at(30)), page))
        #expect(effects.purges == [.everything(.otherEpoch)])
        effects += script.tell(.answered(.signs, script.signs(["b": LogMark(other, LogPosition(.max, 0))])))
        script.pass(.seconds(2))
        effects += script.tell(.woken)
        #expect(effects.reports.map { $0.missing.map(\.name) } == [["b"]])
    }

    /// A node that had taken the engine for away purged that alone, and seemed to have done all
    /// that the log had.
    @Test func aLoggedPurgeWaitsForEarlierOnes() {
        var script = FollowerScript.ready()
        _ = script.wake()
        _ = script.tell(.answered(.page(2, after: at(20)), nil))
        let entries = [30, 40].map { PurgeLogEntry(at($0), purge(.target([47]))) }
        _ = script.tell(.purge(1, entries[1].record))
        let taken = script.tell(.answered(.announcement(1), [.bulk("40-0"), added[1]]))
        #expect(taken.purges.isEmpty && taken.questions.contains(.page(4, after: at(20))))
        let read = script.tell(.answered(.page(4, after: at(20)), script.page(entries: [30, 40])))
        #expect(read.purges == [.logged(entries[0])])
        #expect(script.tell(.purged(.logged(entries[0]), 1)).purges == [.logged(entries[1])])
        #expect(script.tell(.purged(.logged(entries[1]), 1)).reports.map(\.replication) == [.noReplica])
    }

    @Test func withoutAnEngineAPurgeIsDoneFirstAndLoggedLater() {
        var script = FollowerScript.ready()
        let record = purge(.target([47]))
        _ = script.tell(.purge(1, record))
        let effects = script.tell(.answered(.announcement(1), nil))
        #expect(effects.contains(.hold([UnloggedPurge(number: 1, record: record)], at: script.wall / 1000)))
        #expect(effects.purges == [.asked(1)])
        #expect(script.tell(.purged(.asked(1), 3)).reports.map(\.replication) == [.unlogged])
        #expect(script.tell(.answered(.signs, script.signs([:]))).questions.contains(.unlogged([1])))
        #expect(script.tell(.answered(.unlogged([1]), [.bulk("40-0")])).isEmpty, "a page is on its way")
        let read = script.tell(.answered(.page(2, after: at(20)), script.page(entries: [40], record: record)))
        #expect(read.contains(.hold([], at: script.wall / 1000)))
    }

    /// Signs of life are answered for that long; the questions about purges without the log.
    private func logging(_ script: inout FollowerScript, for time: Duration) -> [FollowerState.Question] {
        var asked: [FollowerState.Question] = []
        let end = script.now + time
        var effects = script.tell(.answered(.signs, script.signs([:])))
        while script.now < end, script.state.wakeAt != nil || effects.questions.contains(.signs) {
            for case .unlogged(let numbers) in effects.questions {
                asked.append(.unlogged(numbers))
                let places = numbers.indices.map { RESPReply.bulk(Array("\(100 + asked.count)-\($0)".utf8)) }
                _ = script.tell(.answered(.unlogged(numbers), places))
            }
            let isSent = effects.questions.contains(.signs)
            effects = isSent ? script.tell(.answered(.signs, script.signs([:]))) : script.wake()
        }
        return asked
    }

    /// Each copy in the log was another purge of every node, and no copy was read before the next
    /// one was written.
    @Test func aPurgeThatWaitedForALargeOneWasWrittenEveryTwoSeconds() {
        var script = FollowerScript.ready()
        let large = PurgeLogEntry(at(30), purge(.prefix([47])))
        let record = purge(.target([47]))
        _ = script.tell(.purge(1, large.record))
        _ = script.tell(.answered(.announcement(1), added))
        _ = script.tell(.answered(.page(2, after: at(20)), script.page(entries: [30], record: large.record)))
        _ = script.tell(.purge(2, record))
        _ = script.tell(.answered(.announcement(2), [.bulk("40-0"), added[1]]))
        #expect(logging(&script, for: .seconds(60)).isEmpty)
        #expect(script.tell(.purged(.asked(2), 1)).reports.map(\.purged) == [1], "it is done here")
        var read = script.tell(.purged(.logged(large), 1))
        while read.purges.isEmpty, script.state.wakeAt != nil {
            read = script.wake()
            for case .page(let number, let position) in read.questions {
                let page = script.page(entries: [40], record: record)
                read = script.tell(.answered(.page(number, after: position), page))
            }
        }
        #expect(read.contains(.hold([], at: script.wall / 1000)))
    }

    /// A node with a purge that the log has at 40, and that was done without it.
    private func unlogged() -> FollowerScript {
        var script = FollowerScript.ready()
        _ = script.tell(.purge(1, purge(.target([47]))))
        _ = script.tell(.answered(.announcement(1), nil))
        _ = script.tell(.purged(.asked(1), 1))
        _ = script.tell(.answered(.signs, script.signs([:])))
        _ = script.tell(.answered(.unlogged([1]), [.bulk("40-0")]))
        return script
    }

    @Test func aPurgeThatTheLogLacksAfterAllIsWrittenAgain() {
        var script = unlogged()
        let other = PurgeLogEntry(at(50), purge(.target([47])))
        _ = script.tell(.answered(.page(2, after: at(20)), script.page(entries: [50])))
        _ = script.tell(.purged(.logged(other), 0))
        #expect(logging(&script, for: .seconds(3)) == [.unlogged([1])])
    }

    @Test func aPurgeThatWasLostWithTheLogIsWrittenToTheNext() {
        var script = unlogged()
        let page = script.page(entries: [], last: 20, stored: LogEpoch(number: 5))
        #expect(script.tell(.answered(.page(2, after: at(20)), page)).purges == [.everything(.otherEpoch)])
        _ = script.tell(.purged(.everything(.otherEpoch), 0))
        #expect(logging(&script, for: .seconds(3)) == [.unlogged([1])])
    }

    /// The latest of too many purges reached no other node.
    @Test func tooManyUnloggedPurgesBecomeOneOfEverything() {
        var script = FollowerScript.ready()
        _ = script.tell(.answered(.signs, script.signs(["b": fence(20)])))
        let long = [UInt8](repeating: 47, count: UnloggedPurges.mostBytes / 4)
        var reports: [PurgeReport] = []
        for number in 1...5 {
            _ = script.tell(.purge(number, purge(.target(number < 5 ? long : [47]))))
            let refused = script.tell(.answered(.announcement(number), [.error(code: "OOM", text: "")]))
            #expect(refused.purges == [.asked(number)])
            reports += script.tell(.purged(.asked(number), 0)).reports
        }
        #expect(reports.map(\.isWidened) == [false, false, false, false, true])
        #expect(reports.allSatisfy { $0.replication == .unlogged && $0.missing.map(\.name) == ["b"] })
        // The engine has room again. A megabyte at a time gets through a slow link.
        var written: [String] = []
        for number in [1, 2, 3, 5] {
            written = script.tell(.answered(.signs, script.signs(["b": fence(20)]))).lines(.unlogged([number]))
            _ = script.tell(.answered(.unlogged([number]), [.bulk("\(100 + number)-0")]))
            script.pass(.seconds(2))
        }
        #expect(written.last?.hasSuffix(" mode soft at \(noon) by a") == true)
    }

    @Test func aSilentEngineIsAwayUntilAHeartbeat() {
        var script = FollowerScript.ready()
        _ = script.wake()
        #expect(script.tell(.answered(.page(2, after: at(20)), nil)).isEmpty)
        #expect(script.state.status(at: script.now).standing == .away)
        #expect(script.tell(.answered(.page(2, after: at(20)), script.page(entries: [30]))).isEmpty, "too late")
        #expect(script.wake().questions == [.signs])
        #expect(script.tell(.answered(.signs, script.signs([:]))).questions == [.page(4, after: at(20))])
    }

    @Test func aPageThatCannotBeReadIsToldOfOnce() {
        var script = FollowerScript.ready()
        _ = script.wake()
        let refusal = [RESPReply.error(code: "NOPERM", text: "")]
        #expect(
            script.tell(.answered(.page(2, after: at(20)), refusal))
                == [.warn("purge log: cannot be read: NOPERM; retrying")])
        _ = script.wake()
        _ = script.tell(.answered(.signs, script.signs([:])))
        #expect(script.tell(.answered(.page(4, after: at(20)), refusal)).isEmpty)
    }

    @Test func aLogWithoutAnEpochIsBegunAndReadAgain() {
        var script = FollowerScript.ready()
        _ = script.wake()
        guard case .array(var parts?) = script.page(entries: [])[0] else { return }
        parts[2] = .bulk(nil)
        let begun = script.tell(.answered(.page(2, after: at(20)), [.array(parts)]))
        #expect(begun.questions == [.beginning])
        #expect(script.tell(.answered(.beginning, [.bulk(nil)])).isEmpty)
        #expect(script.wake().questions == [.page(3, after: at(20))])
    }

    /// It began the log and asked for the next page as fast as the engine answered.
    @Test func anEngineThatKeepsNoEpochWasAskedWithoutAPause() {
        var script = FollowerScript.ready()
        guard case .array(var parts?) = script.page(entries: [])[0] else { return }
        parts[2] = .bulk(nil)
        var pages: [Instant] = []
        var effects = script.wake()
        for _ in 0..<100 {
            var next: [FollowerState.Effect] = []
            for question in effects.questions {
                switch question {
                case .page:
                    pages.append(script.now)
                    next += script.tell(.answered(question, [.array(parts)]))
                case .beginning: next += script.tell(.answered(question, [.simple("OK")]))
                case .signs: next += script.tell(.answered(question, script.signs([:])))
                default: break
                }
            }
            effects = next.isEmpty ? script.wake() : next
        }
        #expect(pages.count > 10)
        #expect(zip(pages, pages.dropFirst()).allSatisfy { $1 - $0 >= LogFollower.Settings().pause })
    }

    @Test func theLogIsTrimmedToItsNewestOldEntry() {
        var script = FollowerScript.ready()
        let effects = script.tell(.answered(.signs, script.signs([:])))
        let end = script.engine - 30 * 86_400_000 - 1
        #expect(effects.lines(.horizon) == ["XREVRANGE refrain:purges \(end) - COUNT 1"])
        let newest = RESPReply.array([.array([.bulk("7-1"), .array([])])])
        #expect(
            script.tell(.answered(.horizon, [newest])).lines(.trimming) == ["XTRIM refrain:purges MINID 7-1"])
        #expect(script.tell(.answered(.signs, script.signs([:]))).questions.isEmpty, "once an hour")
    }

    /// Each purge waited for it, until the engine's clock came to the time that it had said.
    @Test func aHeartbeatFromTheFutureCountsAsNow() {
        var script = FollowerScript.ready()
        let effects = script.tell(.answered(.signs, script.signs(["b": fence(20)], seen: 300_000_000_000)))
        #expect(
            effects.warnings.count == 1 && effects.warnings[0].contains("the last heartbeat of node b is in the future")
        )
        var sign: [String] = []
        while sign.isEmpty { sign = script.wake().lines(.signs) }
        #expect(sign[2].contains(" b ") && sign[2].contains("seen=\(script.engine) ready=1 applied=\(fence(20).text)"))
    }

    /// It left the list, and nobody else ever heard of the purge.
    @Test func aNodeThatLeavesWritesWhatTheLogLacks() {
        var script = FollowerScript.ready()
        _ = script.tell(.answered(.signs, script.signs([:])))
        _ = script.tell(.purge(1, purge(.target([47]))))
        _ = script.tell(.answered(.announcement(1), nil))
        _ = script.tell(.purged(.asked(1), 1))
        #expect(script.tell(.leave).questions == [.unlogged([1]), .farewell])
    }

    @Test func aNodeThatLeavesGivesNoMoreSigns() {
        var script = FollowerScript.ready()
        #expect(script.tell(.leave).lines(.farewell) == ["HDEL refrain:nodes a"])
        #expect(script.tell(.answered(.farewell, nil)) == [.left])
        for _ in 0..<10 { #expect(!script.wake().questions.contains(.signs)) }
    }

    @Test func closingReportsToWaitingPurges() {
        var script = FollowerScript.ready()
        _ = script.tell(.purge(1, purge(.target([47]))))
        let effects = script.tell(.close)
        #expect(effects.purges == [.asked(1)] && effects.reports.map(\.purged) == [nil])
        #expect(script.state.wakeAt == nil && script.state.fence == nil && !script.state.mayTake)
        #expect(script.state.status(at: script.now) == SharingStatus())
        #expect(script.tell(.answered(.announcement(1), added)).isEmpty && script.tell(.close).isEmpty)
        #expect(script.tell(.purge(2, purge())).reports.count == 1)
    }
}
