import AppleMusic
import Cache
import Foundation
import Proxy
import Purging
import Server
import Store
import Synchronization
import TestSupport
import Testing

@testable import Compose
@testable import Simulator
@testable import Tier

/// Seeded requests of several clients through a proxy, or through nodes that share an engine, in
/// front of an API that changes and on a clock that the run moves.
final class DifferentialRun {
    private static let clients = 8

    let settings: Settings
    /// One, or the nodes.
    private var proxies: [ProxyUnderTest] = []
    private var clients: [HTTPTestClient] = []
    private let engine: RedisServer?
    private let api: SimulatedAPI
    private let log: OriginLog
    private let origin: ServiceHost
    private let clock: ManualClock
    private let folder: TemporaryFolder?
    private let oracle: Oracle
    private let seen: SeenStates
    private var history: RevisionHistory
    /// When everything of a storefront was purged last, in unix seconds.
    private var purged: [String: Int64] = [:]
    private var generator: RequestGenerator
    /// For composed answers, by a hash of each, how much the proxy knew when it gave them first.
    private var known: [Int: Int] = [:]
    /// The canonical targets of composed answers to HEAD, whose content was not seen.
    private var unseen: Set<[UInt8]> = []
    private var outcome = Outcome()

    init(_ settings: Settings) throws {
        self.settings = settings
        let api = SimulatedAPI(configuration: settings.simulator)
        let clock = ManualClock(1_790_000_000)
        let log = OriginLog(api, clock)
        (self.api, self.clock, self.log) = (api, clock, log)
        origin = try ServiceHost.serving(log)
        folder = settings.disturbEvery > 0 ? try TemporaryFolder() : nil
        engine = settings.nodes > 1 ? try RedisServer() : nil
        oracle = Oracle(api)
        seen = SeenStates(oracle, lifetime: Self.lifetime(of:))
        history = RevisionHistory(api.revision)
        let pool = RequestPool(api, playlists: settings.isAboutLists ? 60 : 15)
        generator = RequestGenerator(
            seed: settings.seed, pool: pool, hasAliases: settings.simulator.peculiarities.contains(.aliases))
        try start()
    }

    private func start() throws {
        var composition = CompositionSettings()
        (composition.batch, composition.trustsDocumentation) = (settings.batches, settings.isDocumented)
        // These runs have fewer resources than are asked for by default.
        if settings.isAboutForms { composition.placements = PlacementDemand(resources: 4, usesOfOne: 8) }
        proxies = try (0..<settings.nodes).map { [clock] node in
            // Large enough that nothing is evicted, which the judge would have to know.
            let cache = ResponseCache(mebibytes: 256, file: folder?.file("cache.sqlite"))
            let tier = engine.map { SharedTier(ofNode: node, $0) }
            tier?.beginLog(in: cache)
            return try ProxyUnderTest(
                originPort: Int(origin.address.port), workers: 2, cache: cache, policy: settings.policy,
                timeOfDay: TimeOfDay { clock.unixSeconds }, composition: composition, tier: tier)
        }
        clients = (0..<Self.clients).map { HTTPTestClient(port: proxies[$0 % proxies.count].port, reopens: true) }
    }

    private func end() {
        for client in clients { client.close() }
        for proxy in proxies { proxy.stop() }
    }

    private var crossings: Int {
        guard let us = Storefront("us") else { return 0 }
        return [ResourceClass.albums, .artists, .songs].reduce(0) {
            $0 + proxies[0].crossings(of: $1, in: us, at: clock.unixSeconds)
        }
    }

    private var built: Int { proxies.reduce(0) { $0 + $1.statistics[.built] } }

    static func outcome(_ settings: Settings) throws -> Outcome {
        let run = try DifferentialRun(settings)
        defer {
            run.end()
            run.origin.stop()
        }
        try run.run()
        var outcome = run.outcome
        (outcome.statistics, outcome.old) = (run.proxies[0].statistics, run.oracle.oldAnswers)
        (outcome.fetched, outcome.crossings) = (run.log.count, run.crossings)
        FigureTable.note("differential \(settings.testDescription)", outcome.description)
        return outcome
    }

