import Testing

@testable import Bench

@Suite struct ChoiceTests {
    private let all = Benchmark.all

    private func names(_ arguments: [String]) throws -> [String] {
        try Choice(arguments, of: all).benchmarks.map(\.name)
    }

    @Test func helpAndErrorsSayWhatThereIs() throws {
        let help = Choice.help(all)
        #expect(help.contains("--rounds N"))
        let error = try #require(throws: BenchError.self) { try names(["hits", "hist", "x"]) }
        #expect(error.description.contains("hist, x"))
        for benchmark in all {
            #expect(help.contains(benchmark.name) && error.description.contains(benchmark.name), "\(benchmark.name)")
        }
    }

    @Test func aFirstWordChoosesAllThatBeginWithIt() throws {
        #expect(try names([]) == all.map(\.name) && Set(all.map(\.name)).count == all.count)
        #expect(try names(["hits"]) == ["hits-64", "hits-512"])
        #expect(try names(["latency"]) == ["latency-hits", "latency-misses"])
        #expect(try names(["misses", "hits-512"]) == ["hits-512", "misses"])
        #expect(throws: BenchError.self) { try names(["hit"]) }
    }

    @Test func roundsAndSecondsAreChosen() throws {
        #expect(try Choice(["--rounds", "7", "--seconds", "1"], of: all).plan == RoundPlan(rounds: 7, seconds: 1))
        #expect(try Choice([], of: all).plan.rounds >= 5)
        #expect(RoundPlan(rounds: 7, seconds: 1).line == "medians of 7 rounds in turns, 1 s each, on 127.0.0.1")
        #expect(RoundPlan(rounds: 1, seconds: 2).line == "one round of each server, 2 s each, on 127.0.0.1")
        for wrong in [["--rounds"], ["--rounds", "0"], ["--seconds", "x"]] {
            #expect(throws: BenchError.self) { try names(wrong) }
        }
    }
}
