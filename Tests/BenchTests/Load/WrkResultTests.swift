import Testing

@testable import Bench

@Suite struct WrkResultTests {
    private let text = """
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

    @Test func figuresAreRead() throws {
        let result = try #require(WrkResult(text))
        #expect(result.requests == 118_437)
        #expect(result.requestsPerSecond == 59157.25)
        #expect(result.p50 == 0.85)
        #expect(result.p99 == 2.5)
        #expect(result.errors == 0)
    }

    @Test(arguments: [("2.50ms", 2.5), ("90.00us", 0.09), ("1.20s", 1200), ("1.50m", 90_000)])
    func everyUnitOfTimeIsRead(written: String, milliseconds: Double) throws {
        let result = try #require(WrkResult(text.replacing("99%    2.50ms", with: "99%    \(written)")))
        #expect(abs(result.p99 - milliseconds) < 1e-9)
    }

    @Test func failuresAreCounted() {
        let failing = text + "  Socket errors: connect 0, read 3, write 0, timeout 2\n  Non-2xx or 3xx responses: 17\n"
        #expect(WrkResult(failing)?.errors == 22)
    }

    @Test(arguments: ["unable to connect to 127.0.0.1:1 Connection refused\n", ""])
    func whatHasNoFiguresIsNoResult(text: String) {
        #expect(WrkResult(text) == nil)
    }

    @Test func aMissingFigureIsNoResult() {
        #expect(WrkResult(text.replacing("99%", with: "98%")) == nil)
    }
}
