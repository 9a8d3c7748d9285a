import Purging
import Testing

@testable import Store

@Suite struct StoreStateTests {
    private typealias Event = StoreEvent
    private typealias Effect = StoreEffect

    private var script = Script.opened

    private struct Script {
        var state = StoreState(path: "/c")
        var uptime = Duration.zero
        var unixSeconds = noon

        mutating func on(_ event: Event, after pause: Duration = .milliseconds(1)) -> [Effect] {
            uptime += pause
            return state.apply(event, at: StoreState.Moment(uptime: uptime, unixSeconds: unixSeconds))
        }

        /// With a file that is open and known.
        static var opened: Script {
            var script = Script()
            _ = script.on(.due(isForced: true))
            _ = script.on(.opened(isLearnt: true))
            _ = script.on(.ran(.capUses, isOver: true))
            return script
        }
    }

    /// Without the effects that every case has.
    private func plain(_ effects: [Effect]) -> [Effect] {
        effects.filter {
            switch $0 {
            case .health, .tell: false
            default: true
            }
        }
    }

    private func said(_ effects: [Effect]) -> [String] {
        effects.compactMap { if case .tell(let words) = $0 { words } else { nil } }
    }

    /// The request for a purge, with a selection that no other number has unless `like` names one.
    private func asked(_ id: Int, _ mode: PurgeMode = .hard, like other: Int? = nil, at now: Int64 = noon) -> Event {
        .purge(.asked(id, purge(other ?? id, mode, at: now)))
    }

    private func purge(_ number: Int, _ mode: PurgeMode = .hard, at now: Int64 = noon) -> Purge {
        Purge(selection: EntrySelection([.prefix(Array("/\(number)/".utf8))]), mode: mode, now: now)
    }

    @Test func aFileIsOpenedLearntAndWritten() {
        var script = Script()
        #expect(script.on(.due(isForced: false)) == [.open])
        #expect(plain(script.on(.opened(isLearnt: false))) == [.schedule(.learn), .schedule(.capUses), .again])
        #expect(script.on(.due(isForced: false)) == [.write(makingRoom: true)])
        #expect(script.on(.wrote(.part, isOver: false)) == [.again])
        #expect(script.on(.wrote(.all, isOver: false)) == [.health(.available)])
        #expect(script.on(.choreDue(.learn)) == [.run(.learn)])
        #expect(script.on(.ran(.learn, isOver: false)) == [.schedule(.learn)])
        #expect(script.on(.choreDue(.learn)) == [.run(.learn)])
        #expect(script.on(.ran(.learn, isOver: true)).isEmpty && script.on(.choreDue(.learn)).isEmpty)
    }

    /// It was written at once, and nothing that a trouble had interrupted went on.
    @Test mutating func changesDuringARoundGatherForTheNext() {
        _ = script.on(.wrote(.all, isOver: true))
        _ = script.on(.failed("full", .room))
        #expect(script.on(.choreDue(.shrink)).isEmpty, "it goes on after the trouble")
        let effects = script.on(.wrote(.round, isOver: false), after: .seconds(2))
        #expect(plain(effects) == [.schedule(.shrink), .gather])
        #expect(said(effects) == ["cache file /c is available again"])
        #expect(script.on(.wrote(.round, isOver: false)) == [.health(.available), .gather])
    }

    /// Above 4 MiB each store began another attempt to open the file.
    @Test func aFileThatCannotBeOpenedIsWaitedForOrSetAside() {
        var script = Script()
        _ = script.on(.due(isForced: true))
        let first = script.on(.notOpened("no folder", .other))
        #expect(said(first).count == 1 && plain(first) == [.retry(after: .seconds(1))])
        #expect(script.on(.due(isForced: false), after: .milliseconds(500)).isEmpty)
        #expect(script.on(.due(isForced: true)) == [.open])
        #expect(said(script.on(.notOpened("no folder", .busy))).isEmpty)
        #expect(script.on(.due(isForced: false), after: .seconds(1)) == [.open])
        #expect(said(script.on(.opened(isLearnt: true))) == ["cache file /c is available again"])
        script = Script()
        _ = script.on(.due(isForced: true))
        #expect(plain(script.on(.notOpened("EIO", .unreadable))) == [.retry(after: .seconds(1))])
        #expect(script.on(.due(isForced: false), after: .seconds(1)) == [.open])
        #expect(script.on(.notOpened("EIO", .unreadable)) == [.setAside("it cannot be read: EIO")])
    }

