import TestSupport

@testable import Bench
@testable import Simulator

/// An origin, and what clients ask of it: sessions of three apps in three storefronts.
enum TrialWorld {
    static let api = SimulatedAPI(configuration: origin)

    private static let origin: SimulatorConfiguration = {
        var origin = SimulatorConfiguration()
        // A catalog that takes a debug build less long to make.
        (origin.seed, origin.artists) = (20_261_125, TestSize.of(500, release: 700))
        // Misses are under way together.
        (origin.requiresAuthorization, origin.latency) = (false, .milliseconds(20))
        return origin
    }()

    static let requests: [TraceRequest] = {
        let api = ObservedAPI(origin)
        let pool = MusicPool(api, artistLimit: origin.artists / 10, exponent: 1.1)
        var generator = TraceGenerator(api: api, pool: pool, seed: origin.seed)
        generator.habits = ClientHabits(inJapan: 15)
        return generator.trace(TraceGenerator.mixed, requests: TestSize.of(700, release: 1_000))
    }()
}
