import TestSupport
import Testing

/// Clients that leave at any moment. Once they are gone, the proxy holds no bytes for them.
@Suite(.timeLimit(.minutes(10))) struct AbandonmentTests {
    private static let small = "/v1/catalog/us/albums/"
    /// More than is collected before it is sent on.
    private static let large = "/v1/catalog/us/songs/"

    @Test(arguments: TestSize.of([31], full: [31, 32, 33]) as [UInt64])
    func clientsThatLeaveAnywhereGiveBackEverything(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let content = String(repeating: "x", count: 9 << 20)
        let origin = try FakeOrigin { request in
            FakeOrigin.Reply(body: request.target.hasPrefix(Self.large) ? content : "{}")
        }
        let proxy = try ProxyUnderTest(before: origin, workers: 2)
        var clients: [RawClient] = []
        for _ in 0..<TestSize.of(60, release: 600) {
            let client = try RawClient(port: UInt16(proxy.port), receiveBuffer: 4_096)
            // The proxy may have refused it by then.
            try? client.send(Self.requests(using: &random))
            let most = [0, 1, 100, 200_000, 12 << 20].randomElement(using: &random)!
            if most > 0 { _ = client.read(most, patience: .milliseconds(20)) }
            clients.append(client)
            if clients.count > 8 {
                Self.leave(clients.remove(at: Int.random(in: 0..<clients.count, using: &random)), using: &random)
            }
        }
        for client in clients { Self.leave(client, using: &random) }
        clients = []
        let statistics = proxy.statistics
        waitUntil {
            statistics.connections.count == 0 && statistics.answerBudget.heldBytes == 0
                && statistics.requestBudget.heldBytes == 0
        }
        let held = [statistics.requestBudget.heldBytes, statistics.answerBudget.heldBytes]
        #expect(statistics.connections.count == 0 && held == [0, 0], "seed \(seed)")
        #expect(try proxy.client.send("GET", Self.small + "1").status == 200)
    }

    /// One to three requests, the last of them cut at any byte or whole.
    private static func requests(using random: inout SeededGenerator) -> [UInt8] {
        let before = (0..<Int.random(in: 0...2, using: &random)).map { _ in request(using: &random) }
        let last = Array(request(using: &random).utf8)
        let end = Bool.random(using: &random) ? last.count : Int.random(in: 0...last.count, using: &random)
        return Array(before.joined().utf8) + last[..<end]
    }

    private static func request(using random: inout SeededGenerator) -> String {
        let number = Int.random(in: 1...6, using: &random)
        let content = String(repeating: " ", count: Int.random(in: 0...60_000, using: &random))
        return switch Int.random(in: 0..<4, using: &random) {
        case 0: "GET \(small)\(number) HTTP/1.1\r\nHost: a\r\nX: \(content.prefix(2_000))\r\n\r\n"
        case 1: String.get("\(large)\(number)")
        case 2: "POST /v1/me/library HTTP/1.1\r\nHost: a\r\nContent-Length: \(content.utf8.count)\r\n\r\n\(content)"
        default:
            "POST /v1/me/library HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "\(String(content.utf8.count + 1, radix: 16))\r\n\(content) \r\n0\r\n\r\n"
        }
    }

    private static func leave(_ client: RawClient, using random: inout SeededGenerator) {
        if Bool.random(using: &random) { client.finishSending() }
        if Bool.random(using: &random) { client.reset() } else { client.close() }
    }
}
