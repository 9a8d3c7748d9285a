import Cache
import Foundation
import Freshness
import Proxy
import Server
import Synchronization
import TestSupport
import Testing
import Upstream

@testable import Admin
@testable import AppleMusic
@testable import EventLoop
@testable import Tier

/// An admin listener on a port of its own, and a client for it. It has only a cache.
final class AdminUnderTest {
    let host: ServiceHost
    let cache: ResponseCache
    let client: HTTPTestClient
    let port: Int
    /// Its counters, which nothing else changes.
    let statistics = Statistics()
    let feed: LiveFeed
    let access: AdminAccess
    let refusals: AdminRefusals
    let reloads = ReloadStatus()
    /// The lines that it has written to the program's log.
    var logged: [String] { log.lines.withLock { $0 } }
    private let log: Log

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init(
        token: String? = nil, isServing: Bool = true, node: ProxyNode? = nil, store: FileTier? = nil,
        explain: @escaping @Sendable (HypotheticalRequest, @escaping @Sendable (Explanation?) -> Void) -> Void = {
            $1(nil)
        },
        recording: @escaping @Sendable () -> RecordingStatus = { RecordingStatus() },
        turnRecording: @escaping AdminSources.TurnRecording = { $1(nil) }
    ) throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: store)
        self.cache = cache
        let log = Log()
        self.log = log
        refusals = AdminRefusals { @Sendable in log.add($0) }
        access = AdminAccess(token: token.map { SecretBytes(Array($0.utf8).span) })
        let source = StatisticsSource.ofTests([statistics], cache)
        feed = source.feed
        var sources = AdminSources(
            statistics: source, cache: cache, access: access, version: "0", startedAt: 0, explain: explain,
            isServing: { @Sendable in isServing })
        (sources.recording, sources.turnRecording, sources.node) = (recording, turnRecording, node)
        (sources.log, sources.refusals) = ({ @Sendable in log.add($0) }, refusals)
        sources.reloads = reloads
        host = try ServiceHost(
            label: "admin", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { [sources] context in AdminService(sources, context) }
        port = Int(host.address.port)
        client = HTTPTestClient(port: port)
    }

    deinit {
        host.stop()
    }

    func status(_ method: String = "GET", _ target: String, _ fields: [(String, String)] = []) throws -> Int {
        try client.send(method, target, fields: fields).status
    }

    func purge(_ content: String, _ fields: [(String, String)] = []) throws -> HTTPTestClient.Reply {
        try client.send("POST", "/purge", fields: fields, body: Data(content.utf8))
    }

    /// The JSON of an answer that is to be a 200; nil for others.
    func object(_ target: String) throws -> [String: Any]? {
        let reply = try client.send("GET", target)
        return reply.status == 200 ? reply.json as? [String: Any] : nil
    }

    /// The detail of a refusal; nil without one.
    func refusal(_ target: String) throws -> String? {
        let reply = try client.send("GET", target)
        return reply.status == 400 ? reply.error?["detail"] : nil
    }

    /// Keeps answers that came just now.
    func store(_ targets: String...) { for target in targets { cache.keep(target) } }
}

extension ResponseCache {
    /// Keeps an answer that came `age` seconds ago, fresh for 100 s and stale for as long.
    func keep(
        _ target: String, scope: CacheKey.Scope = .shared, fields: String = "", age: Int64 = 0,
        resourceClass: ResourceClass = .songs, storefront: String = "us"
    ) {
        store(
            StoredResponse(
                key: CacheKey(of: .none, scope: scope, target: Array(target.utf8)), status: 200,
                fields: Array(fields.utf8),
                followsOrigin: true, body: Array("{}".utf8), receivedAt: Int64(Date().timeIntervalSince1970) - age,
                lifetime: Lifetime(freshFor: 100, staleFor: 100), classTag: resourceClass.rawValue,
                storefront: Array(storefront.utf8)))
    }
}

extension HTTPTestClient.Reply {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The first error of a refusal.
    var error: [String: String]? { (json as? [String: [[String: String]]])?["errors"]?.first }
}

