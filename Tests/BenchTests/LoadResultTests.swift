import Testing

@testable import Bench

/// The output of load generators as it is read.
@Suite struct LoadResultTests {
    private let wrk = """
        Running 2s test @ http://127.0.0.1:21002/v1/catalog/us/songs/1
          1 threads and 64 connections
          Thread Stats   Avg      Stdev     Max   +/- Stdev
            Latency     1.05ms  601.33us  20.93ms   98.41%
            Req/Sec    59.51k     3.03k   65.03k    70.00%
          Latency Distribution
             50%  850.00us
             75%    1.10ms
             90%    1.30ms
             99%    2.50ms
          118437 requests in 2.00s, 490.11MB read
        Requests/sec:  59157.25
        Transfer/sec:    244.80MB

        """
    private let h2load = """
        starting benchmark...
        spawning thread #0: 10 total client(s). Timing-based test with 0s of warm-up time and 2s of main duration for measurements.
        Warm-up started for thread #0.
        progress: 10% of clients started
        TLS Protocol: TLSv1.3
        Cipher: TLS_AES_256_GCM_SHA384
        Application protocol: h2
        Main benchmark duration is over for thread #0. Stopping all clients.

        finished in 2.00s, 59157.25 req/s, 244.80MB/s
        requests: 118437 total, 119437 started, 118437 done, 118430 succeeded, 7 failed, 5 errored, 0 timeout
        status codes: 118430 2xx, 0 3xx, 2 4xx, 0 5xx
        traffic: 489.60MB (513382400) total, 1.13MB (1184370) headers (space savings 95.10%), 463.00MB (485117952) data
                             min         max         mean         sd        +/- sd
        time for request:      101us     20.93ms      1.05ms       601us    98.41%

        """

    @Test func figuresAreRead() throws {
        let one = try #require(WrkResult(wrk))
        #expect(one.requests == 118_437 && one.requestsPerSecond == 59157.25 && one.errors == 0)
        #expect(one.p50 == 0.85 && one.p99 == 2.5)
        let other = try #require(H2LoadResult(h2load))
        #expect(other.requests == 118_430 && other.requestsPerSecond == 59157.25 && other.errors == 7)
        #expect(other.spoken == "h2")
    }

    @Test func everyUnitOfTimeIsRead() throws {
        for (written, milliseconds) in [("2.50ms", 2.5), ("90.00us", 0.09), ("1.20s", 1200), ("1.50m", 90_000)] {
            let result = try #require(WrkResult(wrk.replacing("99%    2.50ms", with: "99%    \(written)")))
            #expect(abs(result.p99 - milliseconds) < 1e-9, "\(written)")
        }
    }

    @Test func failuresAreCounted() {
        let failing = wrk + "  Socket errors: connect 0, read 3, write 0, timeout 2\n  Non-2xx or 3xx responses: 17\n"
        #expect(WrkResult(failing)?.errors == 22)
    }

    @Test func aMissingFigureIsNoResult() {
        for text in ["unable to connect to 127.0.0.1:1 Connection refused\n", "", wrk.replacing("99%", with: "98%")] {
            #expect(WrkResult(text) == nil, "\(text)")
        }
        for line in ["Application protocol", "finished in", "requests: ", "status codes: "] {
            #expect(H2LoadResult(h2load.replacing(line, with: "else ")) == nil, "\(line)")
        }
    }

    @Test func aFailingServerIsNoMeasurement() throws {
        func objection(_ changed: String, _ by: String) throws -> String? {
            HTTP2Measurement.objection(to: try #require(H2LoadResult(h2load.replacing(changed, with: by))))
        }
        #expect(try objection("7 failed", "0 failed") == nil)
        #expect(try objection("x", "x") == "7 requests failed, 118430 did not")
        #expect(try objection("protocol: h2", "protocol: http/1.1") == "http/1.1 was spoken")
    }
}
