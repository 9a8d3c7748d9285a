import Testing

@testable import Bench

@Suite struct FixedRateTests {
    private let sustained = Sustained(rates: [
        Sustained.Rate(name: "refrain", perSecond: 90_000), Sustained.Rate(name: "nginx", perSecond: 40_002),
    ])

    @Test func ratesArePartsOfWhatTheSlowerServerSustains() {
        #expect(sustained.slower?.name == "nginx")
        #expect(sustained.fixedRates.map(\.perSecond) == [10_000, 20_001, 30_001])
        #expect(sustained.fixedRates.map(\.percent) == ["25 %", "50 %", "75 %"])
        #expect(sustained.fixedRates.map(\.perSecondText) == ["10,000/s", "20,001/s", "30,001/s"])
        let alone = Sustained(rates: [Sustained.Rate(name: "refrain", perSecond: 3)])
        #expect(alone.fixedRates.map(\.perSecond) == [1, 1, 2])
        #expect(Sustained(rates: []).fixedRates.isEmpty)
        #expect(
            sustained.note(sustained.fixedRates[0])
                == "25 %: 10,000 requests/s for both, of what nginx sustains (closed loop: refrain 90,000, nginx 40,002)"
        )
        let rate = FixedRate(share: 0.5, perSecond: 20)
        #expect(rate.requests(seconds: 2, most: 50_000) == 1000)
        #expect(FixedRate(share: 0.5, perSecond: 9_000).requests(seconds: 2, most: 50_000) == 18_000)
        #expect(FixedRate(share: 0.5, perSecond: 90_000).requests(seconds: 2, most: 50_000) == 50_000)
    }

    private let rate = FixedRate(share: 0.25, perSecond: 100)

    private func rounds(late: Bool) -> Rounds {
        var rounds = Rounds()
        for (name, factor) in [("refrain", 1.0), ("nginx", 2.0)] {
            rounds.append(
                Sample(
                    p50: 0.1 * factor, p99: 0.4 * factor, p999: 3 / factor, lag99: 0.02 * factor,
                    invalidBecause: late && name == "nginx" ? "25 %: the generator was late" : nil), of: name)
        }
        return rounds
    }

    @Test func theMiddleAndTwoTailsAreEachHeldAgainstNginx() {
        let rows = LatencyRows.rows(LatencyWorkload.newSongs, rate, rounds(late: false), ["a note"])
        let names = ["p50", "p99", "p99.9"].map { "misses, 4 KiB, each stored, at 100/s (25 %): \($0)" }
        #expect(rows.map(\.name) == names)
        #expect(rows.map { $0.ours?.rounded() } == [100, 400, 3000])
        #expect(rows.flatMap(\.goals).map(\.isMet) == [true, true, false])
        #expect(rows.allSatisfy { $0.measurement == "latency-misses" && $0.unit == "us" })
        #expect(rows[0].notes == ["a note", "25 %: the generator's own lag at p99: refrain 20.0 us, nginx 40.0 us"])
        for row in LatencyRows.rows(LatencyWorkload.newSongs, rate, rounds(late: true), []) {
            #expect(row.notes.last == "nginx, round 1: invalid run: 25 %: the generator was late")
        }
    }

    @Test func hitsAreStoredAndMissesAreNot() {
        let stored = Set((0..<1_000).map(FileHitsMeasurement.songs.target))
        let inMemory = LatencyWorkload.storedSongs(inFile: false)
        let asked = inMemory.targets(5_000, 3)
        #expect(asked.count == 5_000 && stored.isSuperset(of: asked))
        #expect(asked == inMemory.targets(5_000, 3))
        #expect(asked != inMemory.targets(5_000, 4))
        let songs = LatencyWorkload.newSongs
        let runs = (0..<17).map { songs.targets(songs.mostRequests, $0) }
        #expect(Set(runs.joined()).count == runs.count * songs.mostRequests)
    }

    @Test func hardlyAnyListIsAskedForTwice() {
        let lists = (0..<3).flatMap { LatencyWorkload.composedLists.targets(20_000, $0) }
        #expect(Set(lists).count > lists.count * 999 / 1000)
        for list in lists.prefix(100) {
            let songs = list.dropFirst(NumberedSongs.listPath.count).split(separator: ",")
            #expect(list.hasPrefix(NumberedSongs.listPath) && Set(songs).count == 4)
        }
    }
}
