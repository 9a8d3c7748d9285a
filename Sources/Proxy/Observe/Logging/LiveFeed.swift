import Synchronization

/// The requests that are being answered, for those who watch: the newest few hundred, and only
/// while there is a watcher.
///
/// All loops share it. While there is no watcher, a request costs one read of `isWatched`.
public final class LiveFeed: Sendable {
    /// An answered request. Personal targets are templates, as in the access log.
    public struct Event: Sendable, Equatable {
        public let unixSeconds: Int64
        /// Whether it came by HTTP/2.
        public let isHTTP2: Bool
        public let method: String
        /// The target as the client wrote it; the first KiB of a longer one.
        public let target: String
        public let status: Int
        /// Bytes of content.
        public let bytes: Int
        public let outcome: Outcome
        /// `hit`, or why the origin was asked, and after a `/` the detail: as in the
        /// access log.
        public let words: String
        public let nanoseconds: Int64
        /// The origin's share of it; nil where it was not asked.
        public let upstreamNanoseconds: Int64?
        /// Requests that were sent to the origin for it by then, as in the access log.
        public var upstreamRequests = 0
        /// Name of the key that was presented; nil where none is needed.
        public let client: String?
    }

    private struct Ring {
        var events: [Event] = []
        /// The number of the first of them.
        var first = 0
        var watchers = 0
        /// How many came in the second that is under way.
        var second = Int64.min
        var inSecond = 0
        var skipped = 0
    }

    private let watched = Atomic<Bool>(false)
    private let ring = Mutex(Ring())

    static let capacity = 512
    /// The most of a target. Clients may send 64 KiB, and hundreds of events go to each of 32
    /// watchers.
    static let mostTargetBytes = 1 << 10
    /// The most in a second: a watcher does not read more, and making them costs more than the
    /// answers do.
    static let mostPerSecond = 500

    var isWatched: Bool { watched.load(ordering: .relaxed) }

    /// Begins to watch; each begin needs its end. The number to read from.
    public func begin() -> Int {
        ring.withLock { ring in
            if ring.watchers == 0 { ring.skipped = 0 }
            ring.watchers += 1
            watched.store(true, ordering: .relaxed)
            return ring.first + ring.events.count
        }
    }

    public func end() {
        ring.withLock { ring in
            ring.watchers -= 1
            guard ring.watchers == 0 else { return }
            watched.store(false, ordering: .relaxed)
            ring.first += ring.events.count
            ring.events = []
        }
    }

    /// The events from a number on, the number to go on from, and how many were left out since the
    /// last call of anyone.
    public func events(from number: Int) -> (events: [Event], next: Int, skipped: Int) {
        ring.withLock { ring in
            let start = max(0, number - ring.first)
            let skipped = ring.skipped + max(0, ring.first - number)
            ring.skipped = 0
            let events = start < ring.events.count ? Array(ring.events[start...]) : []
            return (events, ring.first + ring.events.count, skipped)
        }
    }

    /// Adds one, which is made only where it is taken.
    func add(at unixSeconds: Int64, _ make: () -> Event) {
        let isTaken = ring.withLock { ring in
            if ring.second != unixSeconds { (ring.second, ring.inSecond) = (unixSeconds, 0) }
            ring.inSecond += 1
            if ring.inSecond > Self.mostPerSecond { ring.skipped += 1 }
            return ring.inSecond <= Self.mostPerSecond
        }
        guard isTaken else { return }
        let event = make()
        ring.withLock { ring in
            guard ring.watchers > 0 else { return }
            ring.events.append(event)
            guard ring.events.count > 2 * Self.capacity else { return }
            ring.first += ring.events.count - Self.capacity
            ring.events.removeFirst(ring.events.count - Self.capacity)
        }
    }
}
