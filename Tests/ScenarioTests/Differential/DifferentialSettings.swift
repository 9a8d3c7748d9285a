import AppleMusic
import Foundation
import Proxy
import Testing

@testable import Simulator

extension DifferentialRun {
    struct Settings: Sendable, CustomTestStringConvertible {
        let seed: UInt64
        var requests = 2500
        /// How long an answer may be served stale.
        var staleFor = 0
        /// The most seconds that pass at once.
        var longestStep = 3
        /// The average number of requests between two revisions of the catalog.
        var reviseEvery = 400
        /// The number of requests after which the shapes flip; 0 for never.
        var flipAfter = 0
        /// The number of requests between disturbances: the cache is purged in part, or the proxy
        /// restarts with its file; 0 for neither, and no file.
        var disturbEvery = 0
        /// Proxies that share an engine; one has none.
        var nodes = 1
        /// Whether all requests are for pages of many lists.
        var isAboutLists = false
        var nestsAlbums = true
        var batches = false
        /// How pages of lists are cut, and where they have gaps.
        var listCut = SimulatorConfiguration.ListCut.first
        var storefrontsWithGaps: Set<String>?
        var unavailablePercent: Int?
        /// One item in this many is a gap, in place of the percentage.
        var unavailableOneIn: Int?
        var listSizes = ListSizes.standard
        /// How many of a thousand resources a revision changes; nil for about a fourth.
        var revisionShare: Int?
        /// Which relationships resources show unasked.
        var relationHabit = SimulatorConfiguration.RelationHabit.documented
        /// The lifetime that answers are judged by, in seconds; no class has a longer one.
        var longestLifetime = 60
        /// The number of wrong answers with which the run ends.
        var mostFailures = Int.max

        var testDescription: String {
            let gaps =
                unavailableOneIn.map { "one gap in \($0)" } ?? "gaps in \(storefrontsWithGaps?.sorted() ?? ["all"])"
            return """
                seed \(seed), stale for \(staleFor) s, flip after \(flipAfter), disturbed every \(disturbEvery), \
                \(listCut), \(gaps), \(relationHabit)\(nodes > 1 ? ", \(nodes) nodes" : "")
                """
        }

        var simulator: SimulatorConfiguration {
            var configuration = SimulatorConfiguration()
            configuration.requiresAuthorization = false
            configuration.artists = 400
            configuration.playlists = 100
            configuration.nestsAlbums = nestsAlbums
            configuration.listCut = listCut
            configuration.storefrontsWithGaps = storefrontsWithGaps
            configuration.traits.unavailablePercent = unavailablePercent
            configuration.traits.unavailableOneIn = unavailableOneIn
            configuration.traits.listSizes = listSizes
            configuration.traits.revisionShare = revisionShare
            configuration.relationHabit = relationHabit
            return configuration
        }

        var policy: Policy {
            var policy = Policy()
            for resourceClass in ResourceClass.allCases where resourceClass != .personal && resourceClass != .other {
                policy[resourceClass] = .fixed(DifferentialRun.lifetime(of: resourceClass), stale: staleFor)
            }
            policy.notFound = .fixed(DifferentialRun.lifetimeOfNotFound, stale: 0)
            return policy
        }
    }

    /// A wrong answer.
    struct Failure: Sendable, CustomStringConvertible {
        let rule: Difference.Rule
        let description: String
    }

    /// The result of a run.
    struct Outcome: Sendable, CustomStringConvertible {
        /// The statistics of the last proxy, or of the first node.
        var statistics: StatisticsSource
        /// The first failures.
        var failures: [Failure] = []
        /// Requests that were answered.
        var answered = 0
        /// Answers that were composed.
        var composed = 0
        /// Purges and restarts.
        var disturbances = 0
        /// Right answers that were not those of the latest revision.
        var old = 0
        var counts: [Difference.Rule: Int] = [:]

        var description: String {
            let found = Difference.Rule.allCases.map { "\(counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
            return "\(answered) answers, \(composed) composed, \(old) old; \(found)"
        }
    }

    static let lifetimeOfNotFound = 20

    /// Each class has a lifetime of its own, of 20 to 60 s.
    static func lifetime(of resourceClass: ResourceClass) -> Int { 20 + 10 * Int(resourceClass.rawValue % 5) }

    static func lifetime(of answer: OriginLog.Entry) -> Int {
        guard answer.status != 404, let target = try? CanonicalTarget(answer.target) else { return lifetimeOfNotFound }
        return lifetime(of: target.route.resourceClass)
    }
}
