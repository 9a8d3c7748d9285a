import Testing
import Text

@testable import refrain

@Suite struct IntervalTests {
    private func stats(hits: Int, misses: Int, hitBuckets: String, upstream: Int) throws -> JSON {
        let text = """
            {"time":1000,"upstream_requests":\(upstream),"outcomes":{"hit":\(hits),"miss":\(misses),"bypass":1},
            "latency":{"hit":{"buckets":\(hitBuckets)},"miss":{"buckets":[[2048.0,\(misses)]]}}}
            """
        return try JSON.parse(Array(text.utf8))
    }

    @Test func figuresAreDifferences() throws {
        let before = try stats(hits: 10, misses: 2, hitBuckets: "[[1.0,10]]", upstream: 2)
        let after = try stats(hits: 16, misses: 4, hitBuckets: "[[1.0,10],[8.0,5],[64.0,1]]", upstream: 5)
        let interval = Interval(after, since: before, seconds: 2)
        #expect(interval.requests == 8 && interval.upstream == 3)
        #expect(interval.hitRatio == 0.75)
        #expect(interval.perSecond(interval.requests) == 4)
        #expect(interval.hitTimes.quantile(0.5) == 8 && interval.hitTimes.quantile(0.99) == 64)
        #expect(interval.missTimes.total == 2)
    }

    /// A proxy that was restarted counts from nothing again.
    @Test func aRestartDoesNotMakeNegativeFigures() throws {
        let before = try stats(hits: 100, misses: 50, hitBuckets: "[[1.0,100]]", upstream: 50)
        let after = try stats(hits: 1, misses: 1, hitBuckets: "[[1.0,1]]", upstream: 1)
        let interval = Interval(after, since: before, seconds: 1)
        #expect(interval.requests == 0 && interval.upstream == 0 && interval.hitTimes.total == 0)
        #expect(interval.hitRatio == nil && interval.hitTimes.quantile(0.5) == nil)
    }

    @Test func withoutAnEarlierLookItIsAllSinceTheStart() throws {
        let interval = try Interval(stats(hits: 3, misses: 1, hitBuckets: "[]", upstream: 1), since: nil, seconds: 0)
        #expect(interval.requests == 5 && interval.seconds > 0)
    }

    @Test func programsGetOneObject() throws {
        let stats = try stats(hits: 3, misses: 1, hitBuckets: "[[8.0,3]]", upstream: 1)
        let json = Interval(stats, since: nil, seconds: 2).json(at: stats["time"])
        #expect(
            String(decoding: json.bytes, as: UTF8.self) == """
                {"time":1000,"seconds":2.0,"requests":5,"upstream_requests":1,"hit_ratio":0.75,\
                "outcomes":{"hit":3,"miss":1,"bypass":1},\
                "hits":{"count":3,"p50_us":8.0,"p99_us":8.0},"misses":{"count":1,"p50_us":2048.0,"p99_us":2048.0}}
                """)
    }
}
