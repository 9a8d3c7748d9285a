import AppleMusic
import Foundation
import Purging
import Server
import Synchronization
import TestSupport
import Testing

@testable import Cache
@testable import Tier

/// A hunt in one world: steps by chance through a real proxy, or nodes, with every answer judged.
final class HuntRun {
    private static let clients = 6

    let world: HuntWorld
    private let clock = ManualClock(HuntOrigin.start)
    private let origin: HuntOrigin
    private let scripted: ScriptedOrigin
    private let engine: RedisServer?
    private var folder: TemporaryFolder
    private var proxies: [ProxyUnderTest] = []
    private var clients: [[HTTPTestClient]] = []
    private var draw: HuntDraw
    private var oracle: HuntOracle
    private var history = HuntHistory()
    private var outcome = HuntOutcome()
    /// How the origin fails, and for how many further steps.
    private var failure: (how: HuntOrigin.Failure, steps: Int)?
    /// Whether each step is printed.
    private let isTraced: Bool

    private init(_ world: HuntWorld, isTraced: Bool) throws {
        (self.world, self.isTraced) = (world, isTraced)
        origin = HuntOrigin(world, clock)
        scripted = try ScriptedOrigin([.serve { [origin] in origin.answer($0) }])
        engine = world.traits.nodes > 1 ? try RedisServer() : nil
        folder = try TemporaryFolder()
        draw = HuntDraw(seed: world.seed, world.traits)
        oracle = HuntOracle(world)
        try start()
    }

    /// The outcome of as many steps.
    static func outcome(
        _ world: HuntWorld, steps: Int, mostFindings: Int = 3, isTraced: Bool = false
    ) throws -> HuntOutcome {
        let run = try HuntRun(world, isTraced: isTraced)
        defer {
            run.end()
            run.scripted.stop()
        }
        for _ in 0..<steps where run.outcome.findings.count < mostFindings && !TimeLimit.hasPassed {
            try run.step()
        }
        for target in run.origin.unknown.prefix(3) {
            run.outcome.findings.append(.init(rule: .form, text: "the proxy asks for \(target)"))
        }
        run.outcome.fetched = run.origin.count
        return run.outcome
    }

    // MARK: The proxy

    private func start() throws {
        let traits = world.traits
        proxies = try (0..<traits.nodes).map { [clock, folder] node in
            let file = FileTier.open(path: folder.file("cache\(node).sqlite"), maxBytes: 512 << 20) { print($0) }
            let cache = ResponseCache(memory: MemoryTier(maxBytes: traits.memoryBytes), file: file)
            let tier = engine.map { SharedTier(ofNode: node, $0) }
            tier?.beginLog(in: cache)
            return try ProxyUnderTest(
                originPort: Int(scripted.port), cache: cache, policy: traits.policy,
                timeOfDay: TimeOfDay { clock.unixSeconds }, composition: traits.composition, tier: tier)
        }
        clients = proxies.map { proxy in
            (0..<Self.clients).map { _ in HTTPTestClient(port: proxy.port, reopens: true) }
        }
    }

    private func end() {
        for client in clients.joined() { client.close() }
        for proxy in proxies { proxy.stop() }
    }

    /// A URL is always sent to one node.
    private func node(of request: HuntRequest) -> Int {
        request.target.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % proxies.count
    }

    /// Waits until all answers of the origin have come.
    private func settle() { waitUntil { !proxies.contains { $0.isAsking } } }

    /// Restarts, or leaves the files as a kill does and goes on with them.
    private func restart(isKilled: Bool) throws {
        settle()
        if isKilled {
            for proxy in proxies { proxy.cache.flush() }
            let copy = try TemporaryFolder()
            for name in try folder.names {
                try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
            }
            let (former, formerFolder) = (proxies, folder)
            folder = copy
            for client in clients.joined() { client.close() }
            try start()
            for proxy in former { proxy.stop() }
            withExtendedLifetime(formerFolder) {}
        } else {
            end()
            try start()
        }
        // Until floors are read, older answers stand in.
        waitUntil { proxies.allSatisfy(\.isIndexComplete) }
        oracle.noteLoss()
        outcome.restarts += 1
    }

    private func key(_ request: HuntRequest) -> CacheKey {
        var canonical = CanonicalTarget()
        try? canonical.parse(Array(request.target.utf8).span)
        return CacheKey(of: .none, scope: .shared, target: canonical.bytes)
    }

    private func purge(_ purge: HuntPurge) {
        let condition: [EntrySelection.Condition] =
            switch purge.scope {
            case .everything: []
            case .storefront(let storefront): [.storefront(Array(storefront.utf8))]
            case .target(let request): [.target(Array(key(request).target))]
            case .resource(let name): [.resource(name.resource.number)]
            }
        for proxy in proxies {
            proxy.cache.purgeAndWait(EntrySelection(condition), purge.isHard ? .hard : .soft, at: clock.unixSeconds)
        }
        oracle.note(purge)
        outcome.purges += 1
    }

    private func evict(_ request: HuntRequest, fromFile: Bool) {
        for proxy in proxies {
            proxy.cache.memory.remove(key(request))
            if fromFile { proxy.cache.file?.remove(key(request)) }
        }
        oracle.noteLoss()
    }
}

// MARK: - Steps

