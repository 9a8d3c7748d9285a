import TestSupport
import Testing
import Upstream

@testable import AppleMusic
@testable import Proxy

/// Requests to the origin by class, purpose, route and client: exact, in bounded room.
@Suite struct OriginSpendingTests {
    private func label(_ target: String, _ purpose: UpstreamPurpose, of client: String) throws -> UpstreamLabel {
        UpstreamLabel(try CanonicalTarget(target).route, purpose, of: .client(client))
    }

    private func send(_ party: UpstreamParty, _ count: Int, _ statistics: Statistics) throws {
        let label = UpstreamLabel(try CanonicalTarget("/v1/storefronts").route, .miss, of: party)
        for _ in 0..<count { statistics.upstreamStarted(label, isRepeated: false) }
    }

    private func sums(_ counts: SpendingCounts) -> [Int] {
        SpendingAxis.allCases.map { counts.counts(by: $0).values.reduce(0, +) }
    }

    @Test func everyLabelIsCountedUnderItsOwnWords() throws {
        let targets = [
            "/v1/catalog/us/songs/1", "/v1/me/library/songs", "/v1/catalog/us/albums/1?include=library", "/x",
            "/v1/catalog/us/activities", "/v1/me/ratings/songs/1",
        ]
        for target in targets {
            let route = try CanonicalTarget(target).route
            #expect(RouteTemplate.texts[route.templateNumber] == route.template)
            for purpose in UpstreamPurpose.allCases {
                let statistics = Statistics()
                statistics.upstreamStarted(try label(target, purpose, of: "a"), isRepeated: false)
                let counts = statistics.spending.snapshot
                #expect(counts.counts(by: .class) == [.resourceClass(route.resourceClass): 1])
                #expect(counts.counts(by: .purpose) == [.purpose(purpose): 1])
                #expect(counts.counts(by: .route) == [.route(route.templateNumber): 1])
                #expect(counts.counts(by: .client) == [.client(.client("a")): 1])
            }
        }
        #expect(Set(RouteTemplate.texts).count == RouteTemplate.texts.count)
    }

    /// A repeat after a 429 is no second miss.
    @Test func aRepeatIsARetryOfItsClass() throws {
        let statistics = Statistics()
        let label = try label("/v1/me/library/songs", .personal, of: "a")
        statistics.upstreamStarted(label, isRepeated: false)
        statistics.upstreamStarted(label, isRepeated: true)
        var counts = statistics.spending.snapshot
        #expect(counts.counts(by: .purpose) == [.purpose(.personal): 1, .purpose(.retry): 1])
        #expect(counts.counts(by: .class) == [.resourceClass(.personal): 2])
        #expect(counts.total == 2 && statistics[.upstreamRequests] == 2)
        // Loops are added up.
        counts.add(statistics.spending.snapshot)
        #expect(counts.counts(by: .client) == [.client(.client("a")): 4] && counts.total == 4)
    }

    @Test func manyClientsHaveBoundedRoomAndNoneIsForgotten() {
        var random = SeededGenerator(seed: 7)
        var spenders = Spenders()
        var heavy = 0
        for _ in 0..<20_000 {
            let isHeavy = Int.random(in: 0..<10, using: &random) == 0
            if isHeavy { heavy += 1 }
            spenders.count(.network(isHeavy ? 1 : UInt64(Int.random(in: 2..<9_000, using: &random))))
        }
        #expect(spenders.rows.count == Spenders.capacity)
        #expect(spenders.rows.reduce(spenders.others) { $0 + $1.count } == 20_000)
        #expect(spenders.rows.first { $0.party == .network(1) }.map { $0.count > heavy * 9 / 10 } == true)
        #expect(Set(spenders.rows.map(\.number)).count == Spenders.capacity)
    }

    /// A network that lost its row would have been subtracted from the one that took it over.
    @Test func aTimeHasWhatWasSentInItThoughRowsAreTakenOver() throws {
        let statistics = Statistics()
        for number in 0..<Spenders.capacity { try send(.network(UInt64(number)), 2, statistics) }
        let before = statistics.spending.snapshot
        try send(.network(1_000), 5, statistics)
        try send(.network(1), 3, statistics)
        let since = statistics.spending.snapshot.since(before)
        #expect(since.counts(by: .client) == [.client(.network(1_000)): 5, .client(.network(1)): 3])
        #expect(sums(since) == [8, 8, 8, 8] && since.total == 8)
        #expect(sums(statistics.spending.snapshot) == Array(repeating: 8 + 2 * Spenders.capacity, count: 4))
    }

    /// Its counter fell when the 65th client came.
    @Test func onlyANetworkLosesItsRow() throws {
        let statistics = Statistics()
        let others: [UpstreamParty] = [.everyone, .background] + (0..<100).map { .client("\($0)") }
        for party in others { try send(party, 1, statistics) }
        for number in 0..<1_000 { try send(.network(UInt64(number)), 2, statistics) }
        let counts = statistics.spending.snapshot.counts(by: .client)
        for party in others { #expect(counts[.client(party)] == 1, "\(party)") }
        #expect(counts.count == others.count + Spenders.capacity + 1)
        #expect(counts[.otherNetworks] == 2 * (1_000 - Spenders.capacity))
    }
}
