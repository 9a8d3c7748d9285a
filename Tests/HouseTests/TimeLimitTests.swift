import Dispatch
import TestSupport
import Testing

@Suite struct TimeLimitTests {
    /// Such a test went on for minutes after the run had reported it, while those that followed
    /// ran.
    @Test func blockingThreadsEndAtTheTimeLimit() async throws {
        let origin = try ScriptedOrigin([.request, .hold])
        defer { origin.stop() }
        let (hasBegun, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let test = Task {
            try await onThread { () -> (Bool, String) in
                let before = TimeLimit.hasPassed
                hasBegun.signal()
                isOver.waitOrFail()
                let isWaitedFor = waitAtMost(600) { false }
                let error = #expect(throws: HTTPTestClient.Failure.self) {
                    try HTTPTestClient(port: Int(origin.port)).send("GET", "/")
                }
                return (before || isWaitedFor || !TimeLimit.hasPassed, error?.description ?? "")
            }
        }
        try await onThread { hasBegun.waitOrFail() }
        test.cancel()
        isOver.signal()
        let (isUnlike, error) = try await test.value
        #expect(!isUnlike && error == "the test's time limit has passed")
        #expect(!TimeLimit.hasPassed && origin.connectionCount == 0)
    }
}
