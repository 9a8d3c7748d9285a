import AppleMusic
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
        /// Whether all requests have one of few forms.
        var isAboutForms = false
        var batches = false
        /// Whether the documentation counts.
        var isDocumented = false
        var simulator = SimulatorConfiguration.small
        /// The lifetime that answers are judged by, in seconds; no class has a longer one.
        var longestLifetime = 60
        /// The number of wrong answers with which the run ends.
        var mostFailures = Int.max

        var testDescription: String {
            let storefronts = simulator.storefrontsWithGaps?.sorted() ?? ["all"]
            let gaps = simulator.traits.unavailableOneIn.map { "one gap in \($0)" } ?? "gaps in \(storefronts)"
            let peculiarities = simulator.peculiarities.map(\.rawValue).sorted().joined(separator: " ")
            return """
                \(peculiarities.isEmpty ? "" : peculiarities + ", ")\(isDocumented ? "documented, " : "")\
                seed \(seed), stale for \(staleFor) s, flip after \(flipAfter), disturbed every \(disturbEvery), \
                \(simulator.listCut), \(gaps), \(simulator.relationHabit)\(nodes > 1 ? ", \(nodes) nodes" : "")
                """
        }

        /// Whether the order in which the proxy got its answers is that of the origin's states.
        var isOrdered: Bool {
            !simulator.peculiarities.contains(.laggingReplicas) && !simulator.peculiarities.contains(.lateAnswers)
        }

        /// Seconds by which an answer may be older than the moment in which it came.
        var lag: Int {
            simulator.peculiarities.contains(.laggingReplicas) ? Int(SimulatorConfiguration.lag) + longestStep : 0
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

    struct Failure: Sendable, CustomStringConvertible {
        let rule: Difference.Rule
        let description: String
    }

    struct Outcome: Sendable, CustomStringConvertible {
        /// The statistics of the last proxy, or of the first node.
        var statistics: StatisticsSource!
        var failures: [Failure] = []
        var answered = 0
        var composed = 0
        /// Resources of the storefront `us` that the first proxy showed in other kinds of answers
        /// than held them.
        var crossings = 0
        /// Answers of the origin to requests of the catalog.
        var fetched = 0
        var disturbances = 0
        /// Right answers that were not those of the latest revision.
        var old = 0
        var counts: [Difference.Rule: Int] = [:]

        var description: String {
            let found = Difference.Rule.allCases.map { "\(counts[$0] ?? 0) \($0)" }.joined(separator: ", ")
            return """
                \(answered) answers, \(fetched) fetched, \(composed) composed, \(crossings) crossings, \
                \(old) old; \(found)
                """
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

extension SimulatorConfiguration {
    fileprivate static let small: SimulatorConfiguration = {
        var configuration = SimulatorConfiguration()
        (configuration.requiresAuthorization, configuration.artists, configuration.playlists) = (false, 400, 100)
        return configuration
    }()
}