extension TierFigures {
    /// Figures of two loops, one of which has given the engine up, and of three nodes: this one,
    /// one that catches up, and a silent one with a hostile address.
    static var sample: TierFigures {
        var (one, other) = (TierStatus(), TierStatus())
        one.endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: 6379)
        (one.commands, one.latencySum, one.latencyCount) = (20, .milliseconds(30), 10)
        (other.commands, other.failures, other.timeouts, other.reconnects) = (7, 5, 4, 1)
        (other.isBreakerOpen, other.lastError, other.waiting) = (true, "timeout", 2)
        (other.latencySum, other.latencyCount) = (.milliseconds(6), 2)
        var sharing = SharingStatus()
        (sharing.readiness, sharing.lag, sharing.skew) = (.ready, 3, .milliseconds(-1500))
        sharing.nodes = [
            NodeState(
                name: "a", address: "127.0.0.1:8080", version: "1.0", isReady: true, lag: 0, lastSeen: 0,
                isAlive: true, isSelf: true, upstream: "https://one"),
            NodeState(
                name: "b", address: "127.0.0.2:8080", version: "1.1", isReady: false, lag: 3, lastSeen: 1,
                isAlive: true, isSelf: false, upstream: "https://two"),
            NodeState(
                name: "c", address: "<b>c</b>", version: "1.0", isReady: true, lag: nil, lastSeen: 100,
                isAlive: false, isSelf: false, upstream: ""),
        ]
        return TierFigures(
            counts: [.looks: 10, .taken: 6, .waited: 2, .put: 3, .putFailed: 2, .unanswered: 1], refused: [.oom: 4],
            connections: [one, other],
            sharing: sharing, isReady: true)
    }
}

/// The Prometheus text format as documented, read strictly, as a scraper would.
struct Exposition {
    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var kinds: [String: String] = [:]
    private(set) var samples: [Sample] = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(description: "the last line has no end") }
        var family = ""
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            if let help = line.wholeMatch(of: /# HELP ([a-z_:][a-z0-9_:]*) (.+)/) {
                family = String(help.1)
                guard kinds[family] == nil else { throw Malformed(description: "\(family) is there twice") }
                kinds[family] = ""
            } else if let type = line.wholeMatch(of: /# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram|summary)/) {
                guard type.1 == family, kinds[family] == "" else { throw Malformed(description: "\(line)") }
                kinds[family] = String(type.2)
            } else {
                samples.append(try Self.sample(line, of: family, kinds[family] ?? ""))
            }
        }
    }

    func values(_ name: String) -> [Double] { samples.filter { $0.name == name }.map(\.value) }

    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private static func sample(_ line: Substring, of family: String, _ kind: String) throws -> Sample {
        guard let match = line.wholeMatch(of: /([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? ([^ ]+)/), !kind.isEmpty else {
            throw Malformed(description: "\(line)")
        }
        let name = String(match.1)
        let suffixes = ["histogram": ["_bucket", "_sum", "_count"], "summary": ["_sum", "_count"]][kind] ?? [""]
        let names = suffixes.map { family + $0 }
        guard names.contains(name) else { throw Malformed(description: "\(name) among \(family)") }
        var labels: [String: String] = [:]
        var rest = match.2 ?? ""
        while !rest.isEmpty {
            guard let pair = rest.prefixMatch(of: /([a-z_]+)="((?:[^"\\]|\\[n"\\])*)"(?:,|$)/) else {
                throw Malformed(description: "\(line)")
            }
            guard labels.updateValue(String(pair.2), forKey: String(pair.1)) == nil else {
                throw Malformed(description: "\(line)")
            }
            rest = rest[pair.range.upperBound...]
        }
        guard let value = match.3 == "+Inf" ? .infinity : Double(match.3) else {
            throw Malformed(description: "\(line)")
        }
        return Sample(name: name, labels: labels, value: value)
    }
}

extension StatisticsSource {
    /// A proxy that is not there, before an origin that takes seven requests a second.
    static func ofTests(
        _ statistics: [Statistics],
        _ cache: ResponseCache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), file: nil),
        keys: ClientKeys? = nil, developer: DeveloperTokens? = nil
    ) -> StatisticsSource {
        var service = ServiceSettings(
            credentials: Credentials(developer: developer, musicUser: nil), policy: Policy(), origin: .none,
            authority: "origin")
        service.clientKeys = keys
        var shared = SharedStores(cache, for: service)
        shared.budget = UpstreamBudget(rate: 7)
        return StatisticsSource(
            statistics: statistics, settings: { [service] in service }, shared: { [shared] in shared })
    }
}
