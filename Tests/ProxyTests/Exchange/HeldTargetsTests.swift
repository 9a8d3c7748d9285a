import Cache
import EventLoop
import Testing

@testable import Proxy

@Suite struct HeldTargetsTests {
    private let now = Instant(nanoseconds: 1_000_000_000_000)
    private let key = CacheKey(scope: .shared, target: Array("/v1/catalog/us/songs/1".utf8))

    @Test func aPurgeAnotherOriginOrAMinuteEndsIt() {
        let held = HeldTargets()
        held.note(key, for: .seconds(10), epoch: 0, now: now)
        #expect(held.wait(for: key, epoch: 0, now: now) == 10)
        #expect(held.wait(for: key, epoch: 0, now: now + .milliseconds(9_500)) == 1)
        #expect(held.wait(for: key, epoch: 0, now: now + .seconds(10)) == nil)
        let other = CacheKey(scope: .shared, target: Array("/v1/catalog/us/songs/2".utf8))
        #expect(held.wait(for: other, epoch: 0, now: now) == nil)
        let long = HeldTargets()
        long.note(key, for: .seconds(86_400), epoch: 0, now: now)
        #expect(long.wait(for: key, epoch: 0, now: now + .seconds(59)) == 86_341)
        #expect(long.wait(for: key, epoch: 0, now: now + .seconds(60)) == nil)
        let purged = HeldTargets()
        purged.note(key, for: .seconds(10), epoch: 3, now: now)
        #expect(purged.wait(for: key, epoch: 3, now: now) == 10)
        #expect(purged.wait(for: key, epoch: 4, now: now) == nil)
        purged.forget()
        #expect(purged.wait(for: key, epoch: 3, now: now) == nil)
    }
}
