import AppleMusic
import Cache
import Foundation
import Freshness
import HTTP
import Purging
import Recording
import Store
import Synchronization
import TestSupport
import Testing
import Text
import Upstream

@testable import Compose
@testable import EventLoop
@testable import Proxy
@testable import Server
@testable import Tier

/// A real proxy on a port of its own in front of an origin, and a client for it.
final class ProxyUnderTest: @unchecked Sendable {  // because `stop` alone is called from another thread, and last
    let port: Int
    let client: HTTPTestClient
    /// The origin that it was given, which ends with it.
    let origin: FakeOrigin!
    private let scripted: ScriptedOrigin?
    private let server: ProxyServer
    /// As it runs now.
    private(set) var settings: ProxySettings
    private let folder: TemporaryFolder
    /// How many connections took too long, once it has been stopped.
    private let cutOff = Mutex<Int?>(nil)

    /// - Parameters:
    ///   - origin, scripted: the origin, which ends with the proxy.
    ///   - originPort: of an origin of another kind.
    ///   - upstream: in keys; nil: as in those that tests make.
    init(
        before origin: FakeOrigin? = nil, scripted: ScriptedOrigin? = nil, originPort: Int = 1,
        upstreamTLS: ClientTLS? = nil, originHost: String = "127.0.0.1", workers: Int = 1,
        cache: ResponseCache = ResponseCache(),
        credentials: Credentials = Credentials(developer: nil, musicUser: nil), policy: Policy = Policy(),
        timeouts: ClientTimeouts = .ofTests, crossOrigin: CrossOrigin = .any,
        timeOfDay: TimeOfDay = .system, gzip: Gzip = .system, composition: CompositionSettings = CompositionSettings(),
        clientKeys: ClientKeys? = nil, logFormat: AccessLogFormat = .combined, verifySample: Int = 0,
        budget: UpstreamBudget = UpstreamBudget(), provesTokens: Bool = false, tier: SharedTier? = nil,
        upstream: Origin? = nil,
        adjusting: (inout UpstreamSettings) -> Void = { _ in },
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        (self.origin, self.scripted) = (origin, scripted)
        let originPort = scripted?.port ?? UInt16(origin?.port ?? originPort)
        let endpoint = Endpoint(isTLS: upstreamTLS != nil, host: originHost, port: originPort)
        var service = ServiceSettings(
            credentials: credentials, policy: policy, origin: upstream ?? .none, authority: endpoint.authority,
            crossOrigin: crossOrigin, composition: composition)
        service.warn = warn
        service.clientKeys = clientKeys
        service.verifySample = verifySample
        // Most of these proxies have no token of their own, but represent ones that do.
        service.provesTokens = provesTokens
        service.gzip = gzip
        var shared = SharedStores(cache, for: service)
        shared.budget = budget
        shared.tier = tier
        var asking = UpstreamSettings(endpoint: endpoint)
        // On a busy machine an origin of the tests may be late; its clients wait longer.
        asking.timeouts.connect = .seconds(Patience.seconds(40))
        asking.timeouts.response = .seconds(Patience.seconds(40))
        asking.timeouts.content = .seconds(Patience.seconds(40))
        adjusting(&asking)
        var settings = ProxySettings(
            listeners: [ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)], workers: workers,
            upstream: asking, upstreamTLS: upstreamTLS, service: service, shared: shared,
            accessLog: AccessLogSettings(try AccessLogSink(path: folder.file("log")), logFormat))
        settings.timeouts = timeouts
        settings.timeOfDay = timeOfDay
        server = try ProxyServer(settings)
        self.settings = settings
        self.port = Int(server.addresses[0].port)
        client = HTTPTestClient(port: self.port)
    }

    deinit {
        stop()
        scripted?.stop()
    }

    /// A connection on which this has been sent.
    /// - Parameter host: the last number of the address of the loopback that it comes from.
    func connection(sending text: String = "", receiveBuffer: CInt? = nil, from host: UInt8 = 1) throws -> RawClient {
        let client = try RawClient(port: UInt16(port), receiveBuffer: receiveBuffer, from: host)
        if !text.isEmpty { try client.send(text) }
        return client
    }

    var isClosed: Bool { (try? RawClient(port: UInt16(port))) == nil }

    /// Reloads with other settings; the number of clients' connections that end.
    @discardableResult func adopt(_ change: (inout ProxySettings) -> Void) throws -> Int {
        var other = settings
        change(&other)
        let ending = try server.adopt(other)
        settings = other
        return ending
    }

    /// Reloads with another upstream.
    func adopt(_ upstream: Origin, at port: Int) throws {
        try adopt { settings in
            let endpoint = Endpoint(isTLS: false, host: "127.0.0.1", port: UInt16(port))
            settings.upstream.endpoint = endpoint
            settings.serve {
                ($0.origin, $0.authority, $0.crossOrigin) = (upstream, Array(endpoint.authority.utf8), .any)
            }
        }
    }

    var addresses: [SocketAddress] { server.addresses }

    func startRecording(_ recording: RecordingSettings) throws { try server.startRecording(recording) }
    func stopRecording() { server.stopRecording() }
    var recording: RecordingStatus { server.recording }

    var statistics: StatisticsSource { server.snapshot }
    var cache: ResponseCache { settings.shared.cache }

    /// Whether the origin is being asked for anything, also in the background.
    var isAsking: Bool { settings.shared.flights.count > 0 }

    func explain(_ target: String, _ method: HTTP.Method = .get, carriesUserToken: Bool = false) -> Explanation? {
        let found = Mutex<Explanation?>(nil)
        let done = DispatchSemaphore(value: 0)
        let request = HypotheticalRequest(
            target: Array(target.utf8), method: method, carriesUserToken: carriesUserToken)
        server.explain(request) { @Sendable explanation in
            found.withLock { $0 = explanation }
            done.signal()
        }
        done.waitOrFail()
        return found.withLock { $0 }
    }

    /// The resources of a type that composed answers showed in other kinds of answers than held
    /// them, as far as the agreements that they relied on count still.
    func crossings(of type: ResourceClass, in storefront: Storefront, at now: Int64) -> Int {
        settings.shared.library.forms.agreement(type, in: storefront, at: now).pairs.reduce(0) { $0 + Int($1.uses) }
    }

    /// Whether answers that the cache file held at the start can be composed from.
    var isIndexComplete: Bool { settings.shared.library.isComplete }

    /// The lines of the access log; complete once the proxy has stopped.
    func accessLog() throws -> String { try String(contentsOfFile: folder.file("log"), encoding: .utf8) }

    /// Stops it; the lines of its access log.
    func finalLog() throws -> [String] {
        stop()
        return try accessLog().split(separator: "\n").map(String.init)
    }

    /// Stops it; the lines of its access log, which is one in JSON.
    func finalJSONLog() throws -> [JSON] { try finalLog().map { try JSON.parse(Array($0.utf8)) } }

    /// Stops it; where its access log says that requests came from.
    func loggedClients() throws -> [String] { try finalLog().map { String($0.prefix { $0 != " " }) } }

    /// Drains and waits until everything is on disk; a second call returns the same number.
    /// - Returns: how many connections took too long.
    @discardableResult func stop() -> Int {
        cutOff.withLock { cutOff in
            if let cutOff { return cutOff }
            let count = drain()
            cutOff = count
            return count
        }
    }

    private func drain() -> Int {
        client.close()
        let done = DispatchSemaphore(value: 0)
        let cutOff = Atomic(0)
        server.drain { @Sendable count in
            cutOff.store(count, ordering: .relaxed)
            done.signal()
        }
        done.waitOrFail()
        // The proxy waits for a slow disk no longer than a service that stops may.
        settings.accessLog?.sink.flush(within: .seconds(Patience.seconds(40)))
        return cutOff.load(ordering: .relaxed)
    }
}

