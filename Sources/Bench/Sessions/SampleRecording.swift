import Foundation
import Recording
import Simulator
import Text

// The recording that is shipped for demonstrations and tests: sessions of three apps, asked of the
// simulated API. What must hold: it follows from the seeds alone, so that every run gives the same
// bytes; and the simulated API with its standard seed still says what the recording says of an
// answer.

/// `bench trace`.
enum SampleRecording {
    /// Where it is kept.
    static let path = "Sources/Documentation/examples/sessions.jsonl"
    private static let seed: UInt64 = 7
    private static let requests = 1_300
    /// What the bodies of one kind of request may take together, so that all stay small. Once they
    /// do, only what was asked for before is asked for again.
    private static let mostBytesOfAKind = 60 << 10
    /// The first of them: 2026-11-22T09:00:00Z.
    private static let start = Timestamp(microseconds: 1_795_338_000_000_000)

    static func run() throws {
        let files = make()
        try Data(files.lines).write(to: URL(fileURLWithPath: path))
        try Data(files.bodies).write(to: URL(fileURLWithPath: RecordedBodies.path(beside: path)))
        report("  \(path): \(files.lines.count) bytes of lines, \(files.bodies.count) of bodies")
    }

    /// Both files.
    static func make() -> (lines: [UInt8], bodies: [UInt8]) {
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        let observed = ObservedAPI(configuration)
        let generator = TraceGenerator(
            api: observed, pool: MusicPool(observed, artistLimit: 4, exponent: 1.2), seed: seed, spacing: 800...4_000)
        let trace = generator.trace("sample", TraceGenerator.mixed, requests: requests)
        var asked = inOrder(trace, seed: seed)
        asked += SampleVisits.requests(until: trace.length, seed: seed)
        asked.sort { ($0.due, $0.target) < ($1.due, $1.target) }
        return record(asked, SimulatedAPI(configuration: configuration))
    }

    /// When the requests of a trace go out, if an app that needs an answer first waits for it.
    private static func inOrder(_ trace: SessionTrace, seed: UInt64) -> [SampleRequest] {
        var random = SplitMix64(seed: seed &+ 1)
        var asked: [SampleRequest] = []
        for request in trace.requests {
            var sample = SampleRequest(
                due: request.due, target: request.target, latency: SampleRequest.latency(&random),
                kind: RequestKind(SimulatorTarget(Array(request.target.utf8))))
            if let predecessor = request.predecessor.map({ asked[$0] }) {
                sample.due = max(
                    sample.due, predecessor.due + predecessor.latency + Int.random(in: 2...25, using: &random))
            }
            asked.append(sample)
        }
        return asked
    }

    private static func record(_ asked: [SampleRequest], _ api: SimulatedAPI) -> (lines: [UInt8], bodies: [UInt8]) {
        var lines = RecordingHeader(started: start, program: "refrain").line
        var bodies: [UInt8] = []
        var held: Set<BodyHash> = []
        var spent: [RequestKind: Int] = [:]
        for request in asked {
            let (exchange, body) = request.exchange(with: api, after: start)
            if let hash = exchange.body, !held.contains(hash) {
                if let kind = request.kind {
                    guard spent[kind, default: 0] + body.count <= mostBytesOfAKind else { continue }
                    spent[kind, default: 0] += body.count
                }
                held.insert(hash)
                bodies += RecordedBodies.record(hash, body)
            }
            lines += exchange.line
        }
        return (lines, bodies)
    }
}

/// What a request is about.
enum RequestKind {
    /// `/{type}/{id}` and `/{type}?ids=`, without and with `include`, `extend` or the like.
    case single, decorated, batch, decoratedBatch
    /// `/{type}/{id}/{relationship or view}`: the window at the beginning, and one further down.
    case firstPage, furtherPage
    /// `typing`: hints, asked for at every key.
    case charts, search, typing
    case other

    init(_ target: SimulatorTarget) {
        let isDecorated = target.parameters.contains { ["include", "extend", "views"].contains($0.name) }
        switch (target.elements.dropFirst(3).first, target.elements.count) {
        case ("charts"?, _): self = .charts
        case ("search"?, 4): self = .search
        case ("search"?, _): self = .typing
        case (_, 4) where target.first("ids") != nil: self = isDecorated ? .decoratedBatch : .batch
        case (_, 5): self = isDecorated ? .decorated : .single
        case (_, 6...): self = (target.first("offset") ?? "0") == "0" ? .firstPage : .furtherPage
        default: self = .other
        }
    }
}

