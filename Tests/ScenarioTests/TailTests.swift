import Foundation
import HTTP
import TestSupport
import Testing
import Text

@testable import Proxy
@testable import Server

/// `refrain tail` and a selective access log, in front of real requests.
@Suite(.timeLimit(.minutes(10))) struct TailTests {
    private static let album = "/v1/catalog/us/albums/1"
    private static let gone = "/v1/catalog/us/artists/9"

    private func origin() throws -> FakeOrigin {
        try FakeOrigin { request in
            request.target.contains("artists/9")
                ? FakeOrigin.Reply(status: 500) : FakeOrigin.Reply(body: #"{"data":[{"id":"1"}]}"#)
        }
    }

    private func condition(_ name: String, _ text: String, isNegated: Bool = false) throws -> RequestCondition {
        try #require(RequestCondition.facts.first { $0.name == name }).condition(text, isNegated: isNegated)
    }

    @Test func readersGetTheLinesThatTheyWantAndNoOthers() throws {
        let proxy = try ProxyUnderTest(before: origin())
        let tails = proxy.statistics.tails
        #expect(!tails.isRead)
        let errors = tails.begin([try condition("status", "5xx")], as: .json)
        let hits = tails.begin([try condition("outcome", "hit"), try condition("user-agent", "tests")], as: .combined)
        for _ in 0..<3 { _ = try proxy.client.send("GET", Self.album, fields: [("User-Agent", "Tests/1")]) }
        _ = try proxy.client.send("GET", Self.album)
        _ = try proxy.client.send("GET", Self.gone)
        let failed = errors.take()
        let line = try JSON.parse(failed.lines)
        #expect(line["status"] == 500 && line["target"]?.stringValue == Self.gone && line["reason"] == "absent")
        let lines = String(decoding: hits.take().lines, as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"GET \(Self.album) HTTP/1.1\" 200 ") })
        #expect(errors.take().lines.isEmpty && failed.omitted == 0)
        tails.end(errors)
        #expect(tails.isRead)
        tails.end(hits)
        #expect(!tails.isRead)
    }

    /// Readers would share one bound.
    @Test func aReaderOfEverythingLeavesOthersTheirLines() throws {
        let proxy = try ProxyUnderTest(before: origin())
        let tails = proxy.statistics.tails
        let (all, errors) = (tails.begin([], as: .json), tails.begin([try condition("status", "5xx")], as: .json))
        defer {
            tails.end(all)
            tails.end(errors)
        }
        let line = [UInt8](repeating: 0x61, count: 4096)
        while all.take().omitted == 0 { for _ in 0..<200 { all.add { line } } }
        for _ in 0..<200 { all.add { line } }
        _ = try proxy.client.send("GET", Self.gone)
        #expect(all.take().omitted > 0)
        #expect(!errors.take().lines.isEmpty)
    }

    private func choose(_ selection: LogSelection, in proxy: ProxyUnderTest) throws {
        try proxy.adopt { settings in
            settings.accessLog = settings.accessLog.map { AccessLogSettings($0.sink, .combined, selection) }
        }
    }

    @Test func theLogHasTheLinesThatWereChosen() throws {
        let proxy = try ProxyUnderTest(before: origin())
        try choose(LogSelection([try condition("status", ">=400")]), in: proxy)
        for _ in 0..<5 { _ = try proxy.client.send("GET", Self.album) }
        _ = try proxy.client.send("GET", Self.gone)
        _ = try proxy.client.send("GET", "/v1/catalog/us/%zz")
        let lines = try proxy.finalLog()
        #expect(lines.count == 2 && lines[0].contains(" 500 ") && lines[1].contains(" 400 "))
    }

    @Test func aSampleIsOfTheRequestsThatNoConditionTakes() throws {
        let proxy = try ProxyUnderTest(before: origin())
        try choose(LogSelection([try condition("status", "5xx")], sample: 100_000), in: proxy)
        for _ in 0..<40 { _ = try proxy.client.send("GET", Self.album) }
        for _ in 0..<3 { _ = try proxy.client.send("GET", Self.gone) }
        let lines = try proxy.finalLog()
        #expect(lines.count { $0.contains(" 200 ") } == 4 && lines.count { $0.contains(" 500 ") } == 3)
    }
}

/// The command, as operators run it.
@Suite(.timeLimit(.minutes(10)), .requires(.binary)) struct TailCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func start(_ port: Int, _ words: [String]) throws -> ChildProcess {
        let binary = try #require(BinaryUnderTest.path)
        return try ChildProcess(
            [binary, "tail", "--admin", "http://127.0.0.1:\(port)"] + words, output: folder.file("out"),
            errors: folder.file("err"))
    }

    /// Sends requests until one of them has been shown: the command may not have begun.
    private func sendUntilShown(_ program: ServedProgram, _ count: Int) throws {
        let client = HTTPTestClient(port: try program.port)
        waitUntil {
            _ = try? client.send("GET", "/v1/catalog/us/%zz")
            return folder.text("out").split(separator: "\n").count >= count
        }
    }

    @Test func itFollowsOverARestartAndEndsCleanly() throws {
        for name in ["out", "err"] { try folder.put([], name) }
        let admin = try RawSocket.freePort()
        let lines = "upstream http://127.0.0.1:1\ncache_file off\naccess_log off\nadmin_listen 127.0.0.1:\(admin)"
        var program = try ServedProgram(folder, lines)
        waitUntil { program.listens() }
        let tail = try start(Int(admin), ["--status", "4xx", "--not-reason", "slow-head", "--json"])
        try sendUntilShown(program, 1)
        program.stop()
        waitUntil { folder.text("err").contains("waiting for it") }
        program = try ServedProgram(folder, lines)
        waitUntil { program.listens() }
        let before = folder.text("out").split(separator: "\n").count
        try sendUntilShown(program, before + 1)
        #expect(folder.text("err").contains("following again"))
        tail.send(SIGTERM)
        #expect(tail.waitForEnd() == 0)
        for line in folder.text("out").split(separator: "\n") {
            let json = try JSON.parse(Array(line.utf8))
            #expect(json["status"] == 400 && json["outcome"] == "refused")
        }
        program.stop()
    }

    @Test func mistakesAreNamedAtOnce() throws {
        for (words, status, message) in [
            (["--status", "6xx"], 2, "refrain: tail: --status: expected a status such as 503, 5xx or >=400\n"),
            (["--not-slow", "5"], 2, "refrain: tail: --not-slow: expected a duration such as 200ms or 1s"),
        ] {
            try folder.put([], "err")
            let tail = try start(1, words)
            #expect(tail.waitForEnd() == status)
            #expect(folder.text("err").hasPrefix(message), "\(folder.text("err"))")
        }
        let tail = try start(1, [])
        #expect(tail.waitForEnd() == 1)
    }
}
