import Cache
import Freshness
import Glibc
import Purging
import TestSupport
import Testing

@testable import Tier

/// Three real nodes and a real engine against a model: a purged answer is never used, whole or as a
/// part, and a purge changes nothing for answers that it did not choose.
@Suite(.timeLimit(.minutes(20)), .requires(.redis)) struct NodePropertyTests {
    @Test(arguments: Array(1...TestSize.of(4, release: 200)) as [UInt64])
    func nodesDoAsAModelThatForgetsNothing(seed: UInt64) async throws {
        let run = try NodeRun(seed)
        for _ in 0..<120 { try await run.step() }
        try await run.settle(isSure: true)
        #expect(run.used > 5 && run.refused > 5, "seed \(seed): \(run.used) used, \(run.refused) refused")
    }
}

/// One run of random events, one after the other. Confined to its test.
private final class NodeRun {
    /// An answer, and when its fetch began.
    private struct Held {
        let answer: StoredResponse
        let begun: Int
    }

    private let seed: UInt64
    private var generator: SeededGenerator
    private let engine: RedisServer
    private let commands: TierScene
    private let folder: TemporaryFolder
    /// The last has no file.
    private let names = ["a", "b", "c"]
    private var nodes: [String: NodeScene] = [:]
    private var model = PurgeModel()
    private var now = 0
    /// The values of the tier.
    private var values: [(held: Held, value: TierValue)] = []
    /// The nodes' own answers, which know under which number they were born.
    private var copies: [String: [Held]] = [:]
    /// Since when nothing was lost: the engine's data, and a node's knowledge.
    private var intactSince = 0
    private var certainSince: [String: Int?] = [:]
    private var breaks: [String: Int] = [:]
    private var brokenAt: [String: Int] = [:]
    private var isRefusing = false
    private var isDisturbed = true
    private(set) var (used, refused) = (0, 0)

    init(_ seed: UInt64) throws {
        (self.seed, generator) = (seed, SeededGenerator(seed: seed))
        (engine, folder) = (try RedisServer(), try TemporaryFolder())
        commands = try TierScene([engine.endpoint])
        for name in names { try start(name) }
    }

    private var place: Comment { "seed \(seed), step \(now)" }

    private func number(_ bound: Int = 4) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private func start(_ name: String) throws {
        let file = name == names.last ? nil : folder.file(name + ".sqlite")
        nodes[name] = try NodeScene([engine.endpoint], name, file: file) {
            ($1.patience, $1.successionPatience) = (.milliseconds(500), .milliseconds(200))
            $1.purgePatience = .milliseconds(500)
        }
        (breaks[name], brokenAt[name]) = (0, now)
    }

    // MARK: Events

    func step() async throws {
        now += 1
        let name = names.randomElement(using: &generator)!
        let node = nodes[name]!
        // No clock matters.
        if number(3) == 0 { node.clock.advance(seconds: [-86_400, 86_400, 3_600].randomElement(using: &generator)!) }
        switch number(40) {
        case 0..<10: fetch(on: node)
        case 10..<18: for _ in 0..<4 { take(on: node) }
        case 18..<30: await purge(on: node)
        case 30..<35: try await settle(isSure: false)
        case 35..<37: try await refuse(!isRefusing)
        case 37..<39: try restart(name)
        default: if number(3) == 0 { await lose() }
        }
        for name in names { expectNoneOutdated(on: nodes[name]!) }
    }

    private func fetch(on node: NodeScene) {
        let fetched = answer(
            "/\(number(12))", storefront: number() == 0 ? "de" : "us", resources: [UInt64(number(12))])
        let own = fetched.adopted(bornUnder: node.cache.purges.newest, at: noon)
        let held = Held(answer: own, begun: now)
        copies[node.name, default: []].append(held)
        if let mark = node.knowledge.logMark { values.append((held, TierValue(fetched, logMark: mark))) }
    }

    private func take(on node: NodeScene) {
        guard let (held, value) = values.suffix(16).randomElement(using: &generator) else { return }
        guard let born = node.knowledge.born(value) else {
            refused += 1
            return
        }
        used += 1
        #expect(!model.forbids(held.begun, on: node.name) { $0.chooses(held.answer) }, place)
        let taken = held.answer.adopted(bornUnder: born, at: noon)
        copies[node.name, default: []].append(Held(answer: taken, begun: held.begun))
    }

    private func purge(on node: NodeScene) async {
        var conditions: [EntrySelection.Condition] = []
        switch number(16) {
        case 0 where number(2) == 0: break
        case 1, 2: conditions = [.prefix(Array("/\(number())".utf8))]
        case 3, 4: conditions = [.resource(UInt64(number(12)))]
        case 5: conditions = [.storefront(Array("de".utf8))]
        default: conditions = [target("/\(number(12))")]
        }
        let selection = EntrySelection(conditions)
        model.purges.append(PurgeModel.Purge(selection: selection, asked: now, nodes: []))
        let report = await node.begin(selection, mode: number(2) == 0 ? .soft : .hard).first { _ in true }!
        let isEverywhere = report.replication != .unlogged && report.missing.isEmpty && report.nodes == names.count
        model.purges[model.purges.count - 1].nodes = isEverywhere ? Set(names) : [node.name]
        now += 1
    }

