import Foundation

/// Runs what takes long and blocks on a thread of its own, so that it can be waited for beside
/// something else.
public func onThread<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) async throws -> Outcome {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
