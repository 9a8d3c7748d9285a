import Cache
import EventLoop
import Freshness
import Synchronization

/// The targets that one loop is asked for most, and those whose misses cost most. Written by that
/// loop, read by anyone.
///
/// Personal targets are never among them. One hit in sixteen is counted, as sixteen.
public final class HotTargets: Sendable {
    private struct Sketches {
        /// By requests.
        var asked = SpaceSaving(capacity: HotTargets.capacity)
        /// By seconds that clients waited for the origin.
        var costly = SpaceSaving(capacity: HotTargets.capacity)
        var halvedAt = Instant.now()

        /// Halves once for each half-life that has gone by.
        mutating func fade(until now: Instant) {
            while now - halvedAt >= HotTargets.halfLife {
                halvedAt = halvedAt + HotTargets.halfLife
                asked.fade()
                costly.fade()
            }
        }
    }

    /// A target with its present weight.
    public struct Target: Sendable, Equatable {
        /// Canonical path and query.
        public let target: String
        /// Requests, or misses; an estimate, recent ones counting more.
        public var count: Double
        /// Seconds that clients waited for the origin; 0 among those asked for most.
        public var seconds: Double
        /// Why the origin was asked last.
        public var reason: Reason?

        /// Whether any of it is left: no list shows what rounds to no request.
        var isCurrent: Bool { count >= 0.5 }
    }

    private let sketches = Mutex(Sketches())

    static let capacity = 64
    /// Longer targets, which no app sends, are not counted: each loop keeps 128.
    static let mostKeyBytes = 4 << 10
    /// A count of this age counts half.
    static let halfLife = Duration.seconds(300)
    /// Number of answers out of the cache of which one is counted.
    package static let sampling = 16

    /// The service of `key` took `nanoseconds`, which counts as cost where the origin was asked
    /// because of `reason`.
    func note(_ key: CacheKey, nanoseconds: Int64, standingFor count: Int, _ reason: Reason?, now: Instant) {
        guard !key.isPersonal, key.bytes.count <= Self.mostKeyBytes else { return }
        sketches.withLock { sketches in
            sketches.fade(until: now)
            sketches.asked.add(key, weight: Double(count), count: Double(count))
            if let reason { sketches.costly.add(key, weight: Double(nanoseconds) / 1e9, reason) }
        }
    }

    /// The most asked for, over several loops; the heaviest first.
    static func mostAsked(_ loops: [HotTargets], limit: Int, now: Instant = .now()) -> [Target] {
        merged(loops, now, \.asked) { Target(item: $0, seconds: 0) }
            .sorted { $0.count > $1.count }.prefix(limit).map { $0 }
    }

    /// The targets whose misses cost most, over several loops; the most costly first.
    static func mostCostly(_ loops: [HotTargets], limit: Int, now: Instant = .now()) -> [Target] {
        merged(loops, now, \.costly) { Target(item: $0, seconds: $0.weight - $0.excess) }
            .sorted { $0.seconds > $1.seconds }.prefix(limit).map { $0 }
    }

    private static func merged(
        _ loops: [HotTargets], _ now: Instant, _ sketch: KeyPath<Sketches, SpaceSaving>,
        _ target: (SpaceSaving.Item) -> Target
    ) -> some Sequence<Target> {
        let items = loops.flatMap { loop in
            loop.sketches.withLock { sketches in
                sketches.fade(until: now)
                return sketches[keyPath: sketch].items
            }
        }
        var byKey: [CacheKey: Target] = [:]
        for item in items {
            let one = target(item)
            byKey[item.key, default: Target(target: one.target, count: 0, seconds: 0, reason: one.reason)].add(one)
        }
        return byKey.values
    }
}

extension HotTargets.Target {
    fileprivate init(item: SpaceSaving.Item, seconds: Double) {
        self.init(
            target: String(decoding: item.key.target, as: UTF8.self), count: item.count, seconds: seconds,
            reason: item.reason)
    }

    fileprivate mutating func add(_ other: HotTargets.Target) {
        count += other.count
        seconds += other.seconds
        reason = other.reason ?? reason
    }
}
