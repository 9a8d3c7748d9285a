import Testing

@testable import Bench

@Suite struct H2LoadResultTests {
    private let text = """
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
        let result = try #require(H2LoadResult(text))
        #expect(result.spoken == "h2")
        #expect(result.requests == 118_430)
        #expect(result.requestsPerSecond == 59157.25)
        #expect(result.milliseconds == 2000)
        #expect(result.errors == 7)
    }

    @Test(arguments: [("289.12ms", 289.12), ("900us", 0.9), ("2.31s", 2310)])
    func everyUnitOfTimeIsRead(written: String, milliseconds: Double) throws {
        let result = try #require(H2LoadResult(text.replacing("finished in 2.00s", with: "finished in \(written)")))
        #expect(abs(result.milliseconds - milliseconds) < 1e-9)
    }

    @Test(arguments: ["Application protocol", "finished in", "requests: ", "status codes: "])
    func aMissingFigureIsNoResult(line: String) {
        #expect(H2LoadResult(text.replacing(line, with: "else ")) == nil)
    }

    @Test func theLogHasLatenciesInMicroseconds() {
        let log = "1764079200000000\t200\t1500\n1764079200000100\t200\t90\n1764079200000200\t-1\t700\nbroken\n"
        #expect(H2LoadResult.latencies(inLog: log) == [0.09, 0.7, 1.5])
        #expect(H2LoadResult.latencies(inLog: "").isEmpty)
    }

    @Test func whatIsNoHitOverHTTP2IsNoMeasurement() throws {
        func objection(_ changed: String, _ by: String) throws -> String? {
            HTTP2Measurement.objection(to: try #require(H2LoadResult(text.replacing(changed, with: by))))
        }
        #expect(try objection("7 failed", "0 failed") == nil)
        #expect(try objection("x", "x") == "7 requests failed, 118430 did not")
        #expect(try objection("protocol: h2", "protocol: http/1.1") == "http/1.1 was spoken")
    }

    @Test func aServerThatDoesNotKeepUpHasNoLatenciesAtThatRate() throws {
        let result = try #require(H2LoadResult(text))
        #expect(HTTP2Measurement.invalidity(result, at: FixedRate(share: 0.5, perSecond: 60_000)) == nil)
        #expect(HTTP2Measurement.invalidity(result, at: FixedRate(share: 0.5, perSecond: 70_000)) != nil)
    }
}
