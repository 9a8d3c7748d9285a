import Synchronization

/// The latest `SharingStatus`, for every loop and thread. The follower writes it several times a
/// second, with or without an engine.
package final class SharingBoard: Sendable {
    private let latest = Mutex((status: SharingStatus(), hasBeenReady: false))

    package init() {}

    package var status: SharingStatus { latest.withLock { $0.status } }

    /// Whether the node was ready at any time.
    package var hasBeenReady: Bool { latest.withLock { $0.hasBeenReady } }

    func show(_ status: SharingStatus) {
        latest.withLock { latest in
            latest.status = status
            if status.readiness == .ready { latest.hasBeenReady = true }
        }
    }
}