    @Test(arguments: [FileFault.room, .busy])
    mutating func aFullDiskKeepsTheConnection(fault: FileFault) {
        let effects = script.on(.failed("full", fault))
        #expect(plain(effects) == [.putBack, .retry(after: .seconds(1))])
        #expect(effects.contains(.health(.failing("full"))))
        #expect(script.on(.due(isForced: false)).isEmpty)
        #expect(script.on(.due(isForced: false), after: .seconds(1)) == [.write(makingRoom: true)])
        #expect(script.on(.wrote(.all, isOver: false)).contains(.tell("cache file /c is available again")))
    }

    /// Nothing was written any more, through restarts too.
    @Test mutating func aSegmentIsGivenUpWhenItCannotBeReadAgain() {
        #expect(script.on(.failed("EIO", .segment(7))) == [.putBack, .giveUp(7), .schedule(.sweep), .again])
        #expect(script.on(.due(isForced: false)) == [.write(makingRoom: true)])
        #expect(script.on(.choreDue(.sweep)) == [.run(.sweep)])
        // A reader's report costs no segment that can be read the second time.
        script = .opened
        #expect(script.on(.probed(segment: 3, isReadable: true)).isEmpty)
        #expect(script.on(.probed(segment: 3, isReadable: false)) == [.giveUp(3), .schedule(.sweep)])
    }

    @Test mutating func unreadablePagesAndOtherFilesAreLeft() {
        #expect(script.on(.failed("EIO", .unreadable)) == [.putBack, .examine])
        #expect(plain(script.on(.examined(.unreadable("EIO")))) == [.dropConnection, .retry(after: .seconds(1))])
        #expect(script.on(.due(isForced: false), after: .seconds(1)) == [.open])
        _ = script.on(.opened(isLearnt: true))
        #expect(script.on(.failed("EIO", .unreadable)) == [.putBack, .examine])
        #expect(script.on(.examined(.unfinished)) == [.setAside("it cannot be read: EIO")])
        #expect(script.on(.wasSetAside) == [.open])
        _ = script.on(.opened(isLearnt: true))
        let again = script.on(.failed("EIO", .unreadable), after: .seconds(9))
        #expect(plain(again) == [.putBack, .dropConnection, .retry(after: .seconds(1))], "the disk is dead")
        script = .opened
        #expect(plain(script.on(.displaced)) == [.disconnect, .retry(after: .seconds(1)), .open])
        #expect(script.on(.choreDue(.capUses)).isEmpty)
    }

    @Test mutating func damageIsBelievedAtTheSecondLookAFailedReadNever() {
        #expect(script.on(.reported("torn", .damage)) == [.examine])
        #expect(script.on(.examined(.damaged)) == [.setAside("torn")])
        script = .opened
        #expect(script.on(.reported("torn", .damage)) == [.examine])
        #expect(script.on(.reported("torn", .damage)).isEmpty, "it is being looked at")
        let acquitted = script.on(.examined(.sound))
        #expect(plain(acquitted).isEmpty && said(acquitted)[0].contains("found no damage"))
        #expect(script.on(.reported("torn", .damage), after: .seconds(599)) == [.setAside("torn")])
        script = .opened
        #expect(script.on(.reported("EIO", .unreadable)) == [.examine])
        #expect(script.on(.examined(.unreadable("EIO"))).isEmpty)
        #expect(script.on(.reported("EIO", .unreadable)) == [.examine], "at once")
        #expect(script.on(.examined(.unreadable("EIO"))).isEmpty)
        #expect(script.on(.reported("EIO", .unreadable), after: .seconds(700)) == [.examine])
        #expect(script.on(.examined(.unreadable("EIO"))).isEmpty, "long ago")
        #expect(script.on(.reported("EIO", .unreadable), after: .seconds(2)) == [.examine])
        #expect(script.on(.examined(.sound)).isEmpty)
    }

