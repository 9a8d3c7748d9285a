import Cache
import EventLoop
import Store
import Testing

@testable import Proxy

@Suite struct HeldTargetsTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)
    private let key = CacheKey(of: .none, scope: .shared, target: Array("/v1/catalog/us/songs/1".utf8))

    /// The seconds to wait, where the last purge that is known to choose the answer has that
    /// number.
    private func wait(
        _ held: HeldTargets, _ key: CacheKey? = nil, after time: Duration = .zero, lastPurge: Int64 = 0
    ) -> Int? {
        held.wait(for: key ?? self.key, now: now + time) { born in born < lastPurge }
    }

    @Test func aPurgeOfItAnotherOriginOrAMinuteEndsIt() {
        let held = HeldTargets()
        held.note(key, for: .seconds(10), born: 0, now: now)
        #expect(wait(held) == 10)
        #expect(wait(held, after: .milliseconds(9_500)) == 1)
        #expect(wait(held, after: .seconds(10)) == nil)
        #expect(wait(held, CacheKey(of: .none, scope: .shared, target: Array("/v1/catalog/us/songs/2".utf8))) == nil)
        let long = HeldTargets()
        long.note(key, for: .seconds(86_400), born: 0, now: now)
        #expect(wait(long, after: .seconds(59)) == 86_341)
        #expect(wait(long, after: .seconds(60)) == nil)
        let purged = HeldTargets()
        purged.note(key, for: .seconds(10), born: 3, now: now)
        #expect(wait(purged, lastPurge: 3) == 10)
        #expect(wait(purged, lastPurge: 4) == nil)
        let elsewhere = CacheKey(
            of: Origin(isTLS: true, host: "other", port: 443).tag, scope: .shared, target: Array(key.target))
        #expect(wait(purged, elsewhere) == nil, "another origin has held nothing")
    }
}
