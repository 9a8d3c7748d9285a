import Foundation
import TestSupport
import Testing

/// After SIGUSR2 the old process answers once more on each connection that it has. A write
/// that the new one gets meanwhile holds for it, too.
@Suite(.serialized, .timeLimit(.minutes(5)), .requires(.binary)) struct TwoProcessesTests {
    private static let song = "/v1/catalog/us/songs/1"
    private static let library = "/v1/me/library/songs"

    private static let reply = FakeOrigin.Reply(
        fields: [("Content-Type", "application/json")],
        body: "{\"data\":[{\"id\":\"1\",\"type\":\"songs\",\"href\":\"\(song)\"}]}")

    private static func origin() throws -> FakeOrigin {
        try FakeOrigin { $0.method == "GET" ? reply : FakeOrigin.Reply(status: 204, body: "") }
    }

    private static func request(_ method: String, _ target: String) -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\nMusic-User-Token: anna\r\n\r\n"
    }

    /// A connection on which one answer came.
    private static func connection(_ port: Int, _ target: String) throws -> RawClient {
        let client = try RawClient(port: UInt16(port))
        try client.send(request("GET", target))
        #expect(client.readSomeText().hasPrefix("HTTP/1.1 200"))
        return client
    }

    /// The last answer of the old process on a connection, which it closes if it is leaving.
    private static func lastAnswer(_ client: RawClient, _ method: String, _ target: String) throws -> String {
        defer { client.close() }
        try client.send(request(method, target))
        return client.readSomeText()
    }

    /// Purges after `upgrades` upgrades: an old connection has hits before, none afterwards.
    private static func purge(_ body: String, after upgrades: Int) throws {
        let origin = try origin()
        let program = try UpgradedProgram(before: origin.port, hasAdmin: true)
        let port = try program.port()
        let (before, after) = (try connection(port, song), try connection(port, song))
        let replaced = try (0..<upgrades).map { _ in
            let old = program.process
            try program.upgrade()
            return old
        }
        #expect(try lastAnswer(before, "GET", song).contains("; hit"))
        let answer = try program.purge(body)
        #expect(answer.hasPrefix("HTTP/1.1 200"), "\(answer)")
        #expect(replaced.allSatisfy(UpgradedProgram.isRunning))
        #expect(try lastAnswer(after, "GET", song).contains("fwd="))
        waitUntil(within: 60) { !replaced.contains(where: UpgradedProgram.isRunning) }
        #expect(try program.purge(body).hasPrefix("HTTP/1.1 200"))
        program.stop()
    }

    /// The second of three had no connections, ended at once, and nothing told the first of purges.
    @Test(arguments: [
        ("{\"all\":true,\"hard\":true}", 2), ("{\"url\":\"\(song)\",\"hard\":true}", 1), ("{\"storefront\":\"us\"}", 1),
    ])
    func whatWasPurgedAfterAnUpgradeIsNoHitOfTheOldProcess(_ body: String, upgrades: Int) throws {
        try Self.purge(body, after: upgrades)
    }

    /// Nothing told it of purges any more, and it answered for its whole minute.
    @Test func aProcessWhoseSuccessorWasKilledDoesNotStay() throws {
        let origin = try Self.origin()
        let program = try UpgradedProgram(before: origin.port, hasAdmin: true)
        let (port, old) = (try program.port(), program.process)
        let client = try Self.connection(port, Self.song)
        try program.upgrade()
        kill(program.process, SIGKILL)
        try program.wait("stopping: finishing running requests", times: 1)
        waitUntil(within: 60) { !UpgradedProgram.isRunning(old) }
        client.close()
        #expect(origin.requests.count == 1)
    }

    /// The end of the new process counted as a second signal to the old one, which cut requests.
    @Test(arguments: [true, false])
    func oneSignalToEachOfTwoProcessesCutsNoRequestOff(_ isOldFirst: Bool) throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let origin = try FakeOrigin(Self.reply, after: mayAnswer)
        let program = try UpgradedProgram(before: origin.port, hasAdmin: true)
        let client = try RawClient(port: UInt16(try program.port()))
        try client.send(Self.request("GET", Self.song))
        waitUntil { !origin.requests.isEmpty }
        let old = try program.upgrade()
        let hurries = "stopping: finishing running requests"
        if isOldFirst {
            kill(old, SIGTERM)
            try program.wait(hurries, times: 1)
        }
        program.stop()
        try program.wait(hurries, times: 2)
        if !isOldFirst { kill(old, SIGTERM) }
        // Most often it is read later than the signal that was sent before it.
        kill(old, SIGUSR1)
        try program.wait("SIGUSR1: there is no log file to reopen", times: 1)
        mayAnswer.signal()
        let answer = client.readText()
        waitUntil(within: 60) { !UpgradedProgram.isRunning(old) }
        #expect(program.times("stopped at once") == 0, "\(program.log)")
        // On a busy machine the ten seconds may have passed that a stop has.
        if program.times("and were closed") == 0 {
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("}]}"))
        }
    }

    @Test func anINTAfterATERMCutsTheRequestOff() throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        defer { mayAnswer.signal() }
        let origin = try FakeOrigin(after: mayAnswer)
        let program = try UpgradedProgram(before: origin.port, hasAdmin: true)
        let client = try RawClient(port: UInt16(try program.port()))
        try client.send(.get(Self.song))
        waitUntil { !origin.requests.isEmpty }
        kill(program.process, SIGTERM)
        try program.wait("stopping: finishing", times: 1)
        kill(program.process, SIGINT)
        #expect(program.stop() == 1 && program.times("stopped at once") == 1)
    }

    @Test func aWriteToOneProcessEndsAnswersOfTheOther() throws {
        let origin = try Self.origin()
        let program = try UpgradedProgram(before: origin.port, hasAdmin: true, "ttl personal 600s")
        let port = try program.port()
        let (first, second) = (try Self.connection(port, Self.library), try Self.connection(port, Self.library))
        try program.upgrade()
        for _ in 0..<2 {
            let fields = [("Music-User-Token", "anna")]
            let reply = try HTTPTestClient(port: port).send("GET", Self.library, fields: fields)
            #expect(reply.field("Cache-Status")?.contains("; hit") == false)
        }
        #expect(try Self.lastAnswer(first, "GET", Self.library).contains("fwd="))
        #expect(try Self.lastAnswer(second, "DELETE", Self.library + "/i.1").hasPrefix("HTTP/1.1 204"))
        #expect(origin.requests.count { $0.method == "GET" } == 4)
        program.stop()
    }

    private static func header(_ host: Int) -> String { "PROXY TCP4 203.0.113.\(host) 10.0.0.1 40000 443\r\n" }

    /// One connection waits for the end of a header when its process gets a successor.
    @Test func headersAreReadBeforeAndAfterAndInBetween() throws {
        let origin = try FakeOrigin(.init(body: "album"))
        let program = try UpgradedProgram(
            before: origin.port, listen: "127.0.0.1:0 proxy_protocol", "access_log @/access")
        let (port, request) = (UInt16(try program.port()), String.get("/v1/catalog/us/albums/1", closes: true))
        func answer(_ text: String) throws -> String {
            let client = try RawClient(port: port)
            try client.send(text)
            return client.readText()
        }
        #expect(try answer(Self.header(1) + request).hasSuffix("album"))
        let between = try RawClient(port: port)
        try between.send(String(Self.header(2).prefix(20)))
        // One that came later has its answer: the other has been accepted.
        #expect(try answer(Self.header(3) + request).hasSuffix("album"))
        try program.upgrade()
        #expect(try program.port() == Int(port))
        try between.send(String(Self.header(2).dropFirst(20)) + request)
        #expect(between.readText().hasSuffix("album"))
        #expect(try answer(Self.header(4) + request).hasSuffix("album"))
        #expect(try answer(request).isEmpty, "the successor trusts no connection without a header either")
        program.stop()
        func clients() -> [String] {
            program.folder.text("access").split(separator: "\n").map { String($0.prefix { $0 != " " }) }.sorted()
        }
        waitUntil { clients().count == 4 }
        #expect(clients() == (1...4).map { "203.0.113.\($0)" })
    }
}
