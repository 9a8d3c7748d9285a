import TestSupport
import Testing

/// SIGUSR2 on a node whose connections come from a load balancer.
@Suite(.serialized, .timeLimit(.minutes(10)), .requires(.binary))
struct UpgradeBehindBalancerTests {
    private static let request = "GET /v1/catalog/us/albums/1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

    private static func header(_ host: Int) -> String { "PROXY TCP4 203.0.113.\(host) 10.0.0.1 40000 443\r\n" }

    private static func answer(_ client: RawClient) -> String {
        client.readText()
    }

    /// One waits for the end of a header when its process gets a successor.
    @Test func headersAreReadBeforeAndAfterAndInBetween() async throws {
        try await onThread {
            let origin = try FakeOrigin { _ in FakeOrigin.Reply(body: "album") }
            defer { origin.stop() }
            let program = try UpgradedProgram("")
            try program.configure(
                """
                listen 127.0.0.1:0 proxy_protocol
                admin_listen off
                upstream http://127.0.0.1:\(origin.port)
                access_log \(program.folder.file("access"))
                workers 2
                """)
            try program.start()
            let port = UInt16(try program.port())
            let before = try RawClient(port: port)
            try before.send(Self.header(1) + Self.request)
            #expect(Self.answer(before).hasSuffix("album"))
            let between = try RawClient(port: port)
            try between.send(String(Self.header(2).prefix(20)))
            // One that came later has its answer: the other has been accepted.
            let later = try RawClient(port: port)
            try later.send(Self.header(3) + Self.request)
            #expect(Self.answer(later).hasSuffix("album"))
            try program.upgrade()
            #expect(try program.port() == Int(port))
            try between.send(String(Self.header(2).dropFirst(20)) + Self.request)
            #expect(Self.answer(between).hasSuffix("album"))
            let after = try RawClient(port: port)
            try after.send(Self.header(4) + Self.request)
            #expect(Self.answer(after).hasSuffix("album"))
            // The successor trusts no connection without a header either.
            let bare = try RawClient(port: port)
            try bare.send(Self.request)
            #expect(Self.answer(bare).isEmpty)
            program.stop()
            waitUntil { Self.clients(program).count == 4 }
            #expect(Self.clients(program) == (1...4).map { "203.0.113.\($0)" })
        }
    }

    /// Whom the log names, in order of their addresses.
    private static func clients(_ program: UpgradedProgram) -> [String] {
        let log = (try? program.folder.bytes("access")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return log.split(separator: "\n").map { String($0.prefix { $0 != " " }) }.sorted()
    }
}
