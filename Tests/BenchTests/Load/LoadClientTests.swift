import Testing

@testable import Bench

/// Against the benchmarks' own origin, in this process.
@Suite(.serialized) struct LoadClientTests {
    private let songs = NumberedSongs(bytes: 300)

    private func withOrigin(_ body: (LoadClient, _ port: Int) throws -> Void) throws {
        let port = try Ports.free()
        let origin = try OriginServer(port: UInt16(port))
        let client = try LoadClient(port: port)
        defer { client.stop() }
        try withExtendedLifetime(origin) { try body(client, port) }
    }

    private func asked(_ port: Int) throws -> Int? {
        let answer = try TraceClient(port: port).get(OriginServer.countPath)
        return Int(String(decoding: answer.body, as: UTF8.self))
    }

    @Test func everyRequestIsSentOnceAndAnswered() throws {
        try withOrigin { client, port in
            try client.open(4)
            let outcome = try client.run(500) { songs.target($0) }
            #expect(outcome.answered == 500)
            #expect(outcome.latencies.count == 500)
            #expect(try asked(port) == 500)
            try client.checkAllOpen()
        }
    }

    @Test func pacedRequestsTakeTheirTime() throws {
        try withOrigin { client, _ in
            try client.open(2)
            let outcome = try client.run(50, perSecond: 500) { songs.target($0) }
            #expect(outcome.answered == 50)
            // The last is due after 98 ms: this is a bound from below, which a slow machine cannot
            // break.
            #expect(outcome.seconds >= 0.098)
        }
    }

    @Test func latencyCountsFromWhenARequestWasDue() throws {
        try withOrigin { client, _ in
            try client.open(1)
            // All are due at once, over one connection: the last has waited for all others.
            let outcome = try client.run(200) { songs.target($0) }
            let sum = outcome.seconds * 1000
            #expect(outcome.milliseconds(atShare: 0.5) > outcome.milliseconds(atShare: 0.01))
            #expect(outcome.milliseconds(atShare: 1) <= sum * 1.001)
            #expect(outcome.milliseconds(atShare: 1) > sum / 4)
        }
    }

    @Test func anAnswerThatIsNo200IsAnError() throws {
        try withOrigin { client, _ in
            try client.open(1)
            #expect(throws: BenchError.self) { try client.run(1) { _ in "/nothing" } }
            #expect(throws: BenchError.self) { try client.checkAllOpen() }
        }
    }
}
