import EventLoop
import Purging
import Store
import TestSupport
import Testing

@testable import Cache
@testable import Freshness
@testable import Tier

/// A node that shares a tier. Timeouts are long and pauses short where nothing else is said.
final class NodeScene {
    let name: String
    let loop: EventLoop
    let cache: ResponseCache
    let knowledge = PurgeKnowledge()
    let board = SharingBoard()
    /// The clock of its machine.
    let clock = ManualClock(noon)
    private let log: LogLines
    private var follower: LogFollower?

    /// - Parameter file: of the cache; nil for one in memory alone.
    init(
        _ endpoints: [Endpoint], _ name: String = "a", file: String? = nil, process: Int32 = 1,
        _ adjust: (inout TierSettings, inout LogFollower.Settings) -> Void = { _, _ in }
    ) throws {
        var tier = TierSettings(endpoints: endpoints, nodeName: name)
        (tier.timeout, tier.limits) = (TierScene.patient, TierScene.limits)
        var settings = LogFollower.Settings()
        (settings.pause, settings.heartbeat, settings.hastyHeartbeat) = (
            .milliseconds(5), .milliseconds(20), .milliseconds(5)
        )
        (settings.patience, settings.purgePatience) = (TierScene.patient, TierScene.patient)
        settings.successionPatience = TierScene.patient
        adjust(&tier, &settings)
        let (loop, log) = (try EventLoop(label: "node \(name)"), LogLines())
        let store = file.map { file in
            FileTier.open(
                path: file, maxBytes: 64 << 20, lock: try? StoreLock.take(file, within: .milliseconds(500)) { _ in },
                log: { log.add($0) })
        }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store)
        (self.name, self.loop, self.cache, self.log) = (name, loop, cache, log)
        let identity = NodeIdentity(
            name: name, address: "\(name):8080", version: "1.0", process: process, startedAt: noon)
        follower = loop.sync { [clock] in
            LogFollower(
                tier, identity, cache: cache, knowledge: knowledge, board: board, settings: settings, loop: loop,
                clock: { clock.unixSeconds * 1000 }, inform: { log.add($0) }, log: { log.add($0) })
        }
    }

    static func pair(
        _ engine: RedisServer, file: String? = nil, _ adjust: (inout LogFollower.Settings) -> Void = { _ in }
    ) throws -> (a: NodeScene, b: NodeScene) {
        let a = try NodeScene([engine.endpoint], "a") { adjust(&$1) }
        let b = try NodeScene([engine.endpoint], "b", file: file) { adjust(&$1) }
        for node in [a, b] { node.ready() }
        waitUntil { a.board.status.aliveCount == 2 && b.board.status.aliveCount == 2 }
        return (a, b)
    }

    deinit { end() }

    /// Ends it as a kill does: no other node is told.
    func end() {
        guard follower != nil else { return }
        loop.sync {
            follower?.close()
            follower = nil
        }
        loop.stop()
        cache.close()
    }

    var lines: [String] { log.all }
    /// How often everything was taken for stale, and why.
    var breaks: [String] { lines.filter { $0.contains("treated as stale") } }
    var status: SharingStatus { loop.sync { follower!.status } }

    func begin(_ selection: EntrySelection, mode: PurgeMode = .hard) -> AsyncStream<PurgeReport> {
        let (reports, continuation) = AsyncStream<PurgeReport>.makeStream()
        loop.sync {
            follower!.purge(selection, mode) { report in
                continuation.yield(report)
                continuation.finish()
            }
        }
        return reports
    }

    func purge(_ conditions: EntrySelection.Condition..., mode: PurgeMode = .hard) async -> PurgeReport {
        await begin(EntrySelection(conditions), mode: mode).first { _ in true }!
    }

    /// Purges again until the report is as wanted; records an issue where it never is.
    @discardableResult
    func purge(
        _ condition: EntrySelection.Condition, until isWanted: (PurgeReport) -> Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async -> PurgeReport {
        let deadline = ContinuousClock.now + .seconds(Patience.seconds(60))
        var report = await purge(condition)
        while !isWanted(report), ContinuousClock.now < deadline { report = await purge(condition) }
        #expect(isWanted(report), "the wanted report never came", sourceLocation: sourceLocation)
        return report
    }

    func leave() async {
        await withCheckedContinuation { continuation in loop.sync { follower!.leave { continuation.resume() } } }
    }

    func ready(sourceLocation: SourceLocation = #_sourceLocation) {
        waitUntil(sourceLocation: sourceLocation) { board.status.readiness == .ready }
    }

    /// Stores answers to these targets, of use when they are stale.
    func store(_ targets: String...) {
        for target in targets { cache.store(answer(target, lifetime: Lifetime(freshFor: 1_000, staleFor: 1_000))) }
    }

    /// Whether the stored answer of a target is fresh; nil without one.
    func isFresh(_ target: String) -> Bool? {
        loop.sync { cache.lookup(key(target), cache.file?.makeReader(), at: noon) }?.isFresh(at: noon)
    }
}

extension RedisServer {
    var endpoint: Endpoint { Endpoint(isTLS: false, host: "127.0.0.1", port: port) }
}

func target(_ path: String) -> EntrySelection.Condition { .target(Array(path.utf8)) }
