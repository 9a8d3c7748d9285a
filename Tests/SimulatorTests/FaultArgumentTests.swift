import Testing

@testable import Simulator

@Suite struct FaultArgumentTests {  // refrain simulate --fault
    private func configuration(_ arguments: String...) throws -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        for text in arguments { try configuration.addFault(text) }
        return configuration
    }

    @Test func kindsAndLimitsAreRead() throws {
        #expect(try configuration("429").faults == [Fault(.tooManyRequests)])
        #expect(try configuration("reset:0.05").faults == [Fault(.reset, perMillion: 50_000)])
        #expect(try configuration("limit:4/s").requestsPerSecond == 4)
    }

    @Test func ratesAreExact() throws {
        let rates = ["0": 0, "1": 1_000_000, "1.0": 1_000_000, "0.5": 500_000, "0.000001": 1, "0.010": 10_000]
        for (text, perMillion) in rates {
            #expect(try configuration("slow:\(text)").faults == [Fault(.slow, perMillion: perMillion)], "\(text)")
        }
    }

    @Test(arguments: [
        "", ":1", "418", "Reset", "reset:", "reset:2", "reset:1.1", "reset:-1", "reset:.5", "reset:0.", "reset:x",
        "reset:0.1234567", "reset:0.1:1", "reset:nan", "limit", "limit:4", "limit:0/s", "limit:/s", "limit:-4/s",
        "limit:+4/s", "limit:4/s/s", "4/s",
    ])
    func allElseIsRefused(_ text: String) {
        #expect(throws: MalformedFault.self) { try configuration(text) }
    }

    @Test func allOfSeveralCount() throws {
        let configuration = try configuration("503:0.1", "limit:9/s", "slow")
        #expect(configuration.faults == [Fault(.unavailable, perMillion: 100_000), Fault(.slow)])
        #expect(configuration.requestsPerSecond == 9)
    }
}
