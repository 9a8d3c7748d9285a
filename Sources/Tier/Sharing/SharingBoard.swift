import Synchronization

/// The latest `SharingStatus`, for every loop and thread. The follower writes it several times a
/// second, with or without an engine.
package final class SharingBoard: Sendable {
    private let latest = Mutex(SharingStatus())

    package init() {}

    package var status: SharingStatus { latest.withLock { $0 } }

    func show(_ status: SharingStatus) { latest.withLock { $0 = status } }
}
