import Cache
import EventLoop
import Synchronization

/// The targets that one loop is asked for most, and those whose misses cost most. Written by that loop, read by anyone.
///
/// Personal targets are never among them. Of answers out of the cache one in sixteen is looked at, and stands for sixteen.
public final class HotTargets: Sendable {
    private struct Sketches {
        /// By requests.
        var asked = SpaceSaving(capacity: HotTargets.capacity)
        /// By seconds that clients waited for the origin.
        var costly = SpaceSaving(capacity: HotTargets.capacity)
        var halvedAt = Instant.now()
    }

    /// One target with what it counts for by now.
    public struct Target: Sendable, Equatable {
        /// Canonical path and query.
        public let target: String
        /// Requests, or misses; an estimate, recent ones counting more.
        public var count: Double
        /// Seconds that clients waited for the origin; 0 among those asked for most.
        public var seconds: Double
        /// Why the origin was asked last.
        public var reason: Reason?
    }

    private let sketches = Mutex(Sketches())

    static let capacity = 64
    /// What counted this long ago counts half.
    public static let halfLife = Duration.seconds(300)
    /// Of answers out of the cache one in so many is looked at.
    static let sampling = 16

    /// The service of `key` took `nanoseconds`, which counts as cost where the origin was asked because of `reason`.
    func note(_ key: CacheKey, nanoseconds: Int64, standingFor count: Int, _ reason: Reason?, now: Instant) {
        guard !key.isPersonal else { return }
        sketches.withLock { sketches in
            if now - sketches.halvedAt >= Self.halfLife {
                sketches.asked.fade()
                sketches.costly.fade()
                sketches.halvedAt = now
            }
            sketches.asked.add(key, weight: Double(count), count: Double(count))
            if let reason { sketches.costly.add(key, weight: Double(nanoseconds) / 1e9, reason) }
        }
    }

    /// The most asked for, over several loops; the heaviest first.
    public static func mostAsked(_ loops: [HotTargets], limit: Int) -> [Target] {
        merged(loops.map { $0.sketches.withLock { $0.asked.items } }) { Target(item: $0, seconds: 0) }
            .sorted { $0.count > $1.count }.prefix(limit).map { $0 }
    }

    /// Those whose misses cost most, over several loops; the most costly first.
    public static func mostCostly(_ loops: [HotTargets], limit: Int) -> [Target] {
        merged(loops.map { $0.sketches.withLock { $0.costly.items } }) { Target(item: $0, seconds: $0.weight) }
            .sorted { $0.seconds > $1.seconds }.prefix(limit).map { $0 }
    }

    private static func merged(
        _ loops: [[SpaceSaving.Item]], _ target: (SpaceSaving.Item) -> Target
    ) -> some Sequence<Target> {
        var byKey: [CacheKey: Target] = [:]
        for item in loops.joined() {
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
