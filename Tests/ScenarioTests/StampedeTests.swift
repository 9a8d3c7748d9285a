import Cache
import Foundation
import Proxy
import Server
import Simulator
import Store
import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import HTTP

/// Many entries lose their freshness at once: by a purge, or because the origin has no time for
/// them.
@Suite struct StampedeTests {
    /// Counts how many requests are at the origin at once, each for a while.
    private final class CountingOrigin: Service, Sendable {
        struct Load {
            var now = 0
            var most = 0
            var total = 0
            var targets: [String: Int] = [:]
        }
        let load = Mutex(Load())
        let status: @Sendable (Int) -> Int

        init(status: @escaping @Sendable (Int) -> Int = { _ in 200 }) {
            self.status = status
        }

        func handle(_ connection: ClientConnection) {
            let target = connection.withHeadBytes { bytes in
                bytes.extracting(connection.head.target.range).withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                }
            }
            let number = load.withLock { load in
                load.now += 1
                load.most = max(load.most, load.now)
                load.total += 1
                load.targets[target, default: 0] += 1
                return load.total
            }
            connection.context.loop.schedule(after: .milliseconds(5)) {
                self.load.withLock { $0.now -= 1 }
                let body = Array("{\"data\":[]}".utf8)
                connection.respond(content: body) { buffer in
                    buffer.appendStatusLine(self.status(number))
                    buffer.append("Content-Type: application/json\r\nContent-Length: \(body.count)\r\n")
                }
            }
        }
    }

    private func start(_ service: CountingOrigin) throws -> ServiceHost {
        try ServiceHost(
            label: "origin", listener: ListenerSettings(address: SocketAddress("127.0.0.1:0")!, tls: nil)
        ) { _ in service }
    }

    private func purgeAll(_ cache: ResponseCache, _ mode: PurgeMode) {
        let done = DispatchSemaphore(value: 0)
        cache.purge(EntrySelection(), mode, at: Int64(Date().timeIntervalSince1970)) { _ in done.signal() }
        done.waitOrFail()
    }

    private func ask(_ proxy: ProxyUnderTest, _ count: Int, clients: Int) -> [Int: Int] {
        let statuses = Mutex<[Int: Int]>([:])
        concurrently(clients) { client in
            let connection = HTTPTestClient(port: proxy.port)
            defer { connection.close() }
            for number in stride(from: client, to: count, by: 1) {
                let status = (try? connection.send("GET", "/v1/catalog/us/albums/\(number % count)"))?.status ?? 0
                statuses.withLock { $0[status, default: 0] += 1 }
            }
        }
        return statuses.withLock { $0 }
    }

    @Test(arguments: [PurgeMode.soft, .hard]) func aPurgeOfEverythingDoesNotFloodTheOrigin(mode: PurgeMode) throws {
        let service = CountingOrigin()
        let origin = try start(service)
        defer { origin.stop() }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 16 << 20), store: nil)
        let proxy = try ProxyUnderTest(originPort: Int(origin.address.port), workers: 2, cache: cache)
        defer { proxy.stop() }
        let (entries, clients) = (200, 8)
        #expect(ask(proxy, entries, clients: 1) == [200: entries])
        purgeAll(cache, mode)
        service.load.withLock { $0 = CountingOrigin.Load() }
        let answered = ask(proxy, entries, clients: clients)
        #expect(Set(answered.keys) == [200])
        let load = service.load.withLock { $0 }
        #expect(load.targets.count == entries)
        #expect(load.targets.values.allSatisfy { $0 == 1 }, "one request for each entry, however many ask")
        // No client waits behind a soft purge: refreshes have half of each loop's connections. A
        // hard one makes clients wait.
        #expect(load.most <= (mode == .soft ? 32 : clients))
    }

    /// APPLE-MUSIC-API 10.1: what the origin has no capacity for is not the clients' concern while
    /// something stale will do.
    @Test func noClientSeesA429WhileAStaleAnswerExists() throws {
        // The first fifty fill the cache; then there is no capacity left.
        let service = CountingOrigin { number in number > 50 ? 429 : 200 }
        let origin = try start(service)
        defer { origin.stop() }
        let cache = ResponseCache(memory: MemoryTier(maxBytes: 16 << 20), store: nil)
        let proxy = try ProxyUnderTest(originPort: Int(origin.address.port), workers: 2, cache: cache)
        defer { proxy.stop() }
        _ = ask(proxy, 50, clients: 1)
        purgeAll(cache, .soft)
        #expect(ask(proxy, 50, clients: 6).keys.sorted() == [200])
        #expect(proxy.statistics[.rateLimited] > 0, "the origin did refuse")
    }
}
