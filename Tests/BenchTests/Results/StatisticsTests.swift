import Testing

@testable import Bench

@Suite struct StatisticsTests {
    @Test(arguments: [([3.0], 3.0), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5), ([1, 1, 100], 1)] as [([Double], Double)])
    func theMedianIsTheMiddle(values: [Double], median: Double) {
        #expect(values.median == median)
    }

    private func rounds(_ figures: [(String, [Double])]) -> Rounds {
        var rounds = Rounds()
        for round in 0..<(figures.first?.1.count ?? 0) {
            for (name, rates) in figures { rounds.append(Sample(requestsPerSecond: rates[round]), of: name) }
        }
        return rounds
    }

    /// A machine that is slow in one round is slow for both in that round.
    @Test func ratiosAreThoseOfEachRound() {
        let measured = rounds([("refrain", [100, 20, 60]), ("nginx", [50, 10, 20])])
        #expect(measured.ratio("refrain", to: "nginx", \.requestsPerSecond) == 2)
        #expect(measured.median("refrain", \.requestsPerSecond) == 60)
        #expect(measured.names == ["refrain", "nginx"])
    }

    @Test func aServerThatIsNotInstalledIsSaidSo() {
        let row = rounds([("refrain", [2, 2, 2])]).row(
            "m", "n", unit: "u", beside: [("nginx", .atLeast(1))], \.requestsPerSecond)
        #expect(row.ours == 2)
        #expect(row.others == [Other(name: "nginx", target: .atLeast(1))])
        #expect(row.notes == ["nginx is not installed"])
    }

    /// The generator's own lateness was charged to the server.
    @Test func aLateGeneratorIsSaidBesideTheFiguresOfItsRounds() {
        var rounds = Rounds()
        for round in 0..<2 {
            for name in ["refrain", "nginx", "varnish"] {
                let isLate = name != "refrain" && round == 1
                rounds.append(Sample(p99: 2, invalidBecause: isLate ? "the generator was late" : nil), of: name)
            }
        }
        let row = rounds.row("m", "n", unit: "ms", beside: [("nginx", nil)], notes: ["open loop"], \.p99)
        #expect(row.notes == ["open loop", "nginx, round 2: invalid run: the generator was late"])
    }

    @Test(
        arguments: [
            ("nginx version: nginx/1.22.1\n", "1.22.1"), ("varnishd (varnish-7.1.1 revision 7cee1c5)", "7.1.1"),
            ("OpenSSL 3.0.19 27 Jan 2026 (Library: OpenSSL 3.0.19)", "3.0.19"),
            ("wrk debian/4.1.0-3+b2 [epoll] Copyright (C) 2012", "4.1.0"),
            ("Swift version 6.3.1 (swift-6.3.1-RELEASE)", "6.3.1"), ("no number. here", nil),
        ] as [(String, String?)])
    func versionsAreFound(text: String, version: String?) {
        #expect(Machine.version(in: text) == version)
    }

    @Test func aValueOfProcIsFound() {
        #expect(Machine.value(of: "model name", in: "flags\t: x\nmodel name\t: A CPU: fast\n") == "A CPU: fast")
        #expect(Machine.value(of: "absent", in: "model name : x") == nil)
    }
}
