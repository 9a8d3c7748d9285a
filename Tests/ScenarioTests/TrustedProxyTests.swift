import EventLoop
import Server
import TestSupport
import Testing

/// Requests that come through a load balancer of HTTP (`trusted_proxy`): all of them had
/// one fairness key, one address in the log, and one share of every bound.
@Suite(.timeLimit(.minutes(10))) struct TrustedProxyTests {
    private static let balancer = UInt8(77)

    /// A proxy that trusts 127.0.0.77.
    /// - Parameter perAddress: the most connections of one address.
    private func trusting(_ proxy: ProxyUnderTest, perAddress: Int = .max) throws -> ProxyUnderTest {
        try proxy.adopt { settings in
            settings.bounds.trustedProxies = TrustedProxies([AddressRange("127.0.0.77")!])
            settings.bounds.connectionsPerAddress = perAddress
        }
        return proxy
    }

    private func request(_ album: Int, from address: String) -> String {
        .get("/v1/catalog/us/albums/\(album)", "X-Forwarded-For: \(address)\r\n")
    }

    @Test func theLogNamesTheClientOfEachRequestOfAConnection() throws {
        let proxy = try trusting(ProxyUnderTest(before: FakeOrigin()))
        let balancer = HTTPTestClient(port: proxy.port, from: Self.balancer)
        let forwarded = ("X-Forwarded-For", "203.0.113.9")
        let asked: [(HTTPTestClient, (String, String)?)] = [
            (balancer, forwarded), (balancer, ("Forwarded", "for=\"[2001:db8::7]:1\"")), (balancer, nil),
            (proxy.client, forwarded), (balancer, forwarded),
        ]
        for (client, field) in asked {
            #expect(try client.send("GET", "/v1/catalog/us/albums/1", fields: field.map { [$0] } ?? []).status == 200)
        }
        let malformed = request(1, from: "203.0.113.9") + "GET / HTTP/9.9\r\n\r\n"
        _ = try proxy.connection(sending: malformed, from: Self.balancer).readToEnd()
        // A reload may end the trust, on connections that are there as well.
        try proxy.adopt { $0.bounds.trustedProxies = TrustedProxies() }
        #expect(try balancer.send("GET", "/v1/catalog/us/albums/1", fields: [forwarded]).status == 200)
        balancer.close()
        #expect(
            try proxy.loggedClients() == [
                "203.0.113.9", "2001:db8::7", "127.0.0.77", "127.0.0.1", "203.0.113.9", "203.0.113.9",
                // A malformed request says nothing of its client; the one before it was another's.
                "127.0.0.77", "127.0.0.77",
            ])
    }

    @Test func eachClientIsAPartyOfItsOwn() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(.ok("{}")), .hold])
        let proxy = try trusting(ProxyUnderTest(scripted: origin), perAddress: 2)
        // Four connections of the balancer: more than one address may have.
        let connections = try (0..<4).map { _ in try proxy.connection(from: Self.balancer) }
        for (number, connection) in connections.enumerated() {
            let client = number < 3 ? "203.0.113.9" : "203.0.113.10"
            try connection.send(request(1, from: client))
            if number == 1 { waitUntil { proxy.statistics[.requests] == 2 } }
            if number == 2 {
                #expect(String(decoding: connection.read(12), as: UTF8.self) == "HTTP/1.1 503", "its third at once")
            }
        }
        waitUntil { proxy.statistics[.misses] == 3 }
        gate.open()
        for connection in [connections[0], connections[1], connections[3]] {
            #expect(String(decoding: connection.read(12), as: UTF8.self) == "HTTP/1.1 200")
        }
        // Those are over, so it may ask again; the connection was kept.
        try connections[3].send(request(1, from: "203.0.113.9"))
        waitUntil { proxy.statistics[.hits] == 1 }
        let lines = try proxy.finalLog().filter { $0.contains(" 503 ") }
        #expect(lines.count == 1 && lines[0].hasPrefix("203.0.113.9 "))
        #expect(lines[0].contains("\"GET /v1/catalog/us/albums/1 HTTP/1.1\" 503 "))
        #expect(lines[0].contains(" refused/requests-of-this-address "))
    }

    @Test func aClientThatLeavesStopsCountingWithItsRequest() throws {
        let gate = ScriptedOrigin.Gate()
        let origin = try ScriptedOrigin([.request, .wait(gate), .send(.ok("{}", "Connection: close\r\n")), .close])
        let proxy = try trusting(ProxyUnderTest(scripted: origin), perAddress: 1)
        for round in 1...3 {
            let asking = request(round, from: "203.0.113.9")
            let connection = try proxy.connection(sending: asking, from: Self.balancer)
            waitUntil { proxy.statistics[.misses] == round }
            connection.reset()
            gate.open()
            waitUntil { proxy.statistics.connections.count == 0 }
        }
        #expect(proxy.statistics[.refused] == 0)
    }
}
