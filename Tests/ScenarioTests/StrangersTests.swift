import EventLoop
import Foundation
import Server
import TestSupport
import Testing

@testable import AppleMusic
@testable import HTTP
@testable import Proxy

/// The memory and the connections that unknown clients may take.
@Suite(.timeLimit(.minutes(10))) struct StrangersTests {
    private func withProxy(
        keys: Bool = false, bounds: ClientBounds = ClientBounds(), answer: String = "{}",
        _ test: (ProxyUnderTest, FakeOrigin) throws -> Void
    ) throws {
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: answer) }
        let clients = try keys ? ClientKeys(SecretBytes(Array("app 0123456789abcdef\n".utf8).span)) : nil
        let proxy = try ProxyUnderTest(originPort: origin.port, clientKeys: clients)
        try proxy.adopt { $0.bounds = bounds }
        try test(proxy, origin)
    }

    private func bounds(requestBytes: Int = 64 << 20, perAddress: Int = .max) -> ClientBounds {
        var bounds = ClientBounds()
        bounds.requestBytes = requestBytes
        bounds.connectionsPerAddress = perAddress
        return bounds
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// 981 clients without a key took a gibibyte by a mebibyte of content each.
    @Test(arguments: [
        ("POST /v1/me/library", "", 401), ("POST /v1/me/library", "X-Refrain-Key: wrong\r\n", 401),
        ("OPTIONS /v1/me", "Origin: https://x\r\nAccess-Control-Request-Method: GET\r\n", 400),
        (
            "OPTIONS /v1/me",
            "Origin: https://x\r\nAccess-Control-Request-Method: GET\r\nX-Refrain-Key: 0123456789abcdef\r\n", 400
        ),
        ("TRACK /v1/me/library", "X-Refrain-Key: 0123456789abcdef\r\n", 405),
        ("POST /v1/%zz", "X-Refrain-Key: 0123456789abcdef\r\n", 400),
        ("POST /v1/me/x", "X-Refrain-Key: 0123456789abcdef\r\nMusic-User-Token: a\r\nMusic-User-Token: b\r\n", 400),
    ])
    func contentIsReadOnlyWhereItsHeadIsTaken(line: String, fields: String, status: Int) throws {
        try withProxy(keys: true) { proxy, origin in
            for framing in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
                let client = try RawClient(port: UInt16(proxy.port))
                defer { client.close() }
                try client.send("\(line) HTTP/1.1\r\nHost: x\r\n\(fields)\(framing)\r\n\r\n")
                let answer = text(client.readSome())
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
                #expect(answer.contains("\r\nConnection: close\r\n"))
                #expect(answer.contains("\r\nWWW-Authenticate: Bearer") == (status == 401))
            }
            #expect(origin.requests.isEmpty && proxy.statistics.requestBudget.heldBytes == 0)
        }
    }

    @Test func aRequestThatIsAdmittedByItsHeadCountsOnce() throws {
        let file = "app 0123456789abcdef 2/s\n"
        let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: "{}") }
        let proxy = try ProxyUnderTest(
            originPort: origin.port, clientKeys: try ClientKeys(SecretBytes(Array(file.utf8).span)))
        for _ in 0..<2 {
            let reply = try proxy.client.send(
                "POST", "/v1/me/library", fields: [("X-Refrain-Key", "0123456789abcdef")], body: Data("{}".utf8))
            #expect(reply.status == 200)
        }
        #expect(proxy.statistics.clients().map { $0.requests } == [2] && proxy.statistics[.requests] == 2)
    }

    @Test func requestsTogetherHoldNoMoreThanTheyMay() throws {
        try withProxy(bounds: bounds(requestBytes: 1 << 20)) { proxy, _ in
            let part = [UInt8](repeating: 0x20, count: 100_000)
            let clients = try (0..<40).map { _ in try RawClient(port: UInt16(proxy.port)) }
            for client in clients {
                // Those that are refused meanwhile may not take all of it.
                try? client.send("POST /v1/me/library HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
                try? client.send(part)
            }
            waitUntil { proxy.statistics[.refused] > 0 }
            #expect((1..<clients.count).contains(proxy.statistics[.refused]))
            #expect(proxy.statistics.requestBudget.heldBytes <= 1 << 20)
            // A request that needs no memory for long is answered.
            #expect(try proxy.client.send("GET", "/v1/catalog/us/albums/1").status == 200)
            for client in clients { client.close() }
            waitUntil { proxy.statistics.requestBudget.heldBytes == 0 }
            #expect(proxy.statistics.requestBudget.heldBytes == 0)
        }
    }

    @Test func headsThatDoNotEndCount() throws {
        try withProxy(bounds: bounds(requestBytes: 1 << 20)) { proxy, _ in
            let clients = try (0..<20).map { _ in try RawClient(port: UInt16(proxy.port)) }
            for client in clients { try client.send("GET / HTTP/1.1\r\nX: ") }
            waitUntil { proxy.statistics.requestBudget.heldBytes > 0 }
            #expect((1...(1 << 20)).contains(proxy.statistics.requestBudget.heldBytes))
            for client in clients { client.close() }
            waitUntil { proxy.statistics.requestBudget.heldBytes == 0 }
            #expect(proxy.statistics.requestBudget.heldBytes == 0)
        }
    }

    @Test func oneAddressCannotTakeTheConnectionsOfAll() throws {
        try withProxy(bounds: bounds(perAddress: 3)) { proxy, _ in
            let request = "GET /v1/catalog/us/albums/1 HTTP/1.1\r\nHost: x\r\n\r\n"
            func isServed(_ client: RawClient) -> Bool {
                (try? client.send(request)) != nil && text(client.readSome()).hasPrefix("HTTP/1.1 200 ")
            }
            let greedy = try (0..<6).map { _ in try RawClient(port: UInt16(proxy.port)) }
            #expect(greedy.count(where: isServed) == 3)
            let other = try RawClient(port: UInt16(proxy.port), from: 2)
            #expect(isServed(other))
            #expect(proxy.statistics.connections.refusedCount == 3)
            for client in greedy + [other] { client.close() }
            waitUntil { proxy.statistics.connections.count == 0 }
            #expect(isServed(try RawClient(port: UInt16(proxy.port))))
        }
    }

    /// Each of them held its whole answer until a deadline came.
    @Test func clientsThatReadNothingHoldNoMoreThanTheirShare() throws {
        let size = 6 << 20
        var bounds = ClientBounds()
        bounds.answerBytes = 20 << 20
        try withProxy(bounds: bounds, answer: String(repeating: "x", count: size)) { proxy, _ in
            let slow = try (0..<12).map { number in
                let client = try RawClient(port: UInt16(proxy.port), receiveBuffer: 4_096)
                try client.send("GET /v1/catalog/us/songs/\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
                return client
            }
            defer { for client in slow { client.close() } }
            waitUntil { proxy.statistics.answerBudget.resetCount >= 9 }
            #expect(proxy.statistics.answerBudget.resetCount == 9)
            #expect(proxy.statistics.answerBudget.heldBytes <= bounds.answerBytes)
            #expect(try proxy.client.send("GET", "/v1/catalog/us/songs/1").body.count == size, "one that reads")
            for client in slow { client.close() }
            waitUntil { proxy.statistics.answerBudget.heldBytes == 0 }
            #expect(proxy.statistics.answerBudget.heldBytes == 0)
        }
    }

    @Test func aClientIsNotResetForWhatAnotherAddressHolds() throws {
        let size = 6 << 20
        var bounds = ClientBounds()
        bounds.answerBytes = 20 << 20
        try withProxy(bounds: bounds, answer: String(repeating: "x", count: size)) { proxy, _ in
            func client(_ number: Int, from address: UInt8) throws -> RawClient {
                let client = try RawClient(port: UInt16(proxy.port), receiveBuffer: 4_096, from: address)
                try client.send("GET /v1/catalog/us/songs/\(number) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return client
            }
            let honest = try client(0, from: 2)
            waitUntil { proxy.statistics.answerBudget.heldBytes >= size }
            let greedy = try (1...8).map { try client($0, from: 1) }
            defer { for client in greedy { client.close() } }
            waitUntil { proxy.statistics.answerBudget.resetCount >= 6 }
            #expect(proxy.statistics.answerBudget.resetCount == 6)
            #expect(honest.read().count > size, "the one that began first of all")
            honest.close()
        }
    }
}
