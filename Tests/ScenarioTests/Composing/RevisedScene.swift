import AppleMusic
import Compose
import Foundation
import Freshness
import Proxy
import Purging
import Server
import Synchronization
import TestSupport
import Testing
import Tier

@testable import Cache

/// An origin whose albums, artist and list have revisions: each object says its own in an
/// attribute, and the list of the artist's albums begins one album later with each.
final class RevisedOrigin: Sendable {
    private struct State {
        var revisions: [String: Int] = [:]
        /// Requests for these targets are held, or fail.
        var held: [String: ScriptedOrigin.Gate] = [:]
        var isFailing = false
        var targets: [String] = []
    }

    private let state = Mutex(State())
    static let list = "artists/7/albums"
    static let listCount = 60

    func raise(_ name: String) { state.withLock { $0.revisions[name, default: 0] += 1 } }

    /// The next request for the target, below the storefront, waits for the gate with its answer.
    func hold(_ target: String, for gate: ScriptedOrigin.Gate) { state.withLock { $0.held[target] = gate } }

    func fail(_ isFailing: Bool = true) { state.withLock { $0.isFailing = isFailing } }

    /// The targets that it was asked for, below the storefront.
    var targets: [String] { state.withLock { $0.targets } }

    func steps(_ request: String) -> [ScriptedOrigin.Step] {
        let target = ScriptedSongs.target(request).replacing("/v1/catalog/us/", with: "")
        return state.withLock { state in
            state.targets.append(target)
            if state.isFailing { return [.send("HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\n")] }
            let answer = ScriptedOrigin.Step.send(.ok(Self.body(target, state.revisions)))
            return state.held.removeValue(forKey: target).map { [.wait($0), answer] } ?? [answer]
        }
    }

    static func body(_ target: String, _ revisions: [String: Int]) -> String {
        let parts = URLComponents(string: target)
        let query = Dictionary((parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }) { one, _ in one }
        let path = parts?.path ?? ""
        if path == list { return page(query, revisions) }
        let names = query["ids"].map { $0.split(separator: ",").map { "\(path)/\($0)" } } ?? [path]
        let objects = names.map { name in
            name.hasPrefix("artists/")
                ? object(name, revisions)
                : album(name, revisions, isWhole: query["include"]?.contains("artists") == true)
        }
        return #"{"data":[\#(objects.joined(separator: ","))]}"#
    }

    private static func head(_ name: String) -> String {
        let (type, id) = (name.split(separator: "/")[0], name.split(separator: "/")[1])
        return #""id":"\#(id)","type":"\#(type)","href":"/v1/catalog/us/\#(name)""#
    }

    private static func object(_ name: String, _ revisions: [String: Int], _ more: String = "") -> String {
        #"{\#(head(name)),"attributes":{"name":"\#(name)","rev":\#(revisions[name] ?? 0)}\#(more)}"#
    }

    private static func album(_ name: String, _ revisions: [String: Int], isWhole: Bool) -> String {
        let artist = isWhole ? object("artists/7", revisions) : "{\(head("artists/7"))}"
        return object(
            name, revisions,
            #","relationships":{"artists":{"href":"/v1/catalog/us/\#(name)/artists","data":[\#(artist)]}}"#)
    }

    private static func page(_ query: [String: String], _ revisions: [String: Int]) -> String {
        let (offset, limit) = (Int(query["offset"] ?? "0") ?? 0, Int(query["limit"] ?? "25") ?? 0)
        let end = min(offset + limit, listCount)
        let items = (min(offset, end)..<end).map { place in
            object("albums/\(place + 1 + (revisions[list] ?? 0))", revisions)
        }
        let next = end < listCount ? #""next":"/v1/catalog/us/\#(list)?offset=\#(end)","# : ""
        return #"{\#(next)"data":[\#(items.joined(separator: ","))]}"#
    }
}

/// A proxy with a cache file before such an origin, and the latest revisions that each URL has
/// shown.
final class RevisedScene {
    let origin: RevisedOrigin
    private let scripted: ScriptedOrigin
    /// Nil: without a cache file.
    private let folder: TemporaryFolder?
    private let tier: SharedTier?
    private(set) var proxy: ProxyUnderTest
    let clock = ManualClock(1_790_000_000)
    private var shown: [String: [String: Int]] = [:]
    private(set) var reasons: [String: Int] = [:]

    /// Answers are fresh for that long, and stale for six times as long, in seconds.
    static let freshFor = 10

    init(before origin: RevisedOrigin = RevisedOrigin(), tier: SharedTier? = nil, keepsFile: Bool = true) throws {
        folder = keepsFile ? try TemporaryFolder() : nil
        scripted = try ScriptedOrigin([.perform { origin.steps($0) }])
        (self.origin, self.tier) = (origin, tier)
        proxy = try Self.makeProxy(folder, scripted, clock, tier)
    }

