import TestSupport

@testable import Bench
@testable import Simulator

/// An origin, and what clients ask of it: sessions of three apps in three storefronts.
struct TrialWorld: Sendable {
    struct Request: Sendable {
        let target: String
        /// The status of the origin's answer.
        let status: Int
        /// The place of the request whose answer the client has to have first.
        let predecessor: Int?
    }

    let api: any Responder
    let requests: [Request]

    private static let length = TestSize.of(700, release: 1_000)
    /// A catalog that takes a debug build less long to make.
    private static let artists = TestSize.of(500, release: 700)

    static let apps: TrialWorld = {
        var origin = SimulatorConfiguration()
        (origin.seed, origin.artists) = (20_261_125, artists)
        // Misses are under way together.
        (origin.requiresAuthorization, origin.latency) = (false, .milliseconds(20))
        let api = ObservedAPI(origin)
        let pool = MusicPool(api, artistLimit: artists / 10, exponent: 1.1)
        var generator = TraceGenerator(api: api, pool: pool, seed: origin.seed)
        generator.habits = ClientHabits(inJapan: 15)
        let requests = generator.trace(TraceGenerator.mixed, requests: length).map {
            Request(target: $0.target, status: $0.status, predecessor: $0.predecessor)
        }
        return TrialWorld(api: SimulatedAPI(configuration: origin), requests: requests)
    }()
}
