import Cache
import Foundation
import Server
import Store
import Synchronization
import TestSupport
import Testing

/// Many entries lose their freshness at once.
@Suite struct StampedeTests {
    /// Counts how many requests are at the origin at once, each for a while.
    private final class Origin: Service, Sendable {
        struct Load {
            var now = 0
            var most = 0
            var targets: [String: Int] = [:]
        }
        let load = Mutex(Load())

        func handle(_ connection: ClientConnection) {
            let target = connection.withHeadBytes { bytes in
                bytes.extracting(connection.head.target.range).withUnsafeBufferPointer {
                    String(decoding: $0, as: UTF8.self)
                }
            }
            load.withLock { load in
                load.now += 1
                load.most = max(load.most, load.now)
                load.targets[target, default: 0] += 1
            }
            connection.context.loop.schedule(after: .milliseconds(5)) {
                self.load.withLock { $0.now -= 1 }
                let body = Array("{\"data\":[]}".utf8)
                connection.respond(content: body) { buffer in
                    buffer.appendStatusLine(200)
                    buffer.append("Content-Type: application/json\r\nContent-Length: \(body.count)\r\n")
                }
            }
        }
    }

    private func ask(_ proxy: ProxyUnderTest, _ count: Int, clients: Int) -> [Int: Int] {
        let statuses = Mutex<[Int: Int]>([:])
        concurrently(clients) { client in
            let connection = HTTPTestClient(port: proxy.port)
            for number in client..<count {
                let status = (try? connection.send("GET", "/v1/catalog/us/albums/\(number)"))?.status ?? 0
                statuses.withLock { $0[status, default: 0] += 1 }
            }
        }
        return statuses.withLock { $0 }
    }

    @Test(arguments: [PurgeMode.soft, .hard]) func aPurgeOfEverythingDoesNotFloodTheOrigin(mode: PurgeMode) throws {
        let service = Origin()
        let origin = try ServiceHost.local { _ in service }
        defer { origin.stop() }
        let cache = ResponseCache()
        let proxy = try ProxyUnderTest(originPort: Int(origin.address.port), workers: 2, cache: cache)
        let (entries, clients) = (200, 8)
        #expect(ask(proxy, entries, clients: 1) == [200: entries])
        cache.purgeAndWait(EntrySelection(), mode, at: Int64(Date().timeIntervalSince1970))
        service.load.withLock { $0 = Origin.Load() }
        let answered = ask(proxy, entries, clients: clients)
        #expect(Set(answered.keys) == [200])
        let load = service.load.withLock { $0 }
        #expect(load.targets.count == entries)
        #expect(load.targets.values.allSatisfy { $0 == 1 }, "one request for each entry, however many ask")
        // No client waits for the refreshes after a soft purge: they have half of each loop's
        // connections. A hard one makes clients wait.
        #expect(load.most <= (mode == .soft ? 32 : clients))
    }
}