    private static func makeProxy(
        _ folder: TemporaryFolder?, _ origin: ScriptedOrigin, _ clock: ManualClock, _ tier: SharedTier?
    ) throws -> ProxyUnderTest {
        var policy = Policy()
        for resourceClass in ResourceClass.allCases where resourceClass != .personal && resourceClass != .other {
            policy[resourceClass] = .fixed(freshFor, stale: 6 * freshFor)
        }
        var settings = CompositionSettings.byExample()
        settings.supersets = false
        return try ProxyUnderTest(
            originPort: Int(origin.port), cache: ResponseCache(file: folder?.file("cache.sqlite")), policy: policy,
            timeOfDay: TimeOfDay { clock.unixSeconds }, composition: settings,
            tier: tier)
    }

    deinit {
        proxy.stop()
        scripted.stop()
    }

    var cache: ResponseCache { proxy.cache }

    /// Waits until the floors are known: in the milliseconds before, nothing is promised (DECISIONS
    /// 9.22).
    /// - Parameter untilIndexed: whether to wait until all answers of the file are known too.
    func restart(untilIndexed: Bool = false) throws {
        proxy.stop()
        proxy = try Self.makeProxy(folder, scripted, clock, tier)
        if untilIndexed { waitUntil { proxy.isIndexComplete } }
        guard let file = cache.file else { return }
        let floorsAreRead = DispatchSemaphore(value: 0)
        file.records.visitMarks(.floor) { _ in floorsAreRead.signal() }
        floorsAreRead.waitOrFail()
    }

    static func target(_ name: String) -> String { "/v1/catalog/us/\(name)" }

    static func key(_ name: String) -> CacheKey {
        var canonical = CanonicalTarget()
        try? canonical.parse(Array(target(name).utf8).span)
        return CacheKey(of: .none, scope: .shared, target: canonical.bytes)
    }

    func purge(_ name: String, _ mode: PurgeMode = .hard) {
        let selection = EntrySelection([.target(Array(Self.key(name).target))])
        cache.purgeAndWait(selection, mode, at: clock.unixSeconds)
    }

    /// Takes an answer away, as another one does that needs its room.
    func evict(_ name: String, fromFile: Bool = true) {
        cache.memory.remove(Self.key(name))
        if fromFile { cache.file?.remove(Self.key(name)) }
    }

    /// The revisions in an answer by the names of their objects, and that of the list.
    static func revisions(_ body: Data, of name: String) -> [String: Int] {
        var found: [String: Int] = [:]
        func take(_ value: Any) {
            if let list = value as? [Any] { return list.forEach(take) }
            guard let object = value as? [String: Any] else { return }
            if let type = object["type"] as? String, let id = object["id"] as? String,
                let revision = (object["attributes"] as? [String: Any])?["rev"] as? Int
            {
                found["\(type)/\(id)"] = revision
            }
            object.values.forEach(take)
        }
        let answer = try? JSONSerialization.jsonObject(with: body)
        if let answer { take(answer) }
        if name.hasPrefix(RevisedOrigin.list),
            let first = ((answer as? [String: Any])?["data"] as? [[String: Any]])?.first
        {
            let offset = URLComponents(string: name)?.queryItems?.first { $0.name == "offset" }?.value
            found[RevisedOrigin.list] = (Int(first["id"] as? String ?? "") ?? 0) - 1 - (Int(offset ?? "0") ?? 0)
        }
        return found
    }

    struct Shown {
        let status: Int
        let cacheStatus: String
        /// By the names of the objects.
        let revisions: [String: Int]
        /// Objects that an earlier answer has shown in a later revision.
        var older: [String] = []
    }

    /// Asks the proxy, and compares with what the URL has shown before.
    func get(_ name: String) throws -> Shown {
        let reply = try proxy.client.send("GET", Self.target(name))
        return note(name, reply.status, reply.field("Cache-Status") ?? "", reply.body)
    }

    func note(_ name: String, _ status: Int, _ cacheStatus: String, _ body: Data) -> Shown {
        var answer = Shown(status: status, cacheStatus: cacheStatus, revisions: Self.revisions(body, of: name))
        for (object, revision) in answer.revisions {
            if let before = shown[name]?[object], before > revision {
                answer.older.append("\(object) r\(revision) after r\(before)")
            }
            shown[name, default: [:]][object] = max(revision, shown[name]?[object] ?? 0)
        }
        let detail = cacheStatus.components(separatedBy: "detail=").dropFirst().first ?? "none"
        reasons[detail, default: 0] += 1
        return answer
    }
}
