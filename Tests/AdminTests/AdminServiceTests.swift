import AppleMusic
import Cache
import EventLoop
import Foundation
import Proxy
import TestSupport
import Testing

@testable import Admin

@Suite(.timeLimit(.minutes(1))) struct AdminServiceTests {
    /// An admin listener on a port of its own, and a client for it.
    private final class Listening {
        let host: ServiceHost
        let client: HTTPTestClient
        let port: Int

        init(token: String? = nil, isReady: Bool = true) throws {
            let source = StatisticsSource(
                statistics: [Statistics()], cache: ResponseCache(memory: MemoryTier(maxBytes: 1 << 20), store: nil))
            let secret = token.map { SecretBytes(Array($0.utf8).span) }
            host = try ServiceHost(
                label: "admin", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
            ) { _ in AdminService(statistics: source, token: secret) { @Sendable in isReady } }
            port = Int(host.address.port)
            client = HTTPTestClient(port: port)
        }

        deinit {
            host.stop()
        }

        func status(_ method: String = "GET", _ target: String, _ fields: [(String, String)] = []) throws -> Int {
            try client.send(method, target, fields: fields).status
        }
    }

    @Test func healthAndReadinessAreTwoThings() throws {
        let draining = try Listening(isReady: false)
        #expect(try draining.status("GET", "/healthz") == 200)
        #expect(try draining.status("GET", "/readyz") == 503)
        #expect(try Listening().status("GET", "/readyz?x=1") == 200)
    }

    @Test func statisticsAreIntegersAtTheTopLevel() throws {
        let admin = try Listening()
        let reply = try admin.client.send("GET", "/stats")
        let members = try #require(reply.json as? [String: Int])
        for name in [
            "requests", "hits", "misses", "stale", "revalidated", "composed", "collapsed", "bypassed",
            "upstream_requests", "upstream_errors", "entries", "cache_bytes", "memory_bytes",
            "store_written", "store_evicted", "store_dropped", "store_failures", "store_damaged",
        ] {
            #expect(members[name] != nil, "\(name)")
        }
        #expect(reply.field("Cache-Control") == "no-store")
    }

    @Test func whatIsUnknownOrWrittenIsRefused() throws {
        let admin = try Listening()
        #expect(try admin.status("GET", "/nonsense") == 404)
        let post = try admin.client.send("POST", "/stats")
        #expect(post.status == 405 && post.field("Allow") == "GET, HEAD")
    }

    /// A page may reach a loopback listener through the browser, or by rebinding its own name.
    @Test func webPagesAreRefused() throws {
        let admin = try Listening()
        #expect(try admin.status("GET", "/stats", [("Origin", "http://127.0.0.1:\(admin.port)")]) == 403)
        let raw = try RawClient(port: UInt16(admin.port))
        try raw.send("GET /stats HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: raw.read(), as: UTF8.self).hasPrefix("HTTP/1.1 421 "))
    }

    @Test func aTokenIsAskedForWhereThereIsOne() throws {
        let admin = try Listening(token: "correct-horse")
        #expect(try admin.status("GET", "/stats") == 401)
        #expect(try admin.status("GET", "/healthz") == 200)
        #expect(try admin.status("GET", "/stats", [("Authorization", "Bearer wrong-horse")]) == 401)
        #expect(try admin.status("GET", "/stats", [("Authorization", "Bearer correct-horse")]) == 200)
    }
}
