import Cache
import Foundation
import Freshness
import Proxy
import Server
import Synchronization
import TestSupport
import Upstream

@testable import Admin
@testable import AppleMusic
@testable import EventLoop

/// An admin listener on a port of its own, and a client for it. It has only a cache.
final class AdminUnderTest {
    let host: ServiceHost
    let cache: ResponseCache
    let client: HTTPTestClient
    let port: Int
    /// Its counters, which nothing else changes.
    let statistics = Statistics()
    let feed = LiveFeed()
    let access: AdminAccess
    /// The lines that it has written to the program's log.
    var logged: [String] { log.lines.withLock { $0 } }
    private let log = Log()

    private final class Log: Sendable {
        let lines = Mutex<[String]>([])
    }

    init(
        token: String? = nil, isServing: Bool = true, node: ProxyNode? = nil, store: FileTier? = nil,
        explain: @escaping @Sendable (HypotheticalRequest, @escaping @Sendable (Explanation?) -> Void) -> Void = {
            $1(nil)
        },
        recording: @escaping @Sendable () -> RecordingStatus = { RecordingStatus() },
        turnRecording: @escaping AdminSources.TurnRecording = { $1(nil) }
    ) throws {
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: store)
        self.cache = cache
        access = AdminAccess(token: token.map { SecretBytes(Array($0.utf8).span) })
        let source = StatisticsSource(
            statistics: [statistics], cache: cache, budget: UpstreamBudget(rate: 7), feed: feed)
        var sources = AdminSources(
            statistics: source, cache: cache, access: access, version: "0", startedAt: 0, explain: explain,
            isServing: { @Sendable in isServing })
        (sources.recording, sources.turnRecording, sources.node) = (recording, turnRecording, node)
        sources.log = { @Sendable [log] line in log.lines.withLock { $0.append(line) } }
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
        guard reply.status == 400 else { return nil }
        return (reply.json as? [String: [[String: String]]])?["errors"]?.first?["detail"]
    }

    /// Keeps answers that came just now, fresh for 100 s and stale for as long, of songs of the
    /// United States.
    func store(_ targets: String...) {
        for target in targets { keep(target) }
    }

    /// Keeps one that came `age` seconds ago.
    func keep(
        _ target: String, scope: CacheKey.Scope = .shared, fields: String = "", age: Int64 = 0,
        resourceClass: ResourceClass = .songs, storefront: String = "us"
    ) {
        cache.store(
            StoredResponse(
                key: CacheKey(scope: scope, target: Array(target.utf8)), status: 200, fields: Array(fields.utf8),
                followsOrigin: true, body: Array("{}".utf8), receivedAt: Int64(Date().timeIntervalSince1970) - age,
                lifetime: Lifetime(freshFor: 100, staleFor: 100), classTag: resourceClass.rawValue,
                storefront: Array(storefront.utf8)))
    }
}
