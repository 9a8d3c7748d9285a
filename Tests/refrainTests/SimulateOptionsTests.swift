import Testing

@testable import Simulator
@testable import refrain

@Suite struct SimulateOptionsTests {
    private func options(_ words: String...) throws(CommandFailure) -> SimulateOptions {
        try SimulateOptions(OptionParser.parse(words, for: Command.named("simulate")))
    }

    @Test func hasDefaults() throws {
        let options = try options()
        #expect(try options.listen == HostPort("127.0.0.1:8090"))
        #expect(options.latency == nil && options.mode == .replay)
        #expect(options.tlsAuthorityFile == nil && options.publicKeyFile == nil)
        let (api, standard) = (options.configuration, SimulatorConfiguration())
        #expect(api.seed == standard.seed && api.latency == .zero && api.faults.isEmpty && api.requiresAuthorization)
        #expect(api.reviseEvery == 0 && api.flipAfter == 0 && api.traits.revisionShare == nil)
        #expect(api.listCut == standard.listCut && api.traits.listSizes == .standard && api.storefrontsWithGaps == nil)
        #expect(api.traits.unavailablePercent == nil && api.traits.unavailableOneIn == nil)
        #expect(api.relationHabit == .documented)
    }

    @Test func readsEveryOption() throws {
        let options = try options(
            "--listen", "127.0.0.1:0", "--seed", "18446744073709551615", "--latency", "20",
            "--fault", "503:0.25", "--fault", "reset", "--fault", "limit:20/s", "--no-auth", "--tls-authority",
            "ca.pem", "--public-key", "k.pem", "--revise-every", "500", "--flip-after", "2000",
            "--lists", "filling", "--gaps", "jp,de", "--unavailable", "3", "--relations", "alone",
            "--revision-share", "10", "--list-sizes", "recorded"
        )
        let api = options.configuration
        #expect(options.listen.address.port == 0 && options.recording == nil && api.seed == .max)
        #expect(options.latency == .milliseconds(20) && api.latency == .milliseconds(20))
        #expect(api.faults == [Fault(.unavailable, perMillion: 250_000), Fault(.reset)])
        #expect(api.requestsPerSecond == 20 && api.reviseEvery == 500 && api.flipAfter == 2000)
        #expect(api.listCut == .filling && api.storefrontsWithGaps == ["de", "jp"])
        #expect(api.traits.unavailablePercent == 3 && api.traits.unavailableOneIn == nil && api.relationHabit == .alone)
        #expect(api.traits.revisionShare == 10 && api.traits.listSizes == .recorded)
        #expect(!api.requiresAuthorization)
        #expect(options.tlsAuthorityFile == "ca.pem" && options.publicKeyFile == "k.pem")
    }

    @Test func theUnavailableShareIsAPercentageOrAFraction() throws {
        #expect(try options("--unavailable", "0").configuration.traits.unavailablePercent == 0)
        let fraction = try options("--unavailable", "1/3000").configuration
        #expect(fraction.traits.unavailableOneIn == 3000 && fraction.traits.unavailablePercent == nil)
        #expect(try options("--gaps", "none").configuration.storefrontsWithGaps == [])
        #expect(try options("--gaps", "all").configuration.storefrontsWithGaps == nil)
    }

    /// Such options were accepted, and did nothing.
    @Test(arguments: [
        ["--seed", "1"], ["--fault", "reset"], ["--revise-every", "5"], ["--flip-after", "5"],
        ["--public-key", "k.pem"], ["--lists", "first"], ["--gaps", "none"], ["--unavailable", "1"],
        ["--relations", "bare"], ["--revision-share", "10"], ["--list-sizes", "recorded"],
    ])
    func simulationOptionsExcludeARecording(_ words: [String]) throws {
        #expect(try options("--recording", "f", "--latency", "0").latency == .zero)
        let result = run(["simulate", "--recording", "f"] + words)
        #expect(result.status == 2 && result.error.contains(words[0]), "\(result.error)")
    }

    @Test func liveModesNeedAnUpstream() throws {
        for mode in [RecordingMode.record, .fallback] {
            let options = try options(
                "--recording", "f", "--mode", mode.rawValue, "--upstream", "https://api.music.apple.com")
            #expect(options.mode == mode && options.upstream?.isTLS == true)
        }
        for words in [
            ["--mode", "record"], ["--recording", "f", "--mode", "record"], ["--recording", "f", "--mode", "x"],
            ["--recording", "f", "--upstream", "http://h"], ["--upstream", "http://h"],
            ["--recording", "f", "--mode", "fallback", "--upstream", "h"],
        ] {
            let result = run(["simulate"] + words)
            #expect(result.status == 2, "\(words): \(result.error)")
        }
    }

    @Test func badValuesAreUsageErrors() {
        for words in [
            ["--listen", "x"], ["--seed", "-1"], ["--latency", "1s"], ["--fault", "X"], ["--revise-every", "x"],
            ["--flip-after", "-1"], ["--lists", "last"], ["--relations", "none"], ["--gaps", "jp,xx"],
            ["--gaps", "jp,"], ["--unavailable", "101"], ["--unavailable", "1/1"], ["--unavailable", "2/300"],
            ["--revision-share", "0"], ["--list-sizes", "long"],
        ] {
            let result = run("simulate", words[0], words[1])
            #expect(result.status == 2 && result.error.hasPrefix("refrain: simulate: \(words[0]): "), "\(result.error)")
        }
        #expect(run("demo", "--listen", "8080").error.hasPrefix("refrain: demo: --listen: "))
        // A seed is a whole number.
        #expect(run("simulate", "--seed", "-1").error.hasSuffix("a whole number from 0 to 18446744073709551615\n"))
    }
}