    /// A purge had to wait until the files had shrunk.
    @Test mutating func shrinkingTakesTurnsAndTheEndMakesRoomForAWhile() {
        #expect(plain(script.on(.wrote(.all, isOver: true))) == [.schedule(.shrink)])
        #expect(plain(script.on(.wrote(.all, isOver: true))).isEmpty, "it is under way")
        #expect(script.on(.choreDue(.shrink)) == [.run(.shrink)])
        #expect(script.on(.ran(.shrink, isOver: false)) == [.schedule(.shrink)])
        #expect(script.on(asked(1)) == [.purge(.step(1))])
        #expect(script.on(.due(isForced: false)) == [.write(makingRoom: true)])
        #expect(script.on(.stop) == [.purge(.refuse(1)), .purge(.forget(1)), .forgetQueue, .close, .health(.closed)])
        #expect(script.on(.choreDue(.shrink)).isEmpty && script.on(.due(isForced: true)).isEmpty)
        // Room was made for all that waited, however far the files were beyond their bound.
        script = .opened
        #expect(script.on(.stopping).isEmpty)
        #expect(script.on(.due(isForced: true)) == [.write(makingRoom: true)])
        #expect(script.on(.due(isForced: true), after: .seconds(4)) == [.write(makingRoom: false)])
    }

    @Test mutating func aClockThatGoesBackEndsTimesInTheFuture() {
        script.unixSeconds -= 59
        #expect(script.on(.due(isForced: false)) == [.write(makingRoom: true)])
        script.unixSeconds -= 3_600
        #expect(script.on(.due(isForced: false)) == [.write(makingRoom: true), .schedule(.capUses)])
        #expect(script.on(.due(isForced: false)) == [.write(makingRoom: true)], "once")
    }

    @Test mutating func aFileThatIsLentIsNotTouched() {
        #expect(script.on(.lend) == [.lend])
        #expect(script.on(.due(isForced: true)).isEmpty && script.on(.reported("torn", .damage)).isEmpty)
        #expect(script.on(asked(1)) == [.purge(.refuse(1))], "and is owed")
        #expect(script.on(.takeBack) == [.signLock, .open])
        #expect(script.on(.opened(isLearnt: true)).contains(.purge(.schedule(1))))
        #expect(script.on(.lend) == [.abandon, .lend])
        #expect(script.on(.handOver) == [.releaseLock, .keepQueue])
        #expect(script.on(.due(isForced: true)).isEmpty && script.on(.takeBack).isEmpty)
        #expect(script.on(asked(2)) == [.purge(.refuse(2))], "and counts for what is read")
        #expect(script.on(asked(3, .dryRun)) == [.purge(.refuse(3)), .purge(.forget(3))])
        #expect(!script.on(.stop).contains(.abandon))
    }

    // MARK: Purges

    @Test mutating func aPurgeGoesStepByStepAndIsOwedOnce() {
        #expect(script.on(asked(1)) == [.purge(.step(1))])
        #expect(script.on(.purge(.stepped(1, isDone: false))) == [.purge(.schedule(1))])
        #expect(script.on(.purge(.due(1))) == [.purge(.step(1))])
        // Writes that wait for its end are made then.
        #expect(script.on(.purge(.stepped(1, isDone: true))) == [.purge(.finish(1)), .again])
        #expect(script.on(.purge(.due(1))).isEmpty)
        script = .opened
        _ = script.on(asked(1))
        _ = script.on(.purge(.failed(1, "full", .room)))
        _ = script.on(.wrote(.all, isOver: false), after: .seconds(2))
        #expect(script.on(.purge(.due(1))) == [.purge(.step(1))])
        #expect(script.on(asked(2, like: 1)) == [.purge(.step(2))], "each is answered for itself")
        #expect(script.on(.purge(.failed(2, "full", .room))).suffix(2) == [.purge(.answer(2)), .purge(.forget(1))])
        #expect(script.on(.purge(.due(1))).isEmpty)
    }

