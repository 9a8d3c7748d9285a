import AppleMusic
import Compose
import Dispatch
import Foundation
import Proxy
import Server
import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import Simulator

/// Seeded requests of several clients through a proxy, in front of an API that changes and on a
/// clock that the run moves.
final class DifferentialRun {
    struct Settings: Sendable, CustomTestStringConvertible {
        let seed: UInt64
        var requests = 2500
        /// How long an answer may be served stale.
        var staleFor = 0
        /// The most seconds that pass at once.
        var longestStep = 3
        /// The catalog is revised after about so many requests.
        var reviseEvery = 400
        /// The shapes flip after so many requests; 0 for never.
        var flipAfter = 0
        var nestedAlbums = SimulatorConfiguration.NestedAlbums.always
        var batches = false
        /// How pages of lists are cut, and where they have gaps.
        var listCut = SimulatorConfiguration.ListCut.first
        var storefrontsWithGaps: Set<String>?
        var unavailablePercent: Int?
        /// Which relationships resources show unasked.
        var relationHabit = SimulatorConfiguration.RelationHabit.documented
        /// What answers are judged by; every class has a shorter one, or this, in seconds.
        var longestLifetime = 60

        var testDescription: String { "seed \(seed), stale for \(staleFor) s, flip after \(flipAfter)" }
    }

    /// What is wrong with an answer.
    struct Failure: Sendable, CustomStringConvertible {
        let description: String
    }

    private static let clients = 8

    let settings: Settings
    let proxy: ProxyUnderTest
    private let api: SimulatedAPI
    private let origin: ServiceHost
    private let clock = ManualClock(1_790_000_000)
    private let clients: [HTTPTestClient]
    private let oracle: Oracle
    private var history: RevisionHistory
    private var generator: RequestGenerator
    private var sent = 0

