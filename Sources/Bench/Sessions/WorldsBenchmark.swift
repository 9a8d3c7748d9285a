import Simulator

/// An origin and its clients, otherwise than those that the proxy was made with.
struct World {
    let name: String
    var cut = SimulatorConfiguration.ListCut.first
    /// Nil for all storefronts.
    var gaps: Set<String>?
    var unavailablePercent: Int?
    var habits = ClientHabits(inJapan: 15)

    func configuration(seed: UInt64) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        configuration.seed = seed
        configuration.prolificShare = 5
        // So that misses are under way together, as they are before a real origin.
        configuration.latency = .milliseconds(20)
        configuration.listCut = cut
        configuration.storefrontsWithGaps = gaps
        configuration.unavailablePercent = unavailablePercent
        return configuration
    }

    static let all: [World] = [
        World(name: "lists fill up, no gaps", cut: .filling, gaps: []),
        World(name: "lists fill up, gaps everywhere", cut: .filling, unavailablePercent: 5),
        World(name: "lists fill up, 1 % gaps in jp", cut: .filling, gaps: ["jp"], unavailablePercent: 1),
        World(name: "lists cut first, no gaps", gaps: []),
        World(name: "lists cut first, gaps in jp", gaps: ["jp"], unavailablePercent: 5),
        World(name: "lists cut first, gaps everywhere", unavailablePercent: 5),
        World(
            name: "lists fill up, no gaps, clients ask blindly", cut: .filling, gaps: [],
            habits: ClientHabits(inJapan: 15, asksBlindly: true)),
        World(
            name: "lists cut first, gaps in jp, clients ask blindly", gaps: ["jp"], unavailablePercent: 5,
            habits: ClientHabits(inJapan: 15, asksBlindly: true, selectsViews: true, repeatsIDs: true)),
    ]
}

/// How many requests reach the origin in worlds that differ from the one that the proxy was made
/// with: through nginx, for a planner that knows the world and sends what it cannot know, and
/// through Refrain.
enum WorldsBenchmark {
    private static let seeds: [UInt64] = [101]
    private static let clients = 4

    static func run() throws {
        report("worlds: requests that reach the origin; strict: a planner that knows where lists have gaps")
        for world in World.all {
            for seed in seeds {
                let configuration = world.configuration(seed: seed)
                let api = ObservedAPI(configuration)
                let pool = MusicPool(api, artistLimit: 220, exponent: 1.1)
                var generator = TraceGenerator(api: api, pool: pool, seed: seed)
                generator.habits = world.habits
                let trace = generator.trace(
                    "\(world.name), seed \(seed)", TraceGenerator.varied, requests: 4_000)
                try TraceComparison(trace: trace, api: api, origin: configuration)
                    .run(TracePlayer.Pace(connections: clients, speed: nil), lifetime: nil)
            }
        }
    }
}