    private func run() throws {
        while outcome.answered < settings.requests, outcome.counts.values.reduce(0, +) < settings.mostFailures {
            let before = outcome.answered
            try step()
            if settings.flipAfter > 0, !history.current.isFlipped, outcome.answered >= settings.flipAfter {
                move { $0.flip() }
            }
            // Late answers come before time passes, however slow the machine is.
            if settings.isAboutForms { settle() }
            clock.advance(seconds: generator.number(below: settings.longestStep + 1))
            if settings.disturbEvery > 0, before / settings.disturbEvery != outcome.answered / settings.disturbEvery {
                try disturb()
            }
        }
    }

    private func step() throws {
        let (sent, every) = (outcome.answered, settings.reviseEvery)
        let requests = draw(min(8 + generator.number(below: 24), settings.requests - sent))
        let moves = sent / every != (sent + requests.count) / every
        // The file tells the order of answers by the second.
        let isOrdered = moves && settings.disturbEvery > 0
        let isConcurrent = generator.number(below: 2) == 0 && !isOrdered
        if isOrdered { clock.advance(seconds: 1) }
        if moves, !isConcurrent { move { $0.revise() } }
        let revision = api.revision
        let answers = try isConcurrent ? askTogether(requests, revises: moves) : askInTurn(requests)
        if moves, isConcurrent { history.move(to: api.revision, at: clock.unixSeconds) }
        seen.add(log.take(asOf: moves && isConcurrent ? revision : nil))
        seen.sweep(at: clock.unixSeconds)
        for (request, answer) in zip(requests, answers) {
            if let failure = judge(answer, to: request) { note(failure) }
            if request.user == nil { generator.learn(from: answer.reply.body) }
            outcome.answered += 1
        }
    }

    private func note(_ failure: Failure) {
        outcome.counts[failure.rule, default: 0] += 1
        if outcome.failures.count < 3 { outcome.failures.append(failure) }
    }

    /// Some requests are made several times, and some differ in the id alone.
    private func draw(_ count: Int) -> [OracleRequest] {
        var requests: [OracleRequest] = []
        while requests.count < count {
            if !settings.isAboutLists, !settings.isAboutForms, generator.number(below: 25) == 0 {
                requests += generator.burst().prefix(count - requests.count)
                continue
            }
            let request =
                settings.isAboutLists
                ? generator.nextPage() : settings.isAboutForms ? generator.nextOfFewForms() : generator.next()
            let copies = generator.number(below: 10) == 0 ? 3 : 1
            requests += Array(repeating: request, count: min(copies, count - requests.count))
        }
        return requests
    }

    private func move(_ change: (SimulatedAPI) -> Revision) {
        history.move(to: change(api), at: clock.unixSeconds)
    }

    /// Waits until all answers of the origin have come and are stored.
    private func settle() { waitUntil { !proxies.contains { $0.isAsking } } }

    private func askInTurn(_ requests: [OracleRequest]) throws -> [Answer] {
        try requests.enumerated().map { index, request in
            settle()
            let (position, before) = (log.count, built)
            let reply = try request.send(clients[index % (2 * settings.nodes)])
            return Answer(reply: reply, position: position, isNew: built > before)
        }
    }

    /// All clients at once, so that requests meet; the catalog may be revised meanwhile.
    private func askTogether(_ requests: [OracleRequest], revises: Bool) throws -> [Answer] {
        settle()
        let position = log.count
        let replies = Mutex<[Int: Result<HTTPTestClient.Reply, any Error>]>([:])
        let api = api
        let clients = clients.map(ConfinedClient.init)
        concurrently(clients.count) { number in
            for index in stride(from: number, to: requests.count, by: Self.clients) {
                let reply = Result { try requests[index].send(clients[number].client) }
                replies.withLock { $0[index] = reply }
                if revises, index == 0 { api.revise() }
            }
        }
        // A refresh in the background may compose an answer too.
        let mayBeNew = settings.staleFor == 0
        return try replies.withLock { replies in
            try requests.indices.compactMap { index in
                try replies[index].map {
                    Answer(reply: try $0.get(), position: position, isNew: mayBeNew ? nil : false)
                }
            }
        }
    }

    /// Purges a storefront or what names a resource, or restarts with the file.
    private func disturb() throws {
        settle()
        outcome.disturbances += 1
        switch outcome.disturbances % 3 {
        case 0:
            let storefront = ["us", "gb", "de"][generator.number(below: 3)]
            purge(.storefront(Array(storefront.utf8)))
            purged[storefront] = clock.unixSeconds
        case 1: try restart()
        default:
            let name = ResourceName(type: .artists, id: Array(generator.anyID(of: "artists").utf8))
            purge(.resource(name.number))
        }
    }