    init(_ settings: Settings) throws {
        self.settings = settings
        var configuration = SimulatorConfiguration()
        configuration.requiresAuthorization = false
        configuration.artists = 400
        configuration.playlists = 100
        configuration.nestedAlbums = settings.nestedAlbums
        configuration.listCut = settings.listCut
        configuration.storefrontsWithGaps = settings.storefrontsWithGaps
        configuration.unavailablePercent = settings.unavailablePercent
        configuration.relationHabit = settings.relationHabit
        let api = SimulatedAPI(configuration: configuration)
        self.api = api
        origin = try ServiceHost(
            label: "simulated", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { context in SimulatorService(api, context: context) }
        let clock = clock
        var composition = CompositionSettings()
        composition.batch = settings.batches
        proxy = try ProxyUnderTest(
            originPort: Int(origin.address.port), workers: 2, policy: Self.policy(staleFor: settings.staleFor),
            timeOfDay: TimeOfDay { clock.unixSeconds }, composition: composition)
        let port = proxy.port
        clients = (0..<Self.clients).map { _ in HTTPTestClient(port: port, reopens: true) }
        oracle = Oracle(api)
        history = RevisionHistory(api.revision)
        generator = RequestGenerator(seed: settings.seed, pool: RequestPool(api))
    }

    /// Each class has a lifetime of its own, of 20 to 60 s.
    private static func policy(staleFor: Int) -> Policy {
        var policy = Policy()
        for resourceClass in ResourceClass.allCases where resourceClass != .personal && resourceClass != .other {
            policy[resourceClass] = .fixed(20 + 10 * Int(resourceClass.rawValue % 5), stale: staleFor)
        }
        policy.notFound = .fixed(20, stale: 0)
        return policy
    }

    /// How many right answers were not what the API says by now.
    var oldAnswers: Int { oracle.oldAnswers }

    func stop() {
        for client in clients { client.close() }
        proxy.stop()
        origin.stop()
    }

    /// What came of a run.
    struct Outcome: Sendable {
        let failure: Failure?
        let statistics: StatisticsSource
        let oldAnswers: Int
    }

    static func outcome(_ settings: Settings) throws -> Outcome {
        let run = try DifferentialRun(settings)
        defer { run.stop() }
        let failure = try run.run()
        return Outcome(failure: failure, statistics: run.proxy.statistics, oldAnswers: run.oldAnswers)
    }

    /// Makes all requests; ends with the first wrong answer.
    func run() throws -> Failure? {
        while sent < settings.requests {
            let requests = draw(min(8 + generator.number(below: 24), settings.requests - sent))
            let isConcurrent = generator.number(below: 2) == 0
            let moves = sent / settings.reviseEvery != (sent + requests.count) / settings.reviseEvery
            if moves, !isConcurrent { move { $0.revise() } }
            let replies = try isConcurrent ? askTogether(requests, revises: moves) : askInTurn(requests)
            if moves, isConcurrent { history.move(to: api.revision, at: clock.unixSeconds) }
            for (request, reply) in zip(requests, replies) {
                if let failure = judge(reply, to: request) { return failure }
                if request.user == nil { generator.learn(from: reply.body) }
                sent += 1
            }
            if settings.flipAfter > 0, !history.current.isFlipped, sent >= settings.flipAfter { move { $0.flip() } }
            clock.advance(seconds: generator.number(below: settings.longestStep + 1))
        }
        return nil
    }

    /// Some requests are made by several clients at about the same time, and some differ in nothing
    /// but the id.
    private func draw(_ count: Int) -> [OracleRequest] {
        var requests: [OracleRequest] = []
        while requests.count < count {
            if generator.number(below: 25) == 0 {
                requests += generator.burst().prefix(count - requests.count)
                continue
            }
            let request = generator.next()
            let copies = generator.number(below: 10) == 0 ? 3 : 1
            requests += Array(repeating: request, count: min(copies, count - requests.count))
        }
        return requests
    }

    private func move(_ change: (SimulatedAPI) -> Revision) {
        history.move(to: change(api), at: clock.unixSeconds)
    }

    private static func ask(_ client: HTTPTestClient, _ request: OracleRequest) throws -> HTTPTestClient.Reply {
        try client.send(
            request.method, request.target, fields: request.user.map { [("Music-User-Token", $0)] } ?? [])
    }

    private func askInTurn(_ requests: [OracleRequest]) throws -> [HTTPTestClient.Reply] {
        try requests.enumerated().map { try Self.ask(clients[$0.offset % 2], $0.element) }
    }

    /// All clients at once, so that requests meet on their way; the catalog may be revised among
    /// them.
    private func askTogether(_ requests: [OracleRequest], revises: Bool) throws -> [HTTPTestClient.Reply] {
        let replies = Mutex<[Int: Result<HTTPTestClient.Reply, any Error>]>([:])
        let api = api
        let clients = clients.map(ConfinedClient.init)
        concurrently(clients.count) { number in
            for index in stride(from: number, to: requests.count, by: Self.clients) {
                let reply = Result { try Self.ask(clients[number].client, requests[index]) }
                replies.withLock { $0[index] = reply }
                if revises, index == 0 { api.revise() }
            }
        }
        return try replies.withLock { replies in
            try requests.indices.compactMap { try replies[$0]?.get() }
        }
    }

    private func judge(_ reply: HTTPTestClient.Reply, to request: OracleRequest) -> Failure? {
        let age = AnswerAge(
            lifetime: settings.longestLifetime, staleFor: settings.staleFor,
            slack: settings.staleFor > 0 ? settings.longestStep : 0)
        let (status, aged) = (reply.field("Cache-Status"), reply.field("Age"))
        var difference: Difference?
        if let most = age.most(cacheStatus: status, age: aged) {
            let now = clock.unixSeconds
            let shapesSince = now - Int64(settings.longestLifetime - 1 + settings.staleFor)
            let revisions = history.revisions(since: now - Int64(most), shapesSince: shapesSince)
            difference = oracle.judge(reply, to: request, revisions)
        } else {
            difference = Difference(path: "Age", reason: "\(aged ?? "") is older than it may be")
        }
        guard let difference else { return nil }
        return Failure(
            description: """
                seed \(settings.seed), request \(sent), revision \(history.current.catalog)\
                \(history.current.isFlipped ? " flipped" : ""): \(request.method) \(request.target)
                Cache-Status: \(status ?? "none"); Age: \(aged ?? "none")
                \(difference)
                """)
    }
}

/// A client that one thread at a time uses.
struct ConfinedClient: @unchecked Sendable {  // because the thread that hands it over waits for the other
    let client: HTTPTestClient

    init(_ client: HTTPTestClient) {
        self.client = client
    }
}