    /// The engine has no room for anything new.
    private func refuse(_ isRefusing: Bool) async throws {
        for (name, value) in [("maxmemory-policy", "noeviction"), ("maxmemory", isRefusing ? "1" : "0")] {
            #expect(await commands.send(RESPCommand("CONFIG", "SET", name, value)) == [.simple("OK")])
        }
        (self.isRefusing, isDisturbed) = (isRefusing, true)
    }

    private func restart(_ name: String) throws {
        let node = nodes[name]!
        let hadUnlogged = !node.knowledge.unlogged.isEmpty
        node.end()
        // Its own answers are a matter of the file.
        copies[name] = nil
        if node.cache.file == nil {
            // Those that the log does not have were known here alone.
            for index in model.purges.indices where model.purges[index].ended == nil && hadUnlogged {
                model.purges[index].nodes.remove(name)
            }
        }
        if hadUnlogged {
            for index in model.purges.indices where model.purges[index].ended == nil {
                model.purges[index].isLost = true
            }
        }
        // Its place and its own purges may be on the disk as they were a moment before: then it
        // takes no value from before.
        certainSince[name] = .some(nil)
        isDisturbed = true
        try start(name)
    }

    /// The engine loses all that it has.
    private func lose() async {
        _ = await commands.send(RESPCommand("FLUSHALL"))
        for index in model.purges.indices where model.purges[index].ended == nil { model.purges[index].isLost = true }
        (intactSince, isDisturbed) = (now, true)
    }

    // MARK: The two rules

    /// No answer that was purged is used, and no part of one.
    private func expectNoneOutdated(on node: NodeScene) {
        for held in copies[node.name] ?? [] where isUsable(held, on: node) {
            #expect(!model.forbids(held.begun, on: node.name) { $0.chooses(held.answer) }, place)
            let other = Array("/\(number(12))".utf8)
            guard isPart(held, of: other, on: node) else { continue }
            let isForbidden = model.forbids(held.begun, on: node.name) { chooses($0, other, held.answer) }
            #expect(!isForbidden, place)
        }
    }

    private func isUsable(_ held: Held, on node: NodeScene) -> Bool {
        node.cache.purges.verdict(on: held.answer, since: held.answer.born) == .untouched
    }

    /// Whether an answer to that target may be made of it.
    private func isPart(_ held: Held, of target: [UInt8], on node: NodeScene) -> Bool {
        let last = node.cache.purges.lastPurge(of: target, storefront: held.answer.storefront, classTag: 1)
        return held.answer.born >= last
    }

    /// Whether a purge chooses what is made for that target of the answer, before its parts are
    /// known.
    private func chooses(_ selection: EntrySelection, _ target: [UInt8], _ part: StoredResponse) -> Bool {
        guard selection.conditions.allSatisfy({ if case .resource = $0 { false } else { true } }) else { return false }
        return selection.chooses(target, storefront: part.storefront, classTag: 1)
    }

    /// The engine is there, and all nodes come to agree. Then what no purge chose is of use.
    func settle(isSure: Bool) async throws {
        if isRefusing { try await refuse(false) }
        // Those that the log lacked are read before they are applied: the next comes after them.
        waitUntil { nodes.values.allSatisfy { $0.knowledge.unlogged.isEmpty } }
        if isDisturbed || isSure { await purgeEverywhere() }
        let isSettled = waitUntil {
            let marks = Set(nodes.values.map { $0.knowledge.logMark })
            return marks.count == 1
                && nodes.values.allSatisfy { $0.board.status.readiness == .ready && $0.knowledge.unlogged.isEmpty }
        }
        #expect(isSettled, place)
        now += 1
        model.settle(names, at: now)
        for name in names {
            if nodes[name]!.breaks.count != breaks[name] {
                (breaks[name], brokenAt[name]) = (nodes[name]!.breaks.count, now)
            }
            if isDisturbed, certainSince[name] == .some(nil) { certainSince[name] = now }
            expectAllUsable(on: nodes[name]!)
        }
        isDisturbed = false
        now += 1
    }

    /// Until all have heard of it, and the log goes on for all.
    private func purgeEverywhere() async {
        let node = nodes[names.randomElement(using: &generator)!]!
        await node.purge(target("/settled")) {
            $0.replication != .unlogged && $0.missing.isEmpty && $0.nodes == names.count
        }
    }

    private func expectAllUsable(on node: NodeScene) {
        let epoch = node.knowledge.logMark?.epoch
        let since = max(intactSince, (certainSince[node.name] ?? 0) ?? .max)
        for (held, value) in values where held.begun > since && value.logMark.epoch == epoch {
            if model.permits(held.begun, { $0.chooses(held.answer) }) {
                #expect(node.knowledge.born(value) != nil, "\(place): of \(held.begun), on \(node.name)")
            }
            let other = Array("/\(number(12))".utf8)
            guard model.permits(held.begun, { chooses($0, other, held.answer) }) else { continue }
            let isPurged = node.knowledge.isPurged(
                other, storefront: held.answer.storefront, classTag: 1, since: value.logMark)
            #expect(!isPurged, "\(place): a part of \(held.begun), on \(node.name)")
        }
        for held in copies[node.name] ?? [] where held.begun > brokenAt[node.name]! {
            guard model.permits(held.begun, { $0.chooses(held.answer) }) else { continue }
            #expect(isUsable(held, on: node), "\(place): of \(held.begun), on \(node.name)")
        }
    }
}
