import Recording

// Which exchanges of a recording are sent again, and why the others are not.

/// An operator's choice of requests.
///
/// One choice of each kind has to fit; a kind without choices admits all.
public struct ReplayFilter: Sendable, Equatable {
    /// Beginnings of targets.
    public var only: [String] = []
    /// Beginnings of targets that are left out.
    public var skip: [String] = []
    public var methods: [String] = []
    /// Recorded status codes, or their hundreds: 4 for all from 400 to 499.
    public var statuses: [Int] = []
    /// Recorded outcomes.
    public var outcomes: [String] = []
    /// In lower case.
    public var storefronts: [String] = []

    public init() {}

    func admits(_ exchange: RecordedExchange) -> Bool {
        func fits<Value: Equatable>(_ choices: [Value], _ isChosen: (Value) -> Bool) -> Bool {
            choices.isEmpty || choices.contains(where: isChosen)
        }
        return fits(only) { exchange.target.hasPrefix($0) }
            && !skip.contains { exchange.target.hasPrefix($0) }
            && fits(methods) { $0 == exchange.method }
            && fits(statuses) { $0 == exchange.status || $0 == exchange.status / 100 }
            && fits(outcomes) { $0 == exchange.outcome }
            && fits(storefronts) { $0 == Self.storefront(of: exchange.target) }
    }

    /// The segment after `/v1/catalog/` or `/v1/storefronts/`, where the API names one
    /// (APPLE-MUSIC-API 1.1).
    static func storefront(of target: String) -> String? {
        let path = target.prefix { $0 != "?" }
        let segments = path.split(separator: "/", maxSplits: 4)
        guard segments.count > 2, segments[0] == "v1", segments[1] == "catalog" || segments[1] == "storefronts" else {
            return nil
        }
        return segments[2].lowercased()
    }
}

enum SkipReason: String, CaseIterable {
    /// Personal requests: only the route was recorded, which is no request.
    case personal
    /// The content was not recorded, and sending the request again would change something.
    case unsafeMethod = "unsafe method"
    /// Methods that are neither unsafe nor something that a cache answers, such as OPTIONS.
    case otherMethod = "other method"
    /// Left out by the filters.
    case filtered

    /// nil: it is sent.
    init?(_ exchange: RecordedExchange, _ filter: ReplayFilter) {
        guard !exchange.isPersonal else {
            self = .personal
            return
        }
        switch exchange.method {
        case "GET", "HEAD":
            guard !filter.admits(exchange) else { return nil }
            self = .filtered
        case "OPTIONS", "TRACE", "CONNECT": self = .otherMethod
        default: self = .unsafeMethod
        }
    }
}
