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

    @Test func aFileIsOpenedLearntAndWritten() {
        var script = Script()
        #expect(script.on(.due(isForced: false)) == [.open])
        let opened = plain(script.on(.opened(isLearnt: false)))
        #expect(opened == [.sweep(.resume), .schedule(.learn), .schedule(.capUses), .again])
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
        #expect(script.on(.sweep(.asked(1))) == [.sweep(.step(1))])
        #expect(script.on(.due(isForced: false)) == [.write(makingRoom: true)])
        #expect(script.on(.stop) == [.sweep(.end(.refused)), .abandon, .forgetQueue, .close, .health(.closed)])
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
        #expect(script.on(.lend) == [.abandon, .lend])
        #expect(script.on(.due(isForced: true)).isEmpty && script.on(.reported("torn", .damage)).isEmpty)
        #expect(script.on(.sweep(.asked(1))) == [.sweep(.end(.refused))])
        #expect(script.on(.takeBack) == [.signLock, .open])
        #expect(script.on(.opened(isLearnt: true)).contains(.sweep(.resume)))
        _ = script.on(.lend)
        #expect(script.on(.handOver) == [.releaseLock, .keepQueue])
        #expect(script.on(.due(isForced: true)).isEmpty && script.on(.takeBack).isEmpty)
        #expect(script.on(.sweep(.asked(2))) == [.sweep(.end(.refused))])
        #expect(!script.on(.stop).contains(.abandon), "it is the other process's")
    }

    // MARK: Purges

    @Test mutating func aSweepGoesStepByStep() {
        #expect(script.on(.sweep(.asked(1))) == [.sweep(.step(1))])
        #expect(script.on(.sweep(.stepped(1, isDone: false))) == [.sweep(.schedule(1))])
        #expect(script.on(.sweep(.due(1))) == [.sweep(.step(1))])
        #expect(script.on(.sweep(.stepped(1, isDone: true))) == [.sweep(.end(.done))])
        #expect(script.on(.sweep(.due(1))).isEmpty)
        #expect(script.on(.sweep(.asked(2))) == [.sweep(.step(2))])
        #expect(script.on(.sweep(.due(1))).isEmpty, "a step of one that has ended")
    }

    /// It was refused, and the answers that it had chosen went on being hits.
    @Test mutating func aSweepThatTheDiskRefusesIsOwed() {
        _ = script.on(.sweep(.asked(1)))
        let failed = script.on(.sweep(.failed(1, "full", .room)))
        #expect(plain(failed) == [.sweep(.end(.owed)), .putBack, .retry(after: .seconds(1))])
        #expect(script.on(.sweep(.asked(2))) == [.sweep(.end(.owed))])
        #expect(plain(script.on(.wrote(.all, isOver: false), after: .seconds(2))) == [.sweep(.resume)])
        #expect(plain(script.on(.wrote(.all, isOver: false))).isEmpty, "once")
        // Another transaction met the trouble.
        _ = script.on(.sweep(.asked(3)))
        _ = script.on(.failed("full", .room))
        #expect(script.on(.sweep(.due(3))) == [.sweep(.end(.owed))])
        #expect(plain(script.on(.wrote(.all, isOver: false), after: .seconds(2))) == [.sweep(.resume)])
        // A segment that is lost holds nothing that has to be purged.
        _ = script.on(.sweep(.asked(4)))
        let lost = script.on(.sweep(.failed(4, "EIO", .segment(7))))
        #expect(lost == [.sweep(.end(.owed)), .putBack, .giveUp(7), .schedule(.sweep), .sweep(.resume), .again])
    }

    /// Rows that it had not reached were served, and were never purged.
    @Test(arguments: [Event.lend, .displaced, .reported("torn", .damage)])
    mutating func aSweepEndsWithItsFile(event: StoreEvent) {
        _ = script.on(.sweep(.asked(1)))
        var effects = script.on(event)
        if effects == [.examine] { effects = script.on(.examined(.damaged)) }
        #expect(effects.contains(.sweep(.end(event == .lend ? .refused : .owed))))
        #expect(script.on(.sweep(.due(1))).isEmpty)
        if event == .lend { _ = script.on(.takeBack) }
        #expect(script.on(.opened(isLearnt: true)).contains(.sweep(.resume)))
    }
}
