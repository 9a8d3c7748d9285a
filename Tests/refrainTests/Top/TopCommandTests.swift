import EventLoop
import Proxy
import Testing
import Text

@testable import refrain

@Suite struct TopCommandTests {
    private let body = """
        {"upstream_requests":2,"upstream_rate":20,"upstream_in_flight":1,"upstream_waiting":0,"rate_limited":3,\
        "upstream_errors":2,\
        "version":"9.9","time":1100,"started_at":1000,"outcomes":{"hit":90,"miss":10,"failed":0},\
        "latency":{"hit":{"buckets":[[8.0,90]]},"miss":{"buckets":[[130000.0,10]]}},\
        "top_misses":[{"target":"/v1/a\\u001b[2J","count":4,"seconds":1.25,"reason":"uri-miss"}],\
        "top_targets":[{"target":"/v1/b","count":40,"seconds":0,"reason":null}],\
        "config":{"last_failure":null}}
        """

    private func top(_ words: [String]) -> (result: RunResult, request: String) {
        runAgainstServer("top", body, words)
    }

    @Test func oneLookShowsWhatCameSinceTheStart() {
        let (result, request) = top(["--once"])
        #expect(result.status == 0 && result.error.isEmpty)
        #expect(
            result.standard == """
                refrain 9.9  up 1m 40s
                since start: 1.0/s requests, hit ratio 90.0 %, 0.0/s to Apple
                origin: 1 in flight, 0 waiting, 20/s allowed, 2 errors, 3 429s since start

                outcome    now   share
                hit      0.9/s  90.0 %
                miss     0.1/s  10.0 %

                time to answer       p50       p99  answers
                hits                8 µs      8 µs       90
                misses          130.0 ms  130.0 ms       10

                waited  misses  reason    most expensive misses
                 1.3 s       4  uri-miss  /v1/a\\u{1b}[2J

                requests  most requested (sampled)
                      40  /v1/b


                """)
        #expect(request.hasPrefix("GET /stats HTTP/1.1\r\n"))
    }

    /// 7,177 of 9,276 requests to Apple were personal, and no view showed it.
    @Test func requestsToAppleAreToldApart() {
        func lines(_ requests: Int) -> [Substring] {
            let spending =
                #""spending":{"windows":{"now":{"seconds":5.0,"requests":\#(requests)}},"#
                + #""class":[{"name":"personal","since_start":3,"now":0},{"name":"songs","since_start":1,"now":1}],"#
                + #""client":[{"name":"other networks","kind":"others","since_start":4,"now":1}]},"#
            return runAgainstServer("top", body.replacing("\"config\"", with: spending + "\"config\""), ["--once"])
                .result.standard.split(separator: "\n").filter { $0.hasPrefix("to Apple") }
        }
        #expect(
            lines(1) == [
                "to Apple, by class: songs 100 % (0.2/s)", "to Apple, by client: other networks 100 % (0.2/s)",
            ], "it subtracted counts since the start, and rows that were lost made requests")
        #expect(
            lines(0) == [
                "to Apple since start, by class: personal 75.0 %, songs 25.0 %",
                "to Apple since start, by client: other networks 100 %",
            ])
    }

    @Test func theTierHasALineWhereThereIsOne() {
        let tier = """
            "tier":{"standing":"ready","words":"ready","nodes":3,"nodes_alive":2,"lag":1,"breakers_open":0,\
            "lookups":{"looks":10,"taken":6}},
            """
        func line(_ tier: String) -> Substring? {
            runAgainstServer("top", body.replacing("\"config\"", with: tier + "\"config\""), ["--once"]).result.standard
                .split(separator: "\n").first { $0.hasPrefix("tier: ") }
        }
        #expect(line(tier) == "tier: ready, 2 of 3 nodes up, 6 found of 10 since start, lag 1")
        let open = tier.replacing("\"breakers_open\":0", with: "\"breakers_open\":2")
        #expect(line(open)?.hasSuffix(", breaker open in 2 loops") == true)
        #expect(line("\"tier\":null,") == nil)
    }

    @Test func programsGetOneLine() throws {
        let text = top(["--once", "--json"]).result.standard
        #expect(text.split(separator: "\n").count == 1)
        #expect(try JSON.parse(Array(text.utf8))["requests"] == 100)
    }

    /// The text had savings, causes and clients, and the JSON had none of them.
    @Test func programsLackedFiguresThatTheTextHas() throws {
        let members = #""savings":{"saved":3},"spending":{"class":[]},"clients":[{"name":"phone"}]"#
        let answer = body.replacing("\"config\"", with: members + ",\"config\"")
        let text = runAgainstServer("top", answer, ["--once", "--json"]).result.standard
        #expect(text.hasSuffix("," + members + "}\n"), "\(text)")
    }

    /// Looks that fail are left out: the next figures are of all the time since the last that did
    /// not.
    @Test func aLookIsComparedWithTheLastThatWasAnswered() throws {
        func stats(_ hits: Int, startedAt: Int = 1000) throws -> JSON {
            try JSON.parse(Array(#"{"time":1100,"started_at":\#(startedAt),"outcomes":{"hit":\#(hits)}}"#.utf8))
        }
        let start = Instant(nanoseconds: 1_000_000_000)
        var watch = TopWatch(try stats(10), at: start)
        let later = watch.interval(to: try stats(40), at: start + .seconds(3))
        #expect(later.requests == 30 && later.seconds == 3)
        let anew = watch.interval(to: try stats(5, startedAt: 1090), at: start + .seconds(20))
        #expect(anew.requests == 5 && anew.seconds == 10, "a proxy that has begun anew counts from nothing")
    }
}

/// Frames for terminals of several sizes.
@Suite struct TopScreenTests {
    private static func row(_ target: String, _ count: Int, _ seconds: Double) -> String {
        #"{"target":"\#(target)","count":\#(count),"seconds":\#(seconds),"reason":"uri-miss"}"#
    }

    private static let stats: JSON = {
        let rows = [row("/v1/b", 1, 9), row("/v1/c", 5, 3), row("/v1/a", 3, 3)]
        let long = row("/v1/catalog/us/search?term=" + String(repeating: "x", count: 300), 2, 1)
        let reasons = String(repeating: "r", count: 80)
        let text = """
            {"version":"9.9","time":1100,"started_at":1000,"upstream_rate":20,"rate_limited":123456,
            "outcomes":{"hit":90,"stale-if-error":10},"developer_token_refused":true,
            "tier":{"standing":"ready","words":"ready","nodes":3,"nodes_alive":2,"lag":123456,"breakers_open":2,
            "lookups":{"looks":1000000000,"taken":600000000}},
            "config":{"last_failure":"\(reasons)\(reasons)\(reasons)","last_failed_upgrade":null},
            "latency":{"hit":{"buckets":[[8.0,90]]}},
            "top_misses":[\((rows + [long]).joined(separator: ","))],"top_targets":[\(long)]}
            """
        return (try? JSON.parse(Array(text.utf8))) ?? .null
    }()

    private static func frame(width: Int, lines: Int? = 40) -> String {
        TopScreen(stats: stats, interval: Interval(stats, since: nil, seconds: 100), width: width, lines: lines).text
    }

    /// Where not even one row of each list has room, the terminal cuts the end.
    @Test(arguments: [40, 60, 80, 120, 200], [24, 60]) func noLineIsWiderAndNoFrameIsLonger(width: Int, lines: Int) {
        let shown = Self.frame(width: width, lines: lines).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(shown.allSatisfy { $0.count <= width }, "\(shown.map(\.count).max() ?? 0)")
        #expect(shown.count <= lines)
    }

    /// At 80 columns the targets were cut to make room for the reason; a wide terminal shows all
    /// that it has room for.
    @Test func theWiderTheMoreIsShown() {
        let frames = [60, 80, 120, 200].map { Self.frame(width: $0) }
        #expect(frames.map { $0.contains("reason") } == [false, true, true, true])
        let longest = frames.map { frame in
            frame.split(separator: "\n").filter { $0.contains("term=x") }.map { $0.filter { $0 == "x" }.count }.max()
                ?? 0
        }
        #expect(longest == longest.sorted() && longest[3] > longest[1] + 100)
    }
}

@Suite struct IntervalTests {
    private func stats(hits: Int, misses: Int, hitBuckets: String, upstream: Int) throws -> JSON {
        let text = """
            {"time":1000,"upstream_requests":\(upstream),"outcomes":{"hit":\(hits),"miss":\(misses),"bypass":1},
            "answers":{"statuses":{"200":\(hits + misses),"503":1}},
            "latency":{"hit":{"buckets":\(hitBuckets)},"miss":{"buckets":[[2048.0,\(misses)]]}}}
            """
        return try JSON.parse(Array(text.utf8))
    }

    @Test func figuresAreDifferences() throws {
        let before = try stats(hits: 10, misses: 2, hitBuckets: "[[1.0,10]]", upstream: 2)
        let after = try stats(hits: 16, misses: 4, hitBuckets: "[[1.0,10],[8.0,5],[64.0,1]]", upstream: 5)
        let interval = Interval(after, since: before, seconds: 2)
        #expect(interval.requests == 8 && interval.upstream == 3)
        #expect(interval.statuses.map { "\($0.name) \($0.count)" } == ["200 8", "503 0"])
        #expect(interval.hitRatio == 0.75)
        #expect(interval.perSecond(interval.requests) == 4)
        #expect(interval.hitTimes.quantile(0.5) == 8 && interval.hitTimes.quantile(0.99) == 64)
        #expect(interval.missTimes.total == 2)
        // A proxy that was restarted counts from nothing again.
        let anew = try stats(hits: 1, misses: 1, hitBuckets: "[[1.0,1]]", upstream: 1)
        let restarted = Interval(anew, since: after, seconds: 1)
        #expect(restarted.requests == 0 && restarted.upstream == 0 && restarted.hitTimes.total == 0)
        #expect(restarted.hitRatio == nil && restarted.hitTimes.quantile(0.5) == nil)
        let first = try Interval(stats(hits: 3, misses: 1, hitBuckets: "[]", upstream: 1), since: nil, seconds: 0)
        #expect(first.requests == 5 && first.seconds > 0)
    }

    /// `stats` said 64.1 %, `/stats` 0.64 and `top` 0.641 of one count; and a ratio of the last
    /// second had the name of the one since the start.
    @Test func oneRatioHadTwoRoundingsAndOneNameTwoRatios() throws {
        let before = try stats(hits: 0, misses: 0, hitBuckets: "[]", upstream: 0)
        let after = try stats(hits: 6406, misses: 3594, hitBuckets: "[]", upstream: 0)
        #expect(Interval(after).hitRatio == 0.641 && HitRatio(hits: 6406, misses: 3594).shown == 0.641)
        func head(_ interval: Interval) -> Substring {
            TopScreen(stats: after, interval: interval, width: nil, lines: nil).text.split(separator: "\n")[1]
        }
        #expect(head(Interval(after)).hasPrefix("since start: ") && head(Interval(after)).contains("hit ratio 64.1 %"))
        #expect(head(Interval(after, since: before, seconds: 2.04)).hasPrefix("last 2 s: "))
    }

    @Test func programsGetOneObject() throws {
        let stats = try stats(hits: 3, misses: 1, hitBuckets: "[[8.0,3]]", upstream: 1)
        let json = Interval(stats, since: nil, seconds: 2).json(with: stats)
        #expect(
            String(decoding: json.bytes, as: UTF8.self) == """
                {"time":1000,"seconds":2.0,"requests":5,"upstream_requests":1,"hit_ratio":0.75,\
                "outcomes":{"hit":3,"miss":1,"bypass":1},"statuses":{"200":4,"503":1},\
                "hits":{"count":3,"p50_us":8.0,"p99_us":8.0},"misses":{"count":1,"p50_us":2048.0,"p99_us":2048.0}}
                """)
    }
}
