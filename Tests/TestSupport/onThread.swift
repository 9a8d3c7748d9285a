import Foundation

/// Runs what takes long and blocks on a thread of its own: the test runner has as many threads as
/// cores, and tests beside it that wait for a moment would be late.
public func onThread<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) async throws -> Outcome {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
