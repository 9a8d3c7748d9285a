import AppleMusic
import Compose
import Freshness

/// The operator's freshness policy: a rule for each class of route, one for answers that say "not
/// found", and one for those that say that the request is wrong.
public struct Policy: Sendable, Equatable {
    private var rules: [TTLRule]
    public var notFound: TTLRule
    public var badRequest: TTLRule
    /// How many times as fast stored answers age, for replays at that speed: 1 in service.
    public var speed = 1

    /// The defaults of proxy.conf (`ttl`). Catalog data changes daily at most; charts and search
    /// drift within the hour.
    public init() {
        let day = 86_400
        rules = ResourceClass.allCases.map { resourceClass in
            switch resourceClass {
            case .charts: .fixed(15 * 60, stale: day)
            case .search: .fixed(3600, stale: day)
            case .storefronts: .fixed(7 * day, stale: 0)
            case .personal: .off
            case .other: .upstream
            default: .fixed(day, stale: 7 * day)
            }
        }
        notFound = .fixed(60, stale: 0)
        badRequest = .fixed(60, stale: 0)
    }

    public subscript(_ resourceClass: ResourceClass) -> TTLRule {
        get { rules[Int(resourceClass.rawValue)] }
        set { rules[Int(resourceClass.rawValue)] = newValue }
    }
}

extension Policy {
    /// The classes with an operator's TTL: others are composed of their answers.
    var composableClasses: ResourceClasses {
        ResourceClasses { if case .fixed = self[$0] { true } else { false } }
    }
}
