import Testing

@testable import Bench

@Suite struct LatencyTests {
    @Test func aRunHasRequestsForItsTailAndNotMoreThanItsTargets() {
        let misses = LatencyWorkload.misses
        let counts = [20, 9_000, 90_000].map { LatencyMeasurement.requests(misses, at: $0, seconds: 2) }
        #expect(counts == [1000, 18_000, 50_000])
    }

    private func rounds(late: Bool) -> Rounds {
        var rounds = Rounds()
        for (name, factor) in [("refrain", 1.0), ("nginx", 2.0)] {
            rounds.append(
                Sample(
                    p50: 0.1 * factor, p99: 0.4 * factor, p999: 3 / factor, lag99: 0.02 * factor,
                    invalidBecause: late && name == "nginx" ? "the generator was late" : nil), of: name)
        }
        return rounds
    }

    @Test func theMiddleAndTwoTailsAreEachHeldAgainstNginx() {
        let rows = LatencyMeasurement.rows(.misses, 10_000, rounds(late: false))
        let names = ["p50", "p99", "p99.9"].map { "misses, 4 KiB, each stored, at 10,000/s (50 %): \($0)" }
        #expect(rows.map(\.name) == names)
        #expect(rows.map { $0.ours?.rounded() } == [100, 400, 3000])
        #expect(rows.flatMap(\.goals).map(\.isMet) == [true, true, false])
        #expect(rows.allSatisfy { $0.measurement == "latency-misses" && $0.unit == "us" })
        #expect(rows[0].notes == ["the generator's own lag at p99: refrain 20.0 us, nginx 40.0 us"])
        for row in LatencyMeasurement.rows(.misses, 100, rounds(late: true)) {
            #expect(row.notes.last == "nginx, round 1: invalid run: the generator was late")
        }
    }

    @Test func hitsAreStoredAndMissesAreNot() {
        let hits = LatencyWorkload.hits
        let asked = hits.targets(5_000, 3)
        #expect(asked.count == 5_000 && Set(hits.stored).isSuperset(of: asked))
        #expect(asked == hits.targets(5_000, 3) && asked != hits.targets(5_000, 4))
        let misses = LatencyWorkload.misses
        let runs = (0..<17).map { misses.targets(misses.mostRequests, $0) }
        #expect(Set(runs.joined()).count == runs.count * misses.mostRequests)
    }
}
