import Testing

@testable import Bench
@testable import Traffic

/// Against the benchmarks' own origin, in this process.
@Suite(.serialized) struct LoadTests {
    private let songs = NumberedSongs(bytes: 300)

    private func withOrigin(_ body: (_ port: Int) throws -> Void) throws {
        let port = try Ports.free()
        let origin = try OriginServer(port: UInt16(port))
        try withExtendedLifetime(origin) { try body(port) }
    }

    private func asked(_ port: Int) throws -> Int? {
        let answer = try BlockingClient(port: port).get(OriginServer.countPath)
        return Int(String(decoding: answer.body, as: UTF8.self))
    }

    @Test func latencyCountsFromWhenARequestWasDue() throws {
        try withOrigin { port in
            // All are due at once, over one connection: the last has waited for all others.
            let result = try Load.run((0..<200).map(songs.target), port: port, connections: 1)
            #expect(try result.answered == 200 && asked(port) == 200)
            let sum = result.elapsed / .milliseconds(1)
            #expect(result.milliseconds(atShare: 0.5) > result.milliseconds(atShare: 0.01))
            #expect(result.milliseconds(atShare: 1) <= sum * 1.001)
            #expect(result.milliseconds(atShare: 1) > sum / 4)
        }
    }

    @Test func aClosedLoopAsksAsOftenAsItIsAnswered() throws {
        try withOrigin { port in
            let targets = (0..<50).map(songs.target)
            let once = try Load.closed(targets, port: port, connections: 4, seconds: 60, repeats: false)
            #expect(once.answered == 50)
            let again = try Load.closed(targets, port: port, connections: 4, seconds: 1, repeats: true)
            #expect(again.answered > 50 && again.elapsed >= .milliseconds(900))
            #expect(try asked(port) == once.answered + again.answered)
            #expect(throws: BenchError.self) {
                try Load.closed(["/nothing"], port: port, connections: 1, seconds: 1, repeats: false)
            }
        }
    }

    @Test func anAnswerThatIsNo200IsAnError() throws {
        try withOrigin { port in
            #expect(throws: BenchError.self) { try Load.run(["/nothing"], port: port, connections: 1) }
        }
    }
}
