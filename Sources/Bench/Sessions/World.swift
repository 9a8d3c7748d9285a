import Simulator

/// A simulated origin and its clients.
struct World {
    /// The last word of its benchmark's name.
    let key: String
    let name: String
    var seeds: [UInt64] = [101, 102, 103]
    var cut = SimulatorConfiguration.ListCut.first
    var listSizes = ListSizes.recorded
    /// Nil for all storefronts.
    var gaps: Set<String>?
    var unavailablePercent: Int?
    var unavailableOneIn: Int?
    var habits = ClientHabits(inJapan: 15)
    var shares = TraceGenerator.varied
    /// How often the catalog is revised while a trace is played.
    var revisions = 0

    func configuration(seed: UInt64) -> SimulatorConfiguration {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        configuration.seed = seed
        configuration.traits.prolificShare = 5
        configuration.listCut = cut
        configuration.traits.listSizes = listSizes
        configuration.storefrontsWithGaps = gaps
        configuration.traits.unavailablePercent = unavailablePercent
        configuration.traits.unavailableOneIn = unavailableOneIn
        configuration.traits.revisionShare = 10
        return configuration
    }

    static let all = standard + recorded + rareGaps + [publicClients, revised]

    /// With discographies that either fit on a page or go on for several.
    private static let standard = [
        World(key: "filling", name: "lists fill up, no gaps", cut: .filling, gaps: []),
        World(key: "filling-gaps", name: "lists fill up, gaps everywhere", cut: .filling, unavailablePercent: 5),
        World(
            key: "filling-jp", name: "lists fill up, 1 % gaps in jp", cut: .filling, gaps: ["jp"],
            unavailablePercent: 1),
        World(key: "first", name: "lists cut first, no gaps", gaps: []),
        World(key: "first-jp", name: "lists cut first, gaps in jp", gaps: ["jp"], unavailablePercent: 5),
        World(key: "first-gaps", name: "lists cut first, gaps everywhere", unavailablePercent: 5),
        World(
            key: "filling-blind", name: "lists fill up, no gaps, clients ask blindly", cut: .filling, gaps: [],
            habits: ClientHabits(inJapan: 15, asksBlindly: true)),
        World(
            key: "first-blind", name: "lists cut first, gaps in jp, clients ask blindly", gaps: ["jp"],
            unavailablePercent: 5,
            habits: ClientHabits(inJapan: 15, asksBlindly: true, selectsViews: true, repeatsIDs: true)),
    ].map { world in
        var world = world
        world.listSizes = .standard
        world.seeds = [101]
        return world
    }

    /// Three of them with lists as long as recordings show them, more of which are read, by apps
    /// that spell alike.
    private static let recorded = [
        World(key: "recorded-filling", name: "recorded sizes, lists fill up, no gaps", cut: .filling, gaps: []),
        World(
            key: "recorded-filling-gaps", name: "recorded sizes, lists fill up, gaps everywhere", cut: .filling,
            unavailablePercent: 5),
        World(
            key: "recorded-first-jp", name: "recorded sizes, lists cut first, gaps in jp", gaps: ["jp"],
            unavailablePercent: 5),
    ].map { world in
        var world = world
        world.habits.spellsAlike = true
        world.shares = TraceGenerator.walking
        return world
    }

    private static let rareGaps = rareGaps(.filling, "fill up") + rareGaps(.first, "cut first")

    private static func rareGaps(_ cut: SimulatorConfiguration.ListCut, _ words: String) -> [World] {
        [300, 1000, 3000].map { (count: Int) in
            World(
                key: "rare-\(cut.rawValue)-\(count)", name: "recorded sizes, lists \(words), one gap in \(count)",
                cut: cut, unavailableOneIn: count)
        }
    }

    /// As in recordings, lists of Britain have gaps and those of other storefronts do not.
    private static let publicClients = World(
        key: "public", name: "after public clients: next, several views and includes; gaps in gb", cut: .filling,
        gaps: ["gb"], unavailablePercent: 5,
        habits: ClientHabits(inJapan: 15, followsNext: true, asksForMuch: true, spellsAlike: true),
        shares: TraceGenerator.publicClients)

    /// A day in which one resource in a hundred changes an hour.
    private static let revised = World(
        key: "revised", name: "recorded sizes, lists fill up, 1 % changes at each of 24 revisions", cut: .filling,
        gaps: [], revisions: 24)
}
