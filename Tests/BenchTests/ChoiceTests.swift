import Testing

@testable import Bench

@Suite struct ChoiceTests {
    private let all = Benchmark.all

    private func names(_ arguments: [String]) throws -> [String] {
        try Choice(arguments, of: all).benchmarks.map(\.name)
    }

    @Test func worldsRunOnlyWhereTheyAreNamed() throws {
        let chosen = try names([])
        #expect(chosen.contains("hits-64") && chosen.contains("store"))
        #expect(!chosen.contains("sessions"))
        let worlds = all.filter { !$0.isOfTheTable }.map(\.name)
        #expect(worlds.contains("sessions") && worlds.contains("world-public"))
        for others in [[], all.filter(\.isOfTheTable).compactMap(\.group)] {
            #expect(try Set(names(others)).isDisjoint(with: worlds))
        }
        for world in worlds { #expect(try names([world]) == [world]) }
    }

    @Test func helpAndErrorsSayWhatThereIs() throws {
        let help = Choice.help(all)
        #expect(help.contains("--rounds N") && help.contains("\n  hits: hits-64, hits-512\n"))
        #expect(help.contains("\nonly where they are named:\n  sessions\n  worlds: world-filling, "))
        for benchmark in all { #expect(help.contains(benchmark.name), "\(benchmark.name)") }
        let error = try #require(throws: BenchError.self) { try names(["hits", "hist", "x"]) }
        #expect(error.description.contains("hist, x"))
        for benchmark in all { #expect(error.description.contains(benchmark.name)) }
        #expect(error.description.contains("hits: hits-64, hits-512"))
    }

    @Test func aGroupIsAllOfIts() throws {
        #expect(try names(["hits"]) == ["hits-64", "hits-512"])
        #expect(try names(["latency"]) == ["latency-memory", "latency-file", "latency-composed", "latency-misses"])
        #expect(try names(["worlds"]) == World.all.map(\.name))
        #expect(try names(["misses", "hits-512"]) == ["hits-512", "misses"])
        let names = all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(Set(names).isDisjoint(with: all.compactMap(\.group)))
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
