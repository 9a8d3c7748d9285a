import TestSupport

@testable import Bench
@testable import Simulator

/// An origin, and what clients ask of it.
struct TrialWorld: Sendable {
    enum Name: String, Sendable, CaseIterable {
        /// Sessions of three apps in three storefronts.
        case apps
        /// Other users of another catalog: more long lists, which fill up and have gaps in one
        /// storefront, and apps that ask for views and walk on until nothing comes.
        case lists
    }

    struct Request: Sendable {
        let target: String
        /// The status of the origin's answer.
        let status: Int
        /// The place of the request whose answer the client has to have first.
        var predecessor: Int?
    }

    /// With its seed.
    let name: String
    let api: any Responder
    let requests: [Request]

    static func named(_ name: Name) -> TrialWorld {
        switch name {
        case .apps: apps
        case .lists: lists
        }
    }

    private static let length = TestSize.of(700, release: 1_000)
    /// A catalog that takes a debug build less long to make.
    private static let artists = TestSize.of(500, release: 700)

    private static let apps = generated(
        .apps, seed: 20_261_125, TraceGenerator.mixed, exponent: 1.1, ClientHabits(inJapan: 15))

    private static let lists = generated(
        .lists, seed: 20_261_126, TraceGenerator.varied, exponent: 0.8,
        ClientHabits(inJapan: 30, asksBlindly: true, selectsViews: true, repeatsIDs: true)
    ) { origin in
        origin.listCut = .filling
        origin.storefrontsWithGaps = ["jp"]
        origin.traits.unavailablePercent = 3
    }

    private static func generated(
        _ name: Name, seed: UInt64, _ shares: [TraceGenerator.Share], exponent: Double, _ habits: ClientHabits,
        _ change: (inout SimulatorConfiguration) -> Void = { _ in }
    ) -> TrialWorld {
        var origin = SimulatorConfiguration()
        // Misses are under way together.
        (origin.requiresAuthorization, origin.latency) = (false, .milliseconds(20))
        (origin.seed, origin.artists) = (seed, artists)
        change(&origin)
        let api = ObservedAPI(origin)
        let pool = MusicPool(api, artistLimit: artists / 10, exponent: exponent)
        var generator = TraceGenerator(api: api, pool: pool, seed: seed)
        generator.habits = habits
        let requests = generator.trace(shares, requests: length).map {
            Request(target: $0.target, status: $0.status, predecessor: $0.predecessor)
        }
        return TrialWorld(
            name: "\(name), seed \(seed)", api: SimulatedAPI(configuration: origin), requests: requests)
    }
}
