import AppleMusic
import Recording

/// The keys by which a request is found in a recording.
struct RecordedRequest {
    /// The method and the one spelling of the target.
    let key: [UInt8]
    /// The method and the route, as personal requests are recorded.
    let personalKey: [UInt8]
    let route: Route

    /// nil for targets that cannot be read. A HEAD is answered as the GET, without the content.
    /// - Parameter isRoute: whether the target is a route already, with braces in it.
    init?(method: String, target: [UInt8], isRoute: Bool = false) {
        var canonical = CanonicalTarget()
        guard (try? canonical.parse(target.span)) != nil else { return nil }
        route = canonical.route
        let method = Array((method == "HEAD" && !isRoute ? "GET" : method).utf8) + [0x20]
        key = method + (isRoute ? target : canonical.bytes)
        personalKey = isRoute ? key : method + Array("\(canonical.route.template)".utf8)
    }

    init?(_ exchange: RecordedExchange) {
        self.init(method: exchange.method, target: Array(exchange.target.utf8), isRoute: exchange.isPersonal)
    }

    /// Finds the recorded request that is most like this one.
    ///
    /// A request with the same path comes first, then one with the same route, then any; of several
    /// the one with the most letters in common. The order of `recorded` makes no difference.
    /// - Returns: method and target; empty where nothing is recorded.
    func nearest(among recorded: some Sequence<(key: [UInt8], route: Route)>) -> String {
        let candidates = recorded.map { other in
            let isSamePath = Self.path(of: other.key) == Self.path(of: key)
            let rank = isSamePath ? 2 : other.route.template == route.template ? 1 : 0
            return (key: other.key, rank: rank, likeness: Self.likeness(other.key, key))
        }
        let best = candidates.max { one, other in
            if one.rank != other.rank { return one.rank < other.rank }
            if one.likeness != other.likeness { return one.likeness < other.likeness }
            if one.key.count != other.key.count { return one.key.count > other.key.count }
            return other.key.lexicographicallyPrecedes(one.key)
        }
        return String(decoding: best?.key ?? [], as: UTF8.self)
    }

    private static func path(of key: [UInt8]) -> ArraySlice<UInt8> { key.prefix { $0 != UInt8(ascii: "?") } }

    /// Counts the letters in common at the beginning and at the end.
    private static func likeness(_ one: [UInt8], _ other: [UInt8]) -> Int {
        let beginning = zip(one, other).prefix { $0 == $1 }.count
        let end = zip(one.reversed(), other.reversed()).prefix { $0 == $1 }.count
        return min(beginning + end, one.count, other.count)
    }
}

/// Recorded answers to one request: only those that can be chosen.
struct RecordedAnswers {
    let route: Route
    private var first: RecordedExchange
    private var success: RecordedExchange?
    private var refusal: RecordedExchange?
    /// The first that is known.
    private(set) var upstreamLatency: Duration?

    init(_ exchange: RecordedExchange, _ route: Route) {
        first = exchange
        self.route = route
    }

    mutating func add(_ exchange: RecordedExchange) {
        upstreamLatency = upstreamLatency ?? exchange.upstreamLatency
        guard Self.isWhole(exchange) else { return }
        if !Self.isWhole(first) { first = exchange }
        if success == nil, (200..<300).contains(exchange.status) { success = exchange }
        if refusal == nil, exchange.status == 403 { refusal = exchange }
    }

    /// The recorded refusal for a request without a user token; otherwise the first success, or
    /// else the first answer.
    func choice(hasUserToken: Bool) -> RecordedExchange {
        if !hasUserToken, let refusal { return refusal }
        return success ?? first
    }

    /// Whether it is a complete answer with its content: no 206, no 304, no answer to HEAD.
    static func isWhole(_ exchange: RecordedExchange) -> Bool {
        exchange.method != "HEAD" && exchange.status >= 200 && exchange.status != 206 && exchange.status != 304
            && !exchange.lacksContent
    }
}
