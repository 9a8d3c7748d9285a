import Synchronization

/// The time limit of the test that runs, as its own code can see it.
///
/// The runner cancels a test's task at the limit and reports the test, but only code that looks at
/// the cancellation ends, and a thread outside of the task cannot see it. A test that played
/// hundreds of requests went on for minutes after its report, while the tests that followed ran. So
/// `onThread` takes the cancellation along to its thread, and the functions that tests wait with
/// look at it.
public final class TimeLimit: Sendable {
    @TaskLocal private static var ofThread: TimeLimit?

    private let isPassed = Atomic<Bool>(false)

    init() {}

    /// Whether the caller's test has been reported for taking too long.
    public static var hasPassed: Bool {
        Task.isCancelled || ofThread?.isPassed.load(ordering: .relaxed) == true
    }

    func pass() { isPassed.store(true, ordering: .relaxed) }

    func apply<Outcome>(to body: () throws -> Outcome) rethrows -> Outcome {
        try Self.$ofThread.withValue(self) { try body() }
    }
}
