import Dispatch
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

/// A predecessor, and a script in its place at the other end of the channel.
@Suite(.timeLimit(.minutes(5))) struct PredecessorTests {
    private let other: UpgradeChannel
    private let channel: UpgradeChannel

    private static let patient = OwedForgetting.Limits(silence: .seconds(600), answer: .seconds(600))

    init() throws {
        let (mine, its) = try Descriptor.pair()
        (channel, other) = (UpgradeChannel(mine), UpgradeChannel(its))
    }

    /// A late farewell was taken for the end: purges were acknowledged that no process had done.
    @Test func aLateFarewellIsNotTheEndOfTheProcess() throws {
        let (forgotten, gone) = (Count(), Count())
        let predecessor = Predecessor(.max, channel, lock: nil, limits: Self.patient)
        predecessor.follow(gone.add)
        other.send(.done)
        predecessor.forget(forgotten.add)
        #expect(other.receive(within: .seconds(60)) == .message(.forget))
        #expect(forgotten.now == 0 && gone.now == 0)
        other.send(.working)
        other.send(.forgotten)
        waitUntil { forgotten.now == 1 }
        #expect(gone.now == 0)
    }

    /// Such a byte was taken for the end of the process.
    @Test func aChannelHearsItsVersionAndNeverWaits() throws {
        let (mine, its) = try Descriptor.pair()
        var byte: UInt8 = 0x21
        #expect(Glibc.send(its.number, &byte, 1, 0) == 1)
        let (channel, other) = (UpgradeChannel(mine), UpgradeChannel(its))
        other.send(.working)
        #expect(channel.receive(within: .seconds(60)) == .message(.working))
        var sent = 0
        while other.send(.working) { sent += 1 }
        #expect(sent > 100)
    }

    @Test func wordsThatAreCutAreAsGoodAsTheyAre() throws {
        for (bytes, words) in [
            ([0x65, 0, 3, 0x61, 0x62], "ab"), ([0x65, 0], ""), ([0x65], ""), ([0x65, 0xFF, 0xFF, 0x61], ""),
            ([0x21, 0x65, 0, 2, 0x61, 0x0A], "a "),
        ] as [([UInt8], String)] {
            let (mine, its) = try Descriptor.pair()
            #expect(Glibc.send(its.number, bytes, bytes.count, 0) == bytes.count)
            shutdown(its.number, CInt(SHUT_WR))
            let heard = UpgradeChannel(mine).receive(within: .seconds(60))
            #expect(heard == .failure(FailureMessage([words])), "\(bytes)")
        }
    }

    /// One key of session tickets: but for its birth each byte is a message, `proceed`.
    private static func keyBytes() -> [UInt8] {
        let birth = withUnsafeBytes(of: Instant.now().nanoseconds.bigEndian) { Array($0) }
        return [UInt8](repeating: 0x67, count: 32) + birth + [UInt8](repeating: 0x67, count: 80)
    }

    /// Their bytes must not be taken for messages, nor another message for them.
    @Test func ticketKeysAreHandedOnWhenTheyAreAskedFor() throws {
        let bytes = Self.keyBytes()
        let keys = try #require(bytes.withUnsafeBytes { TicketKeys($0) })
        for (given, isRecent) in [(keys, true), (nil, true), (keys, false)] {
            let (mine, its) = try Descriptor.pair()
            let (channel, other) = (UpgradeChannel(mine), UpgradeChannel(its))
            let predecessor = Predecessor(.max, channel, lock: nil, isRecent: isRecent)
            if isRecent {
                DispatchQueue(label: "old").async { @Sendable in
                    guard other.receive(within: nil) == .message(.ticketKeys) else { return }
                    #expect(other.send(given))
                    other.send(.done)
                }
            } else {
                other.send(.done)
            }
            let handed = predecessor.askForTicketKeys(within: .seconds(60))
            #expect(handed?.withBytes { Array($0) } == (isRecent && given != nil ? bytes : nil))
            #expect(channel.receive(within: .seconds(60)) == .message(.done))
        }
    }

    /// A successor waited for an answer as long as its predecessor lived.
    @Test func keysThatComeTooLateAreNoMessages() throws {
        let bytes = Self.keyBytes()
        let keys = try #require(bytes.withUnsafeBytes { TicketKeys($0) })
        #expect(channel.askForTicketKeys(within: .milliseconds(20)) == nil)
        #expect(other.receive(within: .seconds(60)) == .message(.ticketKeys))
        for late in [keys, nil] {
            #expect(other.send(late))
            other.send(.done)
            #expect(channel.receive(within: .seconds(60)) == .message(.done))
        }
    }

    @Test func keysForASuccessorThatHasGoneAreNoFault() throws {
        let (mine, _) = try Descriptor.pair()
        #expect(UpgradeChannel(mine).send(nil as TicketKeys?))
    }

    @Test func aPredecessorThatEndsHandsNoKeysOn() throws {
        for bytes in [[], [0x54], [0x54, 0, 120], [0x54, 0, 120, 1, 2], [0x67]] as [[UInt8]] {
            let (mine, its) = try Descriptor.pair()
            #expect(Glibc.send(its.number, bytes, bytes.count, 0) == bytes.count)
            shutdown(its.number, CInt(SHUT_WR))
            let predecessor = Predecessor(.max, UpgradeChannel(mine), lock: nil, isRecent: true)
            #expect(predecessor.askForTicketKeys(within: .seconds(60)) == nil, "\(bytes)")
        }
    }

    /// Nothing ended it where it was asked before it was followed.
    @Test func oneThatIsSilentIsKilled() throws {
        let process = try ChildProcess(["/bin/sleep", "600"])
        let forgotten = Count()
        let predecessor = Predecessor(process.id, channel, lock: nil, limits: .init(silence: .milliseconds(100)))
        predecessor.forget(forgotten.add)
        predecessor.follow {}
        #expect(other.receive(within: .seconds(60)) == .message(.forget))
        waitUntil { !process.isRunning }
        #expect(forgotten.now == 0)
    }

    @Test func itsEndIsReported() throws {
        let gone = Count()
        let predecessor = try {
            let (mine, its) = try Descriptor.pair()
            let predecessor = Predecessor(.max, UpgradeChannel(mine), lock: nil)
            predecessor.follow(gone.add)
            #expect(gone.now == 0 && !predecessor.hasEnded)
            withExtendedLifetime(its) {}
            return predecessor
        }()
        waitUntil { gone.now == 1 }
        #expect(predecessor.hasEnded)
    }

    /// The process said so for ever, and did not notice the end of its successor.
    @Test func aLongForgetNoticesAGoneSuccessor() throws {
        let (forgets, hasEnded) = (Count(), Count())
        try {
            let (mine, its) = try Descriptor.pair()
            DispatchQueue(label: "forgetting").async { @Sendable in
                UpgradeChannel(mine).answerForgets(tellingEvery: .milliseconds(1)) { _ in forgets.add() }
                hasEnded.add()
            }
            UpgradeChannel(its).send(.forget)
            waitUntil { forgets.now == 1 }
            #expect(hasEnded.now == 0)
            withExtendedLifetime(its) {}
        }()
        waitUntil { hasEnded.now == 1 }
    }

    /// A process with very much to forget was killed in the middle of it.
    @Test func oneThatWorksForLongSaysSo() throws {
        let pending = Mutex<(@Sendable () -> Void)?>(nil)
        DispatchQueue(label: "forgetting").async { @Sendable [other] in
            other.answerForgets(tellingEvery: .milliseconds(1)) { completion in pending.withLock { $0 = completion } }
        }
        channel.send(.forget)
        for _ in 0..<3 { #expect(channel.receive(within: .seconds(60)) == .message(.working)) }
        pending.withLock { $0 }?()
        var heard = UpgradeChannel.Received.message(.working)
        while heard == .message(.working) { heard = channel.receive(within: .seconds(60)) }
        #expect(heard == .message(.forgotten))
    }
}

@Suite(.timeLimit(.minutes(10))) struct OwedForgettingTests {
    /// Purges by number, in the order in which they were completed.
    private final class Completed: Sendable {
        let numbers = Mutex<[Int]>([])

        func purge(_ number: Int) -> OwedForgetting.Completion {
            { @Sendable [self] in numbers.withLock { $0.append(number) } }
        }

        var all: [Int] { numbers.withLock { $0 } }
    }

    private static let limits = OwedForgetting.Limits(silence: .seconds(5), answer: .seconds(60))
    private let start = Instant.now()
    private let completed = Completed()

    /// Begins; whether a question is to be sent.
    private func begins(_ owed: inout OwedForgetting, at now: Instant) -> Bool { owed.begin(at: now).asks }

    private func asks(_ owed: inout OwedForgetting, _ number: Int, at now: Instant) -> Bool {
        owed.ask(completed.purge(number), at: now).asks
    }

    /// Completes the purges that are due; whether another question is to be sent.
    private func forgotten(_ owed: inout OwedForgetting, at now: Instant) -> Bool {
        let step = owed.noteForgotten(at: now)
        for completion in step.done { completion() }
        return step.asks
    }

    /// A byte for each purge could fill the socket, and then the send waited under a lock.
    @Test func laterPurgesShareTheNextQuestion() {
        var owed = OwedForgetting()
        var sent = [begins(&owed, at: start), asks(&owed, 0, at: start)]
        #expect(sent == [false, true])
        sent = (1...1000).map { asks(&owed, $0, at: start) }
        #expect(!sent.contains(true))
        let second = forgotten(&owed, at: start)
        #expect(second && completed.all == [0])
        let third = forgotten(&owed, at: start)
        #expect(!third && completed.all == Array(0...1000))
    }

    /// An answer to nothing must complete no purge.
    @Test func anAnswerThatWasNotAskedForCompletesNothing() {
        var owed = OwedForgetting()
        var sent = [asks(&owed, 0, at: start), forgotten(&owed, at: start)]
        #expect(sent == [false, false] && completed.all.isEmpty)
        sent = [begins(&owed, at: start), forgotten(&owed, at: start), forgotten(&owed, at: start)]
        #expect(sent == [true, false, false] && completed.all == [0])
    }

    /// A question before the process was followed had no time limit.
    @Test func patienceBeginsWhenTheQuestionIsSent() {
        var owed = OwedForgetting()
        let later = start + .seconds(60)
        let early = asks(&owed, 0, at: start)
        #expect(!early && !owed.isOverdue(at: later, Self.limits))
        let sent = begins(&owed, at: later)
        #expect(sent && !owed.isOverdue(at: later + .seconds(4), Self.limits))
        #expect(owed.isOverdue(at: later + .seconds(5), Self.limits))
        // The next question has all of it again.
        let next = [asks(&owed, 1, at: later), forgotten(&owed, at: later + .seconds(5))]
        #expect(next == [false, true] && !owed.isOverdue(at: later + .seconds(9), Self.limits))
    }

    /// A process that hung said every second that it works, for as long as it lived.
    @Test func signsOfWorkDoNotExtendTheLimit() {
        var owed = OwedForgetting()
        let sent = [asks(&owed, 0, at: start), begins(&owed, at: start)]
        #expect(sent == [false, true])
        for second in 1..<60 {
            owed.noteSign(at: start + .seconds(second))
            #expect(!owed.isOverdue(at: start + .seconds(second), Self.limits))
        }
        owed.noteSign(at: start + .seconds(60))
        #expect(owed.isOverdue(at: start + .seconds(60), Self.limits))
        // The next question has all of it again.
        let next = [asks(&owed, 1, at: start), forgotten(&owed, at: start + .seconds(60))]
        #expect(next == [false, true] && !owed.isOverdue(at: start + .seconds(64), Self.limits))
        #expect(owed.isOverdue(at: start + .seconds(65), Self.limits))
    }

    @Test func theEndCompletesAllAndWhatComesLater() {
        var owed = OwedForgetting()
        let sent = [begins(&owed, at: start), asks(&owed, 0, at: start), asks(&owed, 1, at: start)]
        for completion in owed.end().done { completion() }
        #expect(sent == [false, true, false] && completed.all == [0, 1])
        let late = owed.ask(completed.purge(2), at: start)
        for completion in late.done { completion() }
        let rest = owed.end()
        #expect(!late.asks && completed.all == [0, 1, 2] && rest.done.isEmpty)
        #expect(!owed.isOverdue(at: start + .seconds(60), Self.limits))
    }
}

/// Scripts of the events of a departing process, and its actions.
@Suite(.timeLimit(.minutes(10))) struct DepartureTests {
    private let start = Instant.now()

    /// A process whose place another has taken.
    private func leaving() -> Departure { Departure(within: .seconds(60), hurriedLimit: .seconds(10), at: start) }

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

    /// A virtual machine stood still for ten seconds, and the proxy did not wait for its loops.
    @Test func aStopThatTheMachineHeldUpGetsThatTimeBackOnce() {
        var departure = stopping()
        #expect(departure.next(facts(isAsked: true), at: after(1)) == .wait(until: after(10)))
        #expect(departure.next(facts(isAsked: true), at: after(14)) == .wait(until: after(18)))
        #expect(departure.next(facts(isAsked: true), at: after(30)) == .over(.timedOut))
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
