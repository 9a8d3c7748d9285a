import AppleMusic
import Freshness
import Proxy

@testable import Compose

/// A kind of origin, and the proxy before it.
struct HuntTraits: Sendable {
    /// Where resources show their attribute `genreNames`.
    enum Placement: Sendable {
        case everywhere
        /// Only in `data` of an item or a batch.
        case requested
        /// Only in an item.
        case alone
        /// Everywhere but inside requested songs.
        case outsideSongs
    }

    /// Where an artist inside another resource shows its `albums`.
    enum Nesting: Sendable { case never, always, inBatches, inPairs, inSongs, besideGenres, inOneStorefront }

    let name: String
    /// Seconds for which answers are fresh.
    var lifetime = 30
    /// Seconds for which answers are served stale afterwards.
    var stale = 20
    /// Seconds for which a 404 is fresh, and an absence counts.
    var notFound = 8
    var placement = Placement.everywhere
    var nesting = Nesting.always
    /// Whether an absent resource keeps its place in lists, which then have gaps.
    var hasGaps = false
    /// Whether lists inside the resources of a batch end after five elements, with `next`.
    var shortensLists = false
    /// Whether requested resources show genres by their ids beside what is included.
    var addsGenres = false
    /// Whether requested resources show no relationships by ids alone.
    var isBare = false
    /// Whether an id with 77 before it is another name of the resource.
    var hasAliases = false

    /// One resource in so many is away from time to time.
    var flickersOneIn = 5
    /// The number of resources of a type that most requests are about.
    var hotNames = 6
    /// The bound of the memory for answers; the cache file has room for all.
    var memoryBytes = 16 << 20
    /// Whether requests come one at a time, never together.
    var isInTurn = false
    var batches = true
    var supersets = true
    var isDocumented = false
    /// The number of resources that have to be compared in two placements; nil for the default.
    var comparisons: Int?
    /// The number of nodes that share an engine.
    var nodes = 1

    /// The longest that an answer may be served, in seconds.
    var longestAge: Int { lifetime + stale }

    var policy: Policy {
        var policy = Policy()
        for resourceClass in ResourceClass.allCases where resourceClass != .personal && resourceClass != .other {
            policy[resourceClass] = .fixed(lifetime, stale: stale)
        }
        policy.notFound = .fixed(notFound, stale: 0)
        return policy
    }

    var composition: CompositionSettings {
        var settings = CompositionSettings()
        (settings.batch, settings.supersets, settings.trustsDocumentation) = (batches, supersets, isDocumented)
        if let comparisons { settings.placements = PlacementDemand(resources: comparisons, usesOfOne: .max) }
        return settings
    }
}

extension HuntTraits {
    private init(_ name: String, _ change: (inout HuntTraits) -> Void) {
        self.init(name: name)
        change(&self)
    }

    /// The worlds of the brief size; each has another peculiarity.
    static let brief = [
        HuntTraits("plain") { ($0.stale, $0.comparisons) = (40, 1) },
        HuntTraits("attributes by placement") {
            ($0.placement, $0.hotNames, $0.comparisons) = (.requested, 8, 4)
            $0.nesting = .inBatches
        },
        HuntTraits("absences and aliases") {
            ($0.hasAliases, $0.flickersOneIn, $0.stale, $0.comparisons) = (true, 2, 10, 1)
        },
        HuntTraits("lists with gaps") {
            ($0.hasGaps, $0.shortensLists, $0.flickersOneIn, $0.stale) = (true, true, 3, 40)
            ($0.nesting, $0.comparisons) = (.never, 2)
        },
    ]

    /// The worlds that the full size adds.
    static let further = [
        HuntTraits("little memory") { ($0.memoryBytes, $0.stale, $0.comparisons) = (48 << 10, 40, 1) },
        HuntTraits("forms by storefront") {
            ($0.nesting, $0.addsGenres, $0.isDocumented, $0.comparisons) = (.inOneStorefront, true, true, 1)
        },
        HuntTraits("forms by includes") {
            ($0.nesting, $0.isBare, $0.placement, $0.comparisons) = (.besideGenres, true, .outsideSongs, 2)
            $0.stale = 0
        },
        HuntTraits("forms by number") {
            ($0.nesting, $0.placement, $0.stale, $0.hotNames) = (.inPairs, .alone, 40, 10)
        },
        HuntTraits("default evidence") { ($0.nesting, $0.stale, $0.hotNames) = (.inSongs, 10, 24) },
        HuntTraits("one at a time") {
            ($0.isInTurn, $0.batches, $0.supersets, $0.stale, $0.comparisons) = (true, false, false, 90, 1)
        },
    ]

    /// Nodes that take answers from each other; each URL goes to one of them.
    static let sharing = HuntTraits("nodes") { ($0.nodes, $0.stale, $0.comparisons) = (2, 20, 1) }

    static let all = brief + further + [sharing]
}