    /// It was forgotten: rows that it had not reached were served, and were never purged.
    @Test mutating func aPurgeUnderWayWhenTheFileIsLentIsRefusedAndOwed() {
        _ = script.on(asked(1))
        #expect(script.on(asked(2, .dryRun)) == [.purge(.step(2))], "none waits for another")
        // No purge was answered that the file has not had: it can be lent.
        #expect(script.on(.lend) == [.purge(.refuse(1)), .purge(.refuse(2)), .purge(.forget(2)), .lend])
        #expect(script.on(.purge(.due(1))).isEmpty)
        _ = script.on(.takeBack)
        #expect(script.on(.opened(isLearnt: true)).contains(.purge(.schedule(1))))
        #expect(script.on(.purge(.due(1))) == [.purge(.step(1))])
    }

    /// A follower of the log asks four times a second; 256 purges became one of everything.
    @Test mutating func aPurgeThatIsRefusedAgainAndAgainIsOwedOnce() {
        _ = script.on(.lend)
        #expect(script.on(asked(0)) == [.purge(.refuse(0))])
        for number in 1..<1_000 {
            let again = script.on(asked(number, like: 0, at: noon + Int64(number)))
            #expect(again == [.purge(.refuse(number)), .purge(.forget(number - 1))])
        }
        #expect(script.on(asked(1_000, .soft, like: 0)) == [.purge(.refuse(1_000))], "of another mode")
        #expect(script.on(asked(1_001, like: 0)) == [.purge(.refuse(1_001))], "earlier: the clock was set back")
    }

    /// It was refused, and the answers that it had chosen went on being hits.
    @Test mutating func aPurgeThatTheDiskRefusesIsAnsweredAndOwed() {
        _ = script.on(asked(1))
        let failed = script.on(.purge(.failed(1, "full", .room)))
        #expect(plain(failed) == [.putBack, .retry(after: .seconds(1)), .purge(.answer(1))])
        #expect(script.on(asked(2)) == [.purge(.answer(2))])
        #expect(script.on(asked(3, .dryRun)) == [.purge(.answer(3)), .purge(.forget(3))], "as the purge would be")
        let back = script.on(.wrote(.all, isOver: false), after: .seconds(2))
        // One after the other: hundreds at a time had the disk to themselves.
        #expect(plain(back) == [.purge(.schedule(1))])
        #expect(!script.on(.wrote(.all, isOver: false)).contains(.purge(.schedule(2))))
        #expect(script.on(.purge(.due(1))) == [.purge(.step(1))])
        #expect(script.on(.purge(.stepped(1, isDone: true))) == [.purge(.finish(1)), .again, .purge(.schedule(2))])
        #expect(script.on(.stop).contains(.abandon), "the second is owed still")
    }

    @Test func purgesThatAreOwedBecomeOneOfEverything() {
        var script = Script()
        _ = script.on(.due(isForced: true))
        _ = script.on(.notOpened("locked", .busy))
        for purge in 0..<PurgeTurns.mostOwed { #expect(script.on(asked(purge)) == [.purge(.answer(purge))]) }
        let last = PurgeTurns.mostOwed
        let wide = Purge(selection: EntrySelection(), mode: .hard, now: noon)
        #expect(script.on(asked(last)) == [.purge(.answer(last)), .purge(.widen(into: last, wide))])
        // The one that it was is no longer owed by itself.
        #expect(script.on(asked(last + 1, like: last)) == [.purge(.answer(last + 1))])
        let effects = script.on(.opened(isLearnt: true), after: .seconds(1))
        #expect(effects.filter { if case .purge(.schedule) = $0 { true } else { false } } == [.purge(.schedule(last))])
    }
}
