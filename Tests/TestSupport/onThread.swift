import Foundation

/// Runs blocking work on a thread of its own, without blocking the caller's.
/// `TimeLimit.hasPassed` there means the calling test's.
public func onThread<Outcome: Sendable>(_ body: @escaping @Sendable () throws -> Outcome) async throws -> Outcome {
    let limit = TimeLimit()
    return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try limit.apply(to: body) }) }
        }
    } onCancel: {
        limit.pass()
    }
}