extension HTTPTestClient.Reply {
    /// Whether it came from the cache.
    var isHit: Bool { field("Cache-Status")?.hasPrefix("refrain; hit") == true }
}

extension RawClient {
    func readText() -> String { String(decoding: read(), as: UTF8.self) }

    func readSomeText() -> String { String(decoding: readSome(), as: UTF8.self) }
}

extension String {
    static func album(_ number: Int) -> String { "/v1/catalog/us/albums/\(number)" }

    /// A GET of a target.
    /// - Parameters:
    ///   - fields: further lines, each with its end.
    ///   - closes: whether its connection is to end with the answer.
    static func get(_ target: String, _ fields: String = "", closes: Bool = false) -> String {
        "GET \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\(closes ? "Connection: close\r\n" : "")\r\n"
    }

    /// An answer with this content.
    /// - Parameter fields: further lines, each with its end.
    static func ok(_ content: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\(fields)"
            + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
    }
}

extension ResponseCache {
    convenience init(mebibytes: Int = 16, file: String? = nil, of origin: Origin = .none) {
        let store = file.map { FileTier.open(path: $0, maxBytes: 512 << 20, origin: origin) { print($0) } }
        self.init(memory: MemoryTier(maxBytes: mebibytes << 20), file: store)
    }

    /// One in memory that holds the answer "old" to a target, a hundred seconds old.
    static func holdingOld(_ target: String, _ lifetime: Lifetime, fields: String = "") -> ResponseCache {
        let cache = ResponseCache()
        cache.store(
            StoredResponse(
                key: CacheKey(of: .none, scope: .shared, target: Array(target.utf8)), status: 200,
                fields: Array("Content-Type: application/json\r\n\(fields)".utf8), body: Array("old".utf8),
                receivedAt: Int64(Date().timeIntervalSince1970) - 100, lifetime: lifetime, classTag: 0,
                storefront: Array("us".utf8)))
        return cache
    }