/// One request of the recording.
struct SampleRequest {
    /// Milliseconds since the recording began.
    var due: Int
    var method = "GET"
    var target: String
    /// Milliseconds that the origin takes.
    var latency: Int
    /// Whose, of a personal one.
    var user: Int?
    var body = ""
    /// nil for what is asked for whatever it takes.
    var kind: RequestKind?

    /// As of an origin on another continent: mostly 60 to 120 ms, sometimes much more.
    static func latency(_ random: inout SplitMix64) -> Int {
        Int.random(in: 60...120, using: &random) + (Int.random(in: 0..<20, using: &random) == 0 ? 400 : 0)
    }

    func exchange(with api: SimulatedAPI, after start: Timestamp) -> (RecordedExchange, [UInt8]) {
        var fields = [SimulatorField("Accept-Encoding", "gzip")]
        if let user { fields.append(SimulatorField("Music-User-Token", "user-\(user)")) }
        let time = start + .milliseconds(due)
        let answer = api.respond(
            to: SimulatorRequest(
                method: method, target: Array(target.utf8), fields: fields, body: Array(body.utf8),
                nowUnixSeconds: time.microseconds / 1_000_000))
        var exchange = RecordedExchange(
            time: time, offset: .milliseconds(due), method: method, target: target, status: answer.status,
            latency: .milliseconds(latency), length: answer.body.count)
        exchange.upstreamLatency = .milliseconds(latency)
        exchange.requestFields = fields.compactMap { $0.kept(RecordedFields.ofRequests) }
        exchange.fields = answer.fields.compactMap { $0.kept(RecordedFields.ofAnswers) }
        if !answer.body.isEmpty { exchange.body = BodyHash(of: answer.body) }
        return (exchange.withoutPersonalParts(tellsWhoAsks: false) ?? exchange, answer.body)
    }
}

/// What the sessions of the benchmark do not have: users' own libraries, other storefronts, and
/// requests for what is not there.
enum SampleVisits {
    static func requests(until end: Int, seed: UInt64) -> [SampleRequest] {
        var random = SplitMix64(seed: seed &+ 2)
        var requests: [SampleRequest] = []
        var now = 1_500
        while now < end {
            var due = now
            for (method, target, user, body) in visit(&random) {
                let latency = SampleRequest.latency(&random)
                requests.append(
                    SampleRequest(due: due, method: method, target: target, latency: latency, user: user, body: body))
                due += latency + Int.random(in: 5...900, using: &random)
            }
            now += Int.random(in: 3_000...12_000, using: &random)
        }
        return requests
    }

    private typealias Request = (method: String, target: String, user: Int?, body: String)

    private static func visit(_ random: inout SplitMix64) -> [Request] {
        let user = Int.random(in: 1...5, using: &random)
        let storefront = ["de", "jp", "fr", "gb", "us"][Int.random(in: 0..<5, using: &random)]
        let catalog = "/v1/catalog/\(storefront)/"
        switch Int.random(in: 0..<5, using: &random) {
        case 0:
            return [
                ("GET", "/v1/me/storefront", user, ""), ("GET", "/v1/me/library/songs?limit=25", user, ""),
                ("GET", "/v1/me/recent/played/tracks", user, ""),
            ]
        case 1:
            return [
                ("GET", "/v1/me/recommendations", user, ""),
                ("PUT", "/v1/me/ratings/songs/1000000", user, #"{"type":"rating","attributes":{"value":1}}"#),
            ]
        case 2:
            return [
                ("GET", "/v1/storefronts/\(storefront)", nil, ""), ("GET", catalog + "genres", nil, ""),
                ("GET", catalog + "charts?types=songs&limit=3", nil, ""),
            ]
        case 3:
            return [
                ("GET", catalog + "search/hints?term=lo&limit=5", nil, ""),
                ("GET", catalog + "search?term=love&types=songs,artists&limit=2", nil, ""),
            ]
        default:
            return [
                ("GET", catalog + "songs/404404404", nil, ""), ("GET", catalog + "albums?ids=404404404", nil, ""),
                ("GET", "/v1/catalog/zz/genres", nil, ""),
            ]
        }
    }
}
