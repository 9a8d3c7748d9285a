import Text

/// One session of one app, as it is being written: what it asks for, and when.
struct SessionScript {
    let app: ClientApp
    let storefront: String
    let pool: MusicPool
    let api: ObservedAPI
    var random: SplitMix64
    /// Milliseconds since the trace began.
    private var now: Int
    private let launch: UInt64
    /// In the order in which they are sent; their predecessors are places in this session.
    private(set) var requests: [TraceRequest] = []

    init(_ app: ClientApp, _ pool: MusicPool, _ api: ObservedAPI, seed: UInt64, start: Int) {
        self.app = app
        self.pool = pool
        self.api = api
        random = SplitMix64(seed: seed)
        now = start
        launch = random.next()
        storefront = Int.random(in: 0..<100, using: &random) < 80 ? "us" : "gb"
    }

    /// Asks for a path of the catalog.
    ///
    /// - Parameter isAlongside: whether the app sends it without waiting for the answer to the
    ///   request before it.
    @discardableResult
    mutating func ask(
        _ path: String, _ parameters: [(name: String, value: String)] = [], alongside isAlongside: Bool = false
    ) -> ObservedAnswer {
        var parameters = parameters
        if app == .web, storefront == "gb", launch % 3 == 0 { parameters.append(("l", "en-GB")) }
        return send("/v1/catalog/\(storefront)/\(path)" + app.query(parameters, launch: launch), isAlongside)
    }

    /// Asks for a target that an answer named.
    @discardableResult
    mutating func follow(_ target: String) -> ObservedAnswer { send(target, false) }

    private mutating func send(_ target: String, _ isAlongside: Bool) -> ObservedAnswer {
        let answer = api[target]
        let predecessor = isAlongside ? requests.last?.predecessor : requests.indices.last
        requests.append(
            TraceRequest(
                target: target, kind: RequestKind(TraceTarget(target)), due: now, status: answer.status,
                predecessor: predecessor))
        now += Int.random(in: 2...25, using: &random)
        return answer
    }

    /// The user looks at what is there, in milliseconds.
    mutating func think(_ range: ClosedRange<Int>) {
        now += Int.random(in: range, using: &random)
    }

    /// Whether this user has updated the app.
    var isNewVersion: Bool { launch / 2 % 2 == 0 }

    /// A list of what the app keeps in a set: in this phone app, the order differs from launch to
    /// launch.
    func set(_ names: String...) -> String {
        (launch % 2 == 0 ? names : names.reversed()).joined(separator: ",")
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}