    private func purge(_ condition: EntrySelection.Condition) {
        proxies[0].cache.purgeAndWait(EntrySelection([condition]), .hard, at: clock.unixSeconds)
        seen.add(log.take())
        seen.forget()
    }

    private func restart() throws {
        end()
        try start()
        waitUntil { proxies.allSatisfy(\.isIndexComplete) }
        (known, unseen) = ([:], [])
    }
}

// MARK: - Judging

extension DifferentialRun {
    /// A reply and how much the proxy knew before it.
    private struct Answer {
        let reply: HTTPTestClient.Reply
        /// The answers of the origin before it were stored.
        let position: Int
        /// Whether it was composed just then; nil where that is not known.
        let isNew: Bool?
    }

    private func judge(_ answer: Answer, to request: OracleRequest) -> Failure? {
        let reply = answer.reply
        let age = AnswerAge(
            lifetime: settings.longestLifetime, staleFor: settings.staleFor,
            slack: settings.lag + (settings.staleFor > 0 ? settings.longestStep : 0))
        let (status, aged) = (reply.field("Cache-Status"), reply.field("Age"))
        var difference: Difference?
        if let most = age.most(cacheStatus: status, age: aged) {
            let now = clock.unixSeconds
            let shapesSince = now - Int64(settings.longestLifetime - 1 + settings.staleFor)
            let since = max(now - Int64(most), purge(of: request))
            let revisions = history.revisions(since: since, shapesSince: shapesSince)
            difference = oracle.judge(reply, to: request, revisions) ?? superseded(answer, request, revisions)
        } else {
            difference = Difference(path: "Age", reason: "\(aged ?? "") is older than it may be")
        }
        guard let difference else { return nil }
        return Failure(
            rule: difference.rule,
            description: """
                seed \(settings.seed), request \(outcome.answered), revision \(history.current.catalog)\
                \(history.current.isFlipped ? " flipped" : ""): \(request.method) \(request.target)
                Cache-Status: \(status ?? "none"); Age: \(aged ?? "none")
                \(difference)
                """)
    }

    private func purge(of request: OracleRequest) -> Int64 {
        let elements = SimulatorTarget(request.simulated.target).elements
        return elements.count > 2 ? purged[elements[2]] ?? .min : .min
    }

    /// Composed answers alone: whether the proxy knew better when it composed this one.
    private func superseded(_ answer: Answer, _ request: OracleRequest, _ revisions: [Revision]) -> Difference? {
        let reply = answer.reply
        guard reply.isComposed else { return nil }
        outcome.composed += 1
        // A node does not know the answers that the others got.
        guard settings.nodes == 1, settings.isOrdered else { return nil }
        let target = (try? CanonicalTarget(request.target))?.bytes ?? []
        guard request.method == "GET" else {
            unseen.insert(target)
            return nil
        }
        let position = composedAt(answer, target)
        // Most answers are of the latest revision, and nothing is newer.
        guard position > 0, reply.status == 200, oracle.saying(request, at: revisions[0]).body != reply.body,
            let document = try? JSONNode.parse([UInt8](reply.body))
        else { return nil }
        return SupersededParts(seen, oracle, request, revisions, before: position, at: clock.unixSeconds)?
            .first(in: document)
    }

    /// How many answers of the origin the proxy had when it composed this one; 0 where that is not
    /// known. A composed answer is stored, and given again.
    private func composedAt(_ answer: Answer, _ target: [UInt8]) -> Int {
        let body = answer.reply.body.hash
        let isNew = answer.isNew ?? (known[body] == nil && !unseen.contains(target))
        let position = isNew ? answer.position : known[body] ?? 0
        known[body] = position
        return position
    }
}

extension Data {
    /// A hash of all bytes, which `hashValue` is not.
    fileprivate var hash: Int {
        var hasher = Hasher()
        withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

extension HTTPTestClient.Reply {
    /// Whether the proxy made it out of stored answers.
    fileprivate var isComposed: Bool {
        guard let status = field("Cache-Status") else { return false }
        return ["composed", "reduced", "split", "window", "batched"].contains { status.contains("detail=\($0)") }
    }
}

/// A client that one thread at a time uses.
struct ConfinedClient: @unchecked Sendable {  // because the thread that hands it over waits for the other
    let client: HTTPTestClient

    init(_ client: HTTPTestClient) { self.client = client }
}
