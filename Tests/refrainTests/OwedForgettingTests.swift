import EventLoop
import Synchronization
import Testing

@testable import refrain

@Suite struct OwedForgettingTests {
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

    /// Completes what is due; whether another question is to be sent.
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
