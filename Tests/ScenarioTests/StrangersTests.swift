import Foundation
import Proxy
import TestSupport
import Testing

/// The memory and the connections that unknown clients may take.
@Suite(.timeLimit(.minutes(10))) struct StrangersTests {
    private func proxy(
        keys: ClientKeys? = nil, answer: String = "{}", _ change: (inout ClientBounds) -> Void = { _ in }
    ) throws -> ProxyUnderTest {
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(body: answer)), clientKeys: keys)
        try proxy.adopt { change(&$0.bounds) }
        return proxy
    }

    private static let key = "X-Refrain-Key: 0123456789abcdef\r\n"
    private static let preflight = "Origin: https://x\r\nAccess-Control-Request-Method: GET\r\n"

    /// 981 clients without a key took a gibibyte by a mebibyte of content each.
    @Test(arguments: [
        ("POST /v1/me/library", "", 401), ("POST /v1/me/library", "X-Refrain-Key: wrong\r\n", 401),
        ("OPTIONS /v1/me", preflight, 400), ("OPTIONS /v1/me", preflight + key, 400),
        ("TRACK /v1/me/library", key, 405), ("POST /v1/%zz", key, 400),
        ("POST /v1/me/x", key + "Music-User-Token: a\r\nMusic-User-Token: b\r\n", 400),
    ])
    func contentIsReadOnlyWhereItsHeadIsTaken(line: String, fields: String, status: Int) throws {
        let proxy = try proxy(keys: ClientKeys(text: "app 0123456789abcdef\n"))
        for framing in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
            let head = "\(line) HTTP/1.1\r\nHost: x\r\n\(fields)\(framing)\r\n\r\n"
            let answer = try proxy.connection(sending: head).readSomeText()
            #expect(answer.hasPrefix("HTTP/1.1 \(status) ") && answer.contains("\r\nConnection: close\r\n"))
            #expect(answer.contains("\r\nWWW-Authenticate: Bearer") == (status == 401))
        }
        #expect(proxy.origin.requests.isEmpty && proxy.statistics.requestBudget.heldBytes == 0)
    }

    @Test func requestsTogetherHoldNoMoreThanTheyMay() throws {
        let proxy = try proxy { $0.requestBytes = 1 << 20 }
        let budget = proxy.statistics.requestBudget
        let part = [UInt8](repeating: 0x20, count: 100_000)
        let clients = try (0..<40).map { _ in try proxy.connection() }
        for client in clients {
            // Those that are refused meanwhile may not take all of it.
            try? client.send("POST /v1/me/library HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
            try? client.send(part)
        }
        waitUntil { proxy.statistics[.refused] > 0 }
        #expect((1..<clients.count).contains(proxy.statistics[.refused]) && budget.heldBytes <= 1 << 20)
        // Another client has room for its own: one's requests had left no byte.
        let other = HTTPTestClient(port: proxy.port, from: 2)
        #expect(try other.send("GET", "/v1/catalog/us/albums/1").status == 200)
        let content = Data(repeating: 0x20, count: 50_000)
        #expect(try other.send("POST", "/v1/me/library", body: content).status == 200)
        for client in clients { client.close() }
        waitUntil { budget.heldBytes == 0 }
        // Heads that do not end count too.
        let others = try (0..<20).map { _ in try proxy.connection(sending: "GET / HTTP/1.1\r\nX: ") }
        waitUntil { budget.heldBytes > 0 }
        #expect(budget.heldBytes <= 1 << 20)
        for client in others { client.close() }
        waitUntil { budget.heldBytes == 0 }
    }

    @Test func oneAddressCannotTakeTheConnectionsOfAll() throws {
        let proxy = try proxy { $0.connectionsPerAddress = 3 }
        func isServed(_ client: RawClient) -> Bool {
            (try? client.send(.get("/v1/catalog/us/albums/1"))) != nil
                && client.readSomeText().hasPrefix("HTTP/1.1 200 ")
        }
        let greedy = try (0..<6).map { _ in try proxy.connection() }
        #expect(greedy.count(where: isServed) == 3)
        let other = try proxy.connection(from: 2)
        #expect(isServed(other))
        let connections = proxy.statistics.connections
        #expect(connections.refusedCount == 3 && connections.refusals.count(by: .address) == 3)
        for client in greedy + [other] { client.close() }
        waitUntil { proxy.statistics.connections.count == 0 }
        #expect(isServed(try proxy.connection()))
    }

    private static let size = 6 << 20
    private static let large = String(repeating: "x", count: size)

    /// A client that asks for a large answer, and does not read it yet.
    private func slow(_ proxy: ProxyUnderTest, _ number: Int, from address: UInt8 = 1) throws -> RawClient {
        let request = String.get("/v1/catalog/us/songs/\(number)", closes: true)
        return try proxy.connection(sending: request, receiveBuffer: 4_096, from: address)
    }

    /// Each of them held its whole answer until a deadline came. No client is reset for the answers
    /// that another address holds.
    @Test func clientsThatReadNothingHoldNoMoreThanTheirShare() throws {
        let proxy = try proxy(answer: Self.large) { $0.answerBytes = 20 << 20 }
        let (budget, refusals) = (proxy.statistics.answerBudget, proxy.statistics.connections.refusals)
        let honest = try slow(proxy, 0, from: 2)
        waitUntil { budget.heldBytes >= Self.size }
        let greedy = try (1...11).map { try slow(proxy, $0) }
        waitUntil { refusals.count(by: .answerMemory) >= 9 }
        #expect(refusals.count(by: .answerMemory) == 9 && budget.heldBytes <= 20 << 20)
        #expect(try proxy.client.send("GET", "/v1/catalog/us/songs/1").body.count == Self.size, "one that reads")
        #expect(honest.read().count > Self.size, "the one that began first of all")
        for client in greedy { client.close() }
        waitUntil { budget.heldBytes == 0 }
    }
}
