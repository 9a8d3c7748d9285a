import Foundation
import Proxy
import TestSupport
import Testing

@testable import Recording

/// What a real proxy records of answers that are unlike most.
@Suite(.timeLimit(.minutes(10))) struct RecordedAnswersTests {
    private static let album = "/v1/catalog/us/albums/1"

    /// Two requests for an answer, and what was recorded of them.
    private static func recorded(
        _ target: String = album, _ fields: [(String, String)] = [], policy: Policy = Policy(),
        _ reply: FakeOrigin.Reply
    ) throws -> [RecordedExchange] {
        let folder = try TemporaryFolder()
        let origin = try FakeOrigin { _ in reply }
        let proxy = try ProxyUnderTest(originPort: origin.port, policy: policy)
        try proxy.startRecording(RecordingSettings(path: folder.file()))
        for _ in 0..<2 { _ = try proxy.client.send("GET", target, fields: fields) }
        proxy.stop()
        let exchanges = try folder.exchanges
        try #require(exchanges.count == 2)
        return exchanges
    }

    @Test func theCacheStatusOfTheOriginIsNotRecordedBesideOurs() throws {
        let reply = FakeOrigin.Reply(
            fields: [("Content-Type", "application/json"), ("Cache-Status", "Origin; hit; ttl=9")])
        for exchange in try Self.recorded(Self.album, [], reply) {
            let values = exchange.fields.filter { $0.name == "cache-status" }.map(\.value)
            #expect(values.count == 1 && values[0].hasPrefix("refrain; "), "\(values)")
        }
    }

    /// It was recorded as though it were the content itself.
    @Test func anAnswerInACodingOfTheOriginsIsRecordedWithoutABody() throws {
        let reply = FakeOrigin.Reply(
            fields: [
                ("Content-Type", "application/json"), ("Content-Encoding", "br"), ("Cache-Control", "max-age=60"),
            ],
            bytes: [0x0B, 0x02, 0x80, 0x7B, 0x7D, 0x0A, 0x03])
        for exchange in try Self.recorded(Self.album, [("Accept-Encoding", "br")], reply) {
            #expect(exchange.field("content-encoding") == "br" && exchange.body == nil && exchange.length == 7)
        }
    }

    @Test func gzipOfTheOriginsThatPassesAsItIsIsRecordedWithoutABody() throws {
        var policy = Policy()
        policy[.catalog] = .upstream
        let coded = try #require(Data(base64Encoded: "H4sIAAAAAAACA6uuBQBDv6ajAgAAAA=="))
        let reply = FakeOrigin.Reply(
            fields: [
                ("Content-Type", "application/json"), ("Content-Encoding", "gzip"), ("Cache-Control", "max-age=60"),
            ],
            bytes: Array(coded))
        for exchange in try Self.recorded(Self.album, [("Accept-Encoding", "gzip")], policy: policy, reply) {
            #expect(exchange.field("content-encoding") == nil || exchange.body == nil)
            if let body = exchange.body { #expect(body == BodyHash(of: Array("{}".utf8))) }
        }
    }

    /// Routes are told apart by their letters; whose the answer is, by the token.
    @Test func anUnknownRouteWithAUsersTokenIsPersonal() throws {
        let exchanges = try Self.recorded(
            "/v1/ME/library/songs?q=canary", [("Music-User-Token", "canary")], FakeOrigin.Reply(body: "canary"))
        for exchange in exchanges {
            #expect(exchange.isPersonal && exchange.target == "/..." && exchange.body == nil)
            #expect(!String(reflecting: exchange).contains("canary"))
        }
    }
}
