import Foundation
import Synchronization

/// Calls `body` with each number below `count`, on up to 32 threads at once; returns when all calls
/// have returned.
///
/// `DispatchQueue.concurrentPerform` takes the few threads of Dispatch's pool. The loops of proxies
/// under test run in that pool too, so they were late by seconds wherever such a body blocked.
public func concurrently(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let next = Mutex(0..<count)
    let group = DispatchGroup()
    for _ in 0..<min(count, 32) {
        group.enter()
        Thread.detachNewThread {
            while let number = next.withLock({ $0.popFirst() }) { body(number) }
            group.leave()
        }
    }
    group.wait()
}
