import Testing

@testable import Proxy

@Suite struct OriginSavingsTests {
    private static func savings(
        _ outcomes: [Outcome: Int], _ avoidedFetches: [AvoidedFetch: Int] = [:], sent: Int
    ) -> OriginSavings {
        OriginSavings(
            outcomes: Outcome.allCases.map { outcomes[$0] ?? 0 },
            avoidedFetches: AvoidedFetch.allCases.map { avoidedFetches[$0] ?? 0 },
            sent: sent)
    }

    private static func words(_ savings: OriginSavings) -> String {
        OriginSavings.Figure.allCases.filter { savings[$0] > 0 }.map { "\($0.name) \(savings[$0])" }
            .joined(separator: ", ")
    }

    @Test func savedIsWhatTheOriginDidNotGet() {
        let plain = Self.savings([.hit: 70, .stale: 10, .composed: 5, .miss: 15, .refused: 50], sent: 15)
        #expect(Self.words(plain) == "without_proxy 100, sent 15, saved 85, hits 80, composing 5")
        // Refreshes of the stale ones, and verifications.
        let refreshed = Self.savings([.hit: 70, .stale: 10, .composed: 5, .miss: 15], sent: 27)
        #expect(Self.words(refreshed) == "without_proxy 100, sent 27, saved 73, hits 80, composing 5, extra 12")
        #expect(Self.words(Self.savings([.hit: 1, .miss: 1], sent: 9)) == "without_proxy 2, sent 9, hits 1, extra 8")
    }

    /// The label was "less refreshes, repeats", of which there were none.
    @Test func aBatchThatAnswersNobodyDirectlyIsAFurtherRequest() {
        let batched = Self.savings([.miss: 3], [.batched: 3], sent: 1)
        #expect(Self.words(batched) == "without_proxy 3, sent 1, saved 2, batching 3, extra 1")
        #expect(OriginSavings.Figure.extra.text == "less further requests")
    }

    @Test func eachWayIsCountedOnce() {
        let all = Self.savings(
            [.miss: 10, .collapsed: 6, .staleIfError: 2, .composed: 3],
            [.joined: 4, .shared: 2, .batched: 3, .composed: 1, .stored: 2], sent: 6)
        #expect(
            Self.words(all) == "without_proxy 21, sent 6, saved 15, hits 2, joining 4, composing 4, batching 3, nodes 2"
        )
    }

    /// Hundreds of 503s because the queue was full would have been hundreds of saved requests.
    @Test func errorsForWhichNothingWasSentSaveNothing() {
        let full = Self.savings([.failed: 300, .miss: 10], [.failed: 290], sent: 20)
        #expect(Self.words(full) == "without_proxy 20, sent 20")
    }

    /// Prometheus takes a counter that went back for one that began anew.
    @Test func sinceTheStartNothingGoesBack() {
        let floor = SavingsFloor()
        #expect(floor.raised(to: Self.savings([.hit: 10], sent: 2))[.saved] == 8)
        let later = floor.raised(to: Self.savings([.hit: 10], sent: 5))
        #expect(later[.saved] == 8 && later[.sent] == 5)
        #expect(floor.raised(to: Self.savings([.hit: 9], sent: 5))[.withoutProxy] == 10)
        #expect(floor.raised(to: Self.savings([.hit: 20], sent: 5))[.saved] == 15)
    }

    @Test func theHitRatioIsOfHitsAndMisses() {
        func ratio(_ counts: [Outcome: Int]) -> Double? { HitRatio { counts[$0] ?? 0 }.value }
        #expect(ratio([.hit: 5, .composed: 2, .stale: 1, .miss: 1, .failed: 1, .bypass: 7, .refused: 9]) == 0.8)
        #expect(ratio([.bypass: 7, .refused: 9]) == nil && ratio([.collapsed: 1]) == 0)
    }
}

@Suite struct AnswerStatisticsTests {
    @Test func eachAnswerCountsByStatusClassAndOutcome() {
        let statistics = AnswerStatistics()
        for _ in 0..<25 { statistics.count(200, in: Outcome.hit.rawValue) }
        for _ in 0..<15 { statistics.count(503, in: Outcome.failed.rawValue) }
        statistics.count(204, in: AnswerCounts.preflights)
        statistics.count(AnswerCounts.noStatus, in: Outcome.failed.rawValue)
        let counts = statistics.snapshot
        #expect(counts.byStatus.map { "\($0.name) \($0.count)" } == ["none 1", "200 25", "204 1", "503 15"])
        #expect(counts.byClass == [0, 26, 0, 0, 15])
        #expect(counts.byClass(.hit) == [0, 25, 0, 0, 0] && counts.byClass(.failed) == [0, 0, 0, 0, 15])
        #expect(counts.byClass(nil) == [0, 1, 0, 0, 0])
        var sum = counts
        sum += counts
        #expect(sum.byClass == [0, 52, 0, 0, 30])
    }

    /// No origin makes more names than there are.
    @Test func rareStatusesCountByClass() {
        let statistics = AnswerStatistics()
        for status in [100, 199, 299, 418, 499, 599, 600, 999] { statistics.count(status, in: Outcome.miss.rawValue) }
        let counts = statistics.snapshot
        #expect(counts.byStatus.map { "\($0.name) \($0.count)" } == ["1xx 2", "2xx 1", "4xx 2", "5xx 3"])
        #expect(counts.byClass == [2, 1, 0, 2, 3])
        for status in 0...999 { statistics.count(status, in: Outcome.miss.rawValue) }
        #expect(statistics.snapshot.byStatus.count == 41 + 6)
    }
}
