/// One session of one app, as it is being written: what it asks for, and when.
struct SessionScript {
    let app: ClientApp
    let storefront: String
    let pool: MusicPool
    let api: ObservedAPI
    var random: SeededNumbers
    /// Milliseconds since the trace began.
    private var now: Int
    private let launch: UInt64
    private(set) var requests: [TraceRequest] = []

    init(_ app: ClientApp, _ pool: MusicPool, _ api: ObservedAPI, seed: UInt64, start: Int) {
        self.app = app
        self.pool = pool
        self.api = api
        random = SeededNumbers(seed: seed)
        now = start
        launch = random.next()
        storefront = Int.random(in: 0..<100, using: &random) < 75 ? "us" : "gb"
    }

    /// Asks for a path of the catalog.
    @discardableResult
    mutating func ask(_ path: String, _ parameters: [(name: String, value: String)] = []) -> ObservedAnswer {
        var parameters = parameters
        if app == .web, storefront == "gb" { parameters.append(("l", "en-GB")) }
        return send("/v1/catalog/\(storefront)/\(path)" + app.query(parameters, launch: launch))
    }

    /// Asks for a target that an answer named.
    @discardableResult
    mutating func follow(_ target: String) -> ObservedAnswer { send(target) }

    private mutating func send(_ target: String) -> ObservedAnswer {
        let answer = api[target]
        requests.append(
            TraceRequest(target: target, kind: RequestKind(TraceTarget(target)), due: now, status: answer.status))
        now += Int.random(in: 2...25, using: &random)
        return answer
    }

    /// The user looks at what is there, in milliseconds.
    mutating func think(_ range: ClosedRange<Int>) {
        now += Int.random(in: range, using: &random)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func pick<Element>(_ choices: [Element]) -> Element {
        choices[Int.random(in: 0..<choices.count, using: &random)]
    }
}
