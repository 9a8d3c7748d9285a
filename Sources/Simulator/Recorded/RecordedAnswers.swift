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
    init?(method: String, target: [UInt8]) {
        var canonical = CanonicalTarget()
        guard (try? canonical.parse(target.span)) != nil else { return nil }
        let method = Array((method == "HEAD" ? "GET" : method).utf8) + [0x20]
        key = method + canonical.bytes
        personalKey = method + Array("\(canonical.route.template)".utf8)
        route = canonical.route
    }

    init?(_ exchange: RecordedExchange) {
        self.init(method: exchange.method, target: Array(exchange.target.utf8))
        // The target of a personal one is a route already, with braces in it.
        if exchange.isPersonal {
            self = RecordedRequest(key: Array((exchange.method + " " + exchange.target).utf8), route: route)
        }
    }

    private init(key: [UInt8], route: Route) {
        self.key = key
        personalKey = key
        self.route = route
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
