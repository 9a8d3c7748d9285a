import Simulator

/// A simulated origin and its clients.
struct World {
    let name: String
    /// For the table.
    let title: String
    /// A trace is made for each.
    var seeds: [UInt64] = [101, 102, 103]
    /// Seed of the catalog; nil for that of the trace.
    var catalogSeed: UInt64?
    /// Requests of a trace, at least.
    var requests = 4_000
    /// Connections that a trace is played over.
    var clients = 4
    var cut = SimulatorConfiguration.ListCut.filling
    var listSizes = ListSizes.recorded
    /// With standard sizes, one artist in this many has very many albums.
    var prolificShare = 5
    /// Storefronts whose lists have gaps; nil for all.
    var gaps: Set<String>?
    var unavailablePercent: Int?
    var unavailableOneIn: Int?
    var habits = ClientHabits(inJapan: 15)
    var shares = TraceGenerator.varied
    /// How often the catalog is revised while a trace is played.
    var revisions = 0
    /// Bound of Refrain's requests divided by nginx's.
    var target: Target?

    func configuration(seed: UInt64) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        configuration.seed = catalogSeed ?? seed
        configuration.traits.prolificShare = prolificShare
        configuration.listCut = cut
        configuration.traits.listSizes = listSizes
        configuration.storefrontsWithGaps = gaps
        configuration.traits.unavailablePercent = unavailablePercent
        configuration.traits.unavailableOneIn = unavailableOneIn
        configuration.traits.revisionShare = 10
        return configuration
    }

    func trace(seed: UInt64) -> [TraceRequest] {
        let api = ObservedAPI(configuration(seed: seed))
        var generator = TraceGenerator(api: api, pool: MusicPool(api, artistLimit: 220, exponent: 1.1), seed: seed)
        generator.habits = habits
        return generator.trace(shares, requests: requests)
    }
}

extension World {
    /// The catalog of `refrain demo`, and sessions one by one.
    static let sessions = World(
        name: "sessions", title: "app sessions one by one", seeds: [20], catalogSeed: 1, requests: 6_000, clients: 1,
        cut: .first, listSizes: .standard, prolificShare: 300, habits: ClientHabits(), shares: TraceGenerator.mixed,
        target: .atMost(0.62))

    /// The worlds with clients that overlap.
    static let all = standard + recorded + rareGaps + [publicClients, revised]

    /// Discographies either fit on a page or go on for several.
    private static let standard = [
        World(name: "world-filling", title: "lists fill up, no gaps", seeds: [101], listSizes: .standard, gaps: []),
        World(
            name: "world-first-jp", title: "lists cut first, gaps in jp", seeds: [101], cut: .first,
            listSizes: .standard, gaps: ["jp"], unavailablePercent: 5),
    ]

    /// Lists as long as recorded ones, more reading, and one spelling.
    private static let recorded = [
        World(name: "world-recorded-filling", title: "recorded sizes, lists fill up, no gaps", gaps: []),
        World(
            name: "world-recorded-filling-gaps", title: "recorded sizes, lists fill up, gaps everywhere",
            unavailablePercent: 5),
        World(
            name: "world-recorded-first-jp", title: "recorded sizes, lists cut first, gaps in jp", cut: .first,
            gaps: ["jp"], unavailablePercent: 5),
    ].map { world in
        var world = world
        world.habits.spellsAlike = true
        world.shares = TraceGenerator.walking
        return world
    }

    private static let rareGaps = [
        World(
            name: "world-rare-filling-300", title: "recorded sizes, lists fill up, one gap in 300",
            unavailableOneIn: 300),
        World(
            name: "world-rare-filling-1000", title: "recorded sizes, lists fill up, one gap in 1000",
            unavailableOneIn: 1000),
        World(
            name: "world-rare-first-1000", title: "recorded sizes, lists cut first, one gap in 1000", cut: .first,
            unavailableOneIn: 1000),
    ]

    /// As in recordings, lists of Britain have gaps and those of other storefronts do not.
    private static let publicClients = World(
        name: "world-public", title: "after public clients: next, several views and includes; gaps in gb",
        gaps: ["gb"], unavailablePercent: 5,
        habits: ClientHabits(inJapan: 15, followsNext: true, asksForMuch: true, spellsAlike: true),
        shares: TraceGenerator.publicClients)

    /// A day in which one resource in a hundred changes an hour.
    private static let revised = World(
        name: "world-revised", title: "recorded sizes, lists fill up, 1 % changes at each of 24 revisions", gaps: [],
        revisions: 24)
}
