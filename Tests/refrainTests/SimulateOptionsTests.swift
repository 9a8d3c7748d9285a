import Testing

@testable import refrain

@Suite struct SimulateOptionsTests {
    private func options(_ words: String...) throws(CommandFailure) -> SimulateOptions {
        try SimulateOptions(OptionParser.parse(words, for: Command.named("simulate")))
    }

    @Test func hasDefaults() throws {
        let options = try options()
        #expect(options.listen == HostPort(host: "127.0.0.1", port: 8090))
        #expect(options.latency == .zero && options.seed == nil && options.faults.isEmpty)
        #expect(options.requiresAuthorization && options.tlsAuthorityFile == nil && options.publicKeyFile == nil)
    }

    @Test func readsEveryOption() throws {
        let options = try options(
            "--listen", "127.0.0.1:0", "--recording", "dir", "--seed", "18446744073709551615", "--latency", "20",
            "--fault", "503:0.25", "--fault", "reset", "--no-auth", "--tls-authority", "ca.pem", "--public-key", "k.pem"
        )
        #expect(options.listen.port == 0 && options.recording == "dir" && options.seed == .max)
        #expect(options.latency == .milliseconds(20))
        #expect(
            options.faults == [.init(kind: "503", perMillion: 250_000), .init(kind: "reset", perMillion: 1_000_000)])
        #expect(!options.requiresAuthorization)
        #expect(options.tlsAuthorityFile == "ca.pem" && options.publicKeyFile == "k.pem")
    }

    @Test func readsRatesExactly() throws {
        let rates = ["0": 0, "1": 1_000_000, "1.0": 1_000_000, "0.5": 500_000, "0.000001": 1, "0.010": 10_000]
        for (text, perMillion) in rates {
            #expect(try SimulateOptions.Fault("reset:\(text)").perMillion == perMillion, "\(text)")
        }
    }

    @Test(arguments: [
        "", ":1", "Reset", "reset:", "reset:2", "reset:1.1", "reset:-1", "reset:.5", "reset:0.", "reset:x",
        "reset:0.1234567", "reset:0.1:1",
    ])
    func refusesOtherFaults(_ text: String) {
        #expect(throws: ValueError.self) { try SimulateOptions.Fault(text) }
    }

    @Test func badValuesAreUsageErrors() {
        for words in [["--listen", "x"], ["--seed", "-1"], ["--latency", "1s"], ["--fault", "X"]] {
            let result = run("simulate", words[0], words[1])
            #expect(result.status == 2 && result.error.hasPrefix("refrain: \(words[0]): "), "\(result.error)")
        }
        #expect(run("demo", "--listen", "8080").status == 2)
    }
}
