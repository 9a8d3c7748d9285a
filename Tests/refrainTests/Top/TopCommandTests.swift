import EventLoop
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
                1.0/s requests, 90.0 % hits, 0.0/s to Apple
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
                "to Apple, by class: songs 100.0 % (0.2/s)", "to Apple, by client: other networks 100.0 % (0.2/s)",
            ], "it subtracted counts since the start, and rows that were lost made requests")
        #expect(
            lines(0) == [
                "to Apple since start, by class: personal 75.0 %, songs 25.0 %",
                "to Apple since start, by client: other networks 100.0 %",
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

    @Test func theFirstLookMustSucceed() {
        let (result, _) = runAgainstServer("top", "", [], status: "503 Service Unavailable")
        #expect(result.status == 1 && result.error.contains("503"))
    }

    /// Looks that fail are left out: the next figures are of all the time since the last that did
    /// not.
    @Test func aLookIsComparedWithTheLastThatWasAnswered() throws {
        func stats(_ hits: Int, startedAt: Int = 1000) throws -> JSON {
            try JSON.parse(
                Array(#"{"time":1100,"started_at":\#(startedAt),"outcomes":{"hit":\#(hits)}}"#.utf8))
        }
        let start = Instant(nanoseconds: 1_000_000_000)
        var watch = TopWatch(try stats(10), at: start)
        let later = watch.interval(to: try stats(40), at: start + .seconds(3))
        #expect(later.requests == 30 && later.seconds == 3)
        let anew = watch.interval(to: try stats(5, startedAt: 1090), at: start + .seconds(20))
        #expect(anew.requests == 5 && anew.seconds == 10, "a proxy that has begun anew counts from nothing")
    }

    @Test(arguments: ["50ms", "2h", "1"]) func oddIntervalsAreRefused(interval: String) {
        let result = run("top", "--interval", interval, "--once")
        #expect(result.status == 2 && result.error.contains("--interval"))
    }
}