extension HuntRun {
    private func step() throws {
        if let running = failure {
            failure = running.steps > 0 ? (running.how, running.steps - 1) : nil
            if failure == nil {
                settle()
                origin.fail(nil)
                note("the origin answers again")
            }
        }
        switch draw.action() {
        case .ask(let request, let isSpeltOtherwise):
            try ask(request, .get, isSpeltOtherwise ? request.otherTarget : request.target)
        case .askAgain(let request, let manner): try ask(request, self.manner(manner, request), request.target)
        case .askTogether(let requests):
            if world.traits.isInTurn {
                for request in requests { try ask(request, .get, request.target) }
            } else {
                try askTogether(requests)
            }
        case .pass(let seconds):
            settle()
            clock.advance(seconds: seconds)
        case .purge(let scope, let isHard):
            // Other nodes may have stored answers meanwhile, which may be older than the purge.
            guard proxies.count == 1 else { return }
            settle()
            let purge = HuntPurge(scope: scope, isHard: isHard, moment: origin.moment)
            self.purge(purge)
            note("\(purge)")
        case .evict(let requests, let fromFile):
            for request in requests {
                evict(request, fromFile: fromFile)
                let text = "\(origin.moment) s: eviction\(fromFile ? "" : " from memory")"
                history.note(request, text)
                trace("\(request.target) \(text)")
            }
        case .restart(let isKilled):
            try restart(isKilled: isKilled)
            note("restart\(isKilled ? " after a kill" : "")")
        case .fail(let how):
            settle()
            origin.fail(how)
            failure = (how, draw.number(below: 12))
            note("the origin fails: \(how)")
        }
    }

    private func note(_ text: String) {
        history.note("\(origin.moment) s: \(text)")
        trace("\(origin.moment) s: \(text)")
    }

    private func trace(_ text: @autoclosure () -> String) {
        if isTraced { print(text()) }
    }

    private func manner(_ manner: HuntAction.Manner, _ request: HuntRequest) -> HuntManner {
        switch manner {
        case .head: return .head
        case .condition: return oracle.tag(of: request).map { .condition($0) } ?? .get
        case .range:
            let first = draw.number(below: 2000)
            return .range(first, first + draw.number(below: 2000))
        }
    }

    private func ask(_ request: HuntRequest, _ manner: HuntManner, _ target: String) throws {
        takeOriginAnswers()
        let client = clients[node(of: request)][0]
        let reply = HuntReply(try client.send(manner.method, target, fields: manner.fields))
        if draw.number(below: 2) == 0 { settle() }
        judge([(request, manner, reply)])
    }

    /// All at once; each is judged by what was shown before all of them.
    private func askTogether(_ requests: [HuntRequest]) throws {
        settle()
        takeOriginAnswers()
        let replies = Mutex<[Int: Result<HTTPTestClient.Reply, any Error>]>([:])
        let confined = requests.enumerated().map { ConfinedClient(clients[node(of: $1)][$0]) }
        let targets = requests.map(\.target)
        concurrently(requests.count) { number in
            let reply = Result { try confined[number].client.send("GET", targets[number]) }
            replies.withLock { $0[number] = reply }
        }
        let all = replies.withLock { $0 }
        judge(
            try requests.enumerated().compactMap { number, request in
                try all[number].map { (request, HuntManner.get, HuntReply(try $0.get())) }
            })
    }

    /// Tells the oracle of the origin's answers that have come by now.
    private func takeOriginAnswers() {
        guard proxies.count == 1, !proxies[0].isAsking else { return }
        for entry in origin.take() {
            trace("    origin \(entry.moment) s: \(entry.status) \(entry.target)\(entry.isWhole ? "" : " fails")")
            guard entry.isWhole, let request = HuntRequest(target: entry.target) else { continue }
            oracle.noteOrigin(request, at: entry.moment)
        }
    }

    private func judge(_ replies: [(request: HuntRequest, manner: HuntManner, reply: HuntReply)]) {
        let verdicts = replies.map { request, manner, reply in
            oracle.verdict(on: reply, to: request, manner, at: origin.moment, whileFailing: failure?.how)
        }
        for (verdict, each) in zip(verdicts, replies) {
            let (request, manner, reply) = each
            outcome.note(reply, manner, isJudged: verdict.isJudged)
            let line = line(verdict, manner, reply)
            history.note(request, line)
            trace("\(request.target) \(line)")
            if !verdict.faults.isEmpty { report(verdict, request) }
            oracle.note(verdict, reply, to: request, manner)
        }
    }

    private func line(_ verdict: HuntVerdict, _ manner: HuntManner, _ reply: HuntReply) -> String {
        let sights = verdict.sights.prefix(12).map { "\($0.thing) of \($0.earliest)-\($0.latest)" }
        return """
            \(origin.moment) s: \(manner) \(reply.status), \(reply.age.map { "\($0) s old, " } ?? "")\
            \(reply.summary): \(sights.joined(separator: ", "))
            """
    }

    private func report(_ verdict: HuntVerdict, _ request: HuntRequest) {
        outcome.differing += 1
        guard let first = verdict.faults.first else { return }
        let text = """
            world "\(world.traits.name)", seed \(world.seed), answer \(outcome.answers), \(origin.moment) s: \
            \(request.target)
            again with REFRAIN_HUNT="\(world.seed) \(world.traits.name)"
            \(verdict.faults.prefix(4).map(\.description).joined(separator: "\n"))
            \(history.of(request).joined(separator: "\n"))
            """
        outcome.findings.append(.init(rule: first.rule, text: text))
    }
}

extension HuntName {
    /// The name as the proxy's index has it.
    fileprivate var resource: ResourceName {
        let type: ResourceClass =
            switch type {
            case .albums: .albums
            case .artists: .artists
            case .genres: .genres
            case .playlists: .playlists
            case .songs: .songs
            }
        return ResourceName(type: type, id: Array("\(id)".utf8))
    }
}