    /// Purges, and waits until nothing that was chosen is found any more; how many were chosen.
    @discardableResult
    func purgeAndWait(_ selection: EntrySelection, _ mode: PurgeMode, at now: Int64) -> Int? {
        let done = DispatchSemaphore(value: 0)
        let chosen = Mutex<Int?>(nil)
        purge(selection, mode, at: now) { @Sendable count in
            chosen.withLock { $0 = count }
            done.signal()
        }
        done.waitOrFail()
        return chosen.withLock { $0 }
    }
}

extension ClientKeys {
    init(text: String) throws { try self.init(SecretBytes(Array(text.utf8).span)) }
}

extension Policy {
    /// The defaults, with another rule for one class.
    init(_ resourceClass: ResourceClass, _ rule: TTLRule) {
        self.init()
        self[resourceClass] = rule
    }
}

extension CompositionSettings {
    init(_ mode: Mode) {
        self.init()
        compose = mode
    }

    /// One resource that looks the same in two kinds of answers shows that all do, so that a scene
    /// needs few requests. By the defaults sixteen do (`PlacementDemand`).
    static func byExample(_ mode: Mode = .on) -> CompositionSettings {
        var settings = CompositionSettings(mode)
        settings.placements = PlacementDemand(resources: 1, usesOfOne: .max)
        return settings
    }
}

extension ClientTimeouts {
    /// The defaults, but idle connections do not hold up the end of each test for two seconds, and
    /// a busy machine may be late with a head.
    static let ofTests: ClientTimeouts = {
        var timeouts = ClientTimeouts()
        timeouts.head = .seconds(Patience.seconds(40))
        timeouts.grace = .milliseconds(50)
        return timeouts
    }()
}

extension ProxySettings {
    /// Changes how requests are answered, and with it the stores that follow from that.
    mutating func serve(_ change: (inout ServiceSettings) -> Void) {
        let former = service
        change(&service)
        shared = shared.adopting(service, after: former)
    }
}
