import TestSupport
import Testing

@testable import Bench
@testable import Simulator

@Suite struct TraceGeneratorTests {
    private func trace(seed: UInt64, _ shares: [TraceGenerator.Share] = TraceGenerator.mixed) -> [TraceRequest] {
        let api = ObservedAPI.small()
        let pool = MusicPool(api, artistLimit: 30, exponent: 1)
        return TraceGenerator(api: api, pool: pool, seed: seed).trace(shares, requests: 400)
    }

    @Test func theSameSeedMakesTheSameTrace() {
        for shares in [TraceGenerator.mixed, TraceGenerator.publicClients] {
            #expect(shares.map(\.percent).reduce(0, +) == 100)
        }
        let first = trace(seed: 1).map(\.target)
        #expect(first == trace(seed: 1).map(\.target))
        #expect(first != trace(seed: 2).map(\.target))
    }

    /// Otherwise every connection could wait for a request that none has taken.
    @Test(arguments: TestSize.of([1], release: [1, 2, 3]) as [UInt64]) func predecessorsStandBeforeWhoWaitsForThem(
        seed: UInt64
    ) {
        let requests = trace(seed: seed)
        #expect(requests.map(\.due) == requests.map(\.due).sorted())
        #expect(requests.enumerated().allSatisfy { ($0.element.predecessor ?? -1) < $0.offset })
        #expect(requests.count { $0.predecessor != nil } > 200)
    }

    @Test(arguments: [TraceGenerator.mixed, TraceGenerator.paging, TraceGenerator.including])
    func appsAskForWhatIsThere(shares: [TraceGenerator.Share]) {
        let requests = trace(seed: 4, shares)
        #expect(requests.count >= 400)
        #expect(requests.count { $0.status != 200 } < requests.count / 20)
        #expect(requests.allSatisfy { $0.status == 200 || $0.status == 404 })
    }

    @Test func clientsThatFollowNextAskForItAsItIs() {
        let api = ObservedAPI.small()
        var generator = TraceGenerator(api: api, pool: MusicPool(api, artistLimit: 30, exponent: 1), seed: 5)
        generator.habits.followsNext = true
        let targets = generator.trace(TraceGenerator.paging, requests: 400).map(\.target)
        let named = Set(targets.flatMap { [api[$0].next] + api[$0].related.values.map(\.next) }.compactMap { $0 })
        let further = targets.filter { $0.contains("offset=") }
        #expect(further.count > 40 && named.isSuperset(of: further))
    }

    @Test func clientsThatAskForMuchNameSeveralViewsAndRelationships() {
        let api = ObservedAPI.small()
        var generator = TraceGenerator(api: api, pool: MusicPool(api, artistLimit: 30, exponent: 1), seed: 5)
        generator.habits.asksForMuch = true
        let targets = generator.trace(TraceGenerator.publicClients, requests: 400).map {
            SimulatorTarget(Array($0.target.utf8))
        }
        for (name, count) in [("views", 3), ("include", 3)] {
            #expect(targets.count { ($0.list(name) ?? []).count >= count } > 5, "\(name)")
        }
    }

    @Test func theAppsSpellInTheirOwnWays() {
        let parameters = [("types", "songs,albums"), ("term", "a b")].map { (name: $0.0, value: $0.1) }
        #expect(ClientApp.web.query(parameters, launch: 1) == "?types=songs%2Calbums&term=a+b")
        #expect(ClientApp.tagger.query(parameters, launch: 1) == "?term=a+b&types=songs%2Calbums")
        let launches = Set((0..<32).map { ClientApp.player.query(parameters, launch: UInt64($0)) })
        #expect(launches == ["?types=songs,albums&term=a%20b", "?term=a%20b&types=songs,albums"])
    }
}

extension ObservedAPI {
    /// A catalog that is quickly made, without developer tokens.
    static func small() -> ObservedAPI {
        var configuration = SimulatorConfiguration()
        configuration.artists = 120
        configuration.requiresAuthorization = false
        return ObservedAPI(configuration)
    }
}
