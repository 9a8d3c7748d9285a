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

    private final class Count: Sendable {
        let value = Atomic<Int>(0)
        var now: Int { value.load(ordering: .sequentiallyConsistent) }
        func add() { value.add(1, ordering: .sequentiallyConsistent) }
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
    @Test func aByteOfAnotherVersionIsNotHeard() throws {
        let (mine, its) = try Descriptor.pair()
        var byte: UInt8 = 0x21
        #expect(Glibc.send(its.number, &byte, 1, 0) == 1)
        let (channel, other) = (UpgradeChannel(mine), UpgradeChannel(its))
        other.send(.working)
        #expect(channel.receive(within: .seconds(60)) == .message(.working))
    }

    @Test func aSendIntoAFullChannelDoesNotWait() {
        var sent = 0
        while other.send(.working) { sent += 1 }
        #expect(sent > 100)
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

    @Test func itsEndIsReportedEachTime() throws {
        let told = Count()
        let predecessor = try {
            let (mine, its) = try Descriptor.pair()
            let predecessor = Predecessor(.max, UpgradeChannel(mine), lock: nil)
            predecessor.afterEnd(told.add)
            predecessor.follow {}
            #expect(told.now == 0)
            withExtendedLifetime(its) {}
            return predecessor
        }()
        waitUntil { told.now == 1 }
        predecessor.afterEnd(told.add)
        #expect(told.now == 2)
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
        var heard = UpgradeChannel.Heard.message(.working)
        while heard == .message(.working) { heard = channel.receive(within: .seconds(60)) }
        #expect(heard == .message(.forgotten))
    }
}
