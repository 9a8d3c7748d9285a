import Foundation
import TestSupport
import Testing

@testable import Upstream

/// One client's many requests, and what another client gets meanwhile.
@Suite(.timeLimit(.minutes(10))) struct FairnessTests {
    /// With 70 misses a second of one address and `upstream_rate 20/s`, other clients got 503s.
    @Test func clientThatAsksForMuchDoesNotStarveAnother() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(), workers: 2, budget: UpstreamBudget(rate: 20))
        let greedy = try (0..<340).map { try proxy.connection(sending: .get(.album($0))) }
        waitUntil { proxy.statistics[.misses] == 340 }
        let client = HTTPTestClient(port: proxy.port, from: 2)
        for number in 1000..<1008 { #expect(try client.send("GET", .album(number)).status == 200) }
        #expect(proxy.origin.requests.count < 340, "each would have waited for all of the other's")
        for client in greedy { client.close() }
    }

    /// The same, when it does not even wait for its answers.
    @Test func requestsOfDepartedClientsAreDropped() throws {
        let budget = UpstreamBudget(rate: 20)
        let proxy = try ProxyUnderTest(before: FakeOrigin(), workers: 2, budget: budget)
        for number in 0..<400 { try proxy.connection(sending: .get(.album(number))).close() }
        let client = HTTPTestClient(port: proxy.port, from: 2)
        for number in 1000..<1005 { #expect(try client.send("GET", .album(number)).status == 200) }
        waitUntil { budget.snapshot.waiting == 0 }
        #expect(proxy.origin.requests.count < 300, "what nobody waits for is not asked")
    }

    /// An address with as many slow searches as there are connections held them all: others' misses
    /// waited 15 s and got a 503.
    @Test(arguments: [1, 2]) func oneClientDoesNotHoldAllConnections(workers: Int) throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([
            .perform { request in request.contains("slow") ? [.wait(gate), .send(.ok("{}"))] : [.send(.ok("{}"))] }
        ])
        let proxy = try ProxyUnderTest(scripted: origin, workers: workers, adjusting: { $0.maxConnections = 8 })
        var greedy: [RawClient] = []
        // Each loop gives it all but one.
        while proxy.statistics.upstream.inFlight < 8 - workers || proxy.statistics[.lackedShare] == 0 {
            let search = "/v1/catalog/us/search?term=slow\(greedy.count)&types=songs"
            greedy.append(try proxy.connection(sending: .get(search)))
            let count = greedy.count
            waitUntil { proxy.statistics[.misses] == count }
            try #require(count < 100)
        }
        #expect(proxy.statistics.upstream.inFlight == 8 - workers)
        let other = HTTPTestClient(port: proxy.port, from: 2)
        for number in 0..<20 { #expect(try other.send("GET", .album(number)).status == 200) }
        // So does a request of the greedy client that the other one waits for, too.
        greedy.append(try proxy.connection(sending: .get(.album(99))))
        let count = greedy.count + 20
        waitUntil { proxy.statistics[.misses] == count }
        #expect(try other.send("GET", .album(99)).status == 200)
        #expect(proxy.statistics.upstream.inFlight == 8 - workers)
        for client in greedy {
            gate.open()
            client.close()
        }
    }

    /// Readers of large answers that take nothing held all connections to the origin for a minute;
    /// one of an answer that is small enough to be collected was reset, too.
    @Test(arguments: [(48, 2), (8, 1)]) func slowReadersHoldNoUpstreamConnections(mebibytes: Int, readers: Int) throws {
        let large = [UInt8](repeating: 32, count: mebibytes << 20)
        let origin = try ScriptedOrigin([
            .perform { request in
                let content = request.contains("/large") ? large : Array("{}".utf8)
                let head = "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(content.count)\r\n\r\n"
                return [.send(head), .send(content)]
            }
        ])
        let proxy = try ProxyUnderTest(scripted: origin, adjusting: { $0.maxConnections = readers })
        let clients = try (0..<readers).map { number in
            let request = String.get("/large/\(number)", closes: true)
            let client = try proxy.connection(sending: request, receiveBuffer: mebibytes > 8 ? 4096 : 64 << 10)
            #expect(client.read(12).count == 12)
            return client
        }
        let other = HTTPTestClient(port: proxy.port, from: 2)
        for number in 0..<3 { #expect(try other.send("GET", .album(number)).status == 200) }
        guard mebibytes == 8 else { return }
        let (rest, ended) = clients[0].readToEnd()
        #expect(rest.suffix(large.count).elementsEqual(large) && ended)
    }
}
