import Compose
import Foundation
import Freshness
import HTTP
import TestSupport
import Testing

@testable import Recording

/// Large answers that are not stored go on as they come; all others are whole first, also where
/// something is to be done with them: they are inflated, or compared.
@Suite(.timeLimit(.minutes(10))) struct StreamingTests {
    private static let size = 1 << 20
    private static let target = "/v1/large"
    private static let large = FakeOrigin.Reply(
        fields: [("Cache-Control", "no-store")], bytes: [UInt8](repeating: 32, count: size))
    private static let part = "Cache-Control: no-store\r\nContent-Range: bytes 0-\(size / 2)/\(size)"

    /// An origin stops in the middle of its answer. A part is whole before its client gets any of
    /// it; an answer in place of one is streamed.
    @Test(arguments: [
        (200, "Cache-Control: no-store", true), (200, "Cache-Control: max-age=60", false), (206, part, false),
        (200, part, true),
    ])
    func whatNobodyKeepsReachesItsClientBeforeItsEnd(status: Int, fields: String, isStreamed: Bool) throws {
        let origin = try ScriptedOrigin([
            .request, .send("HTTP/1.1 \(status) X\r\n\(fields)\r\nContent-Length: \(Self.size)\r\n\r\n"),
            .send([UInt8](repeating: 32, count: Self.size / 2)), .sleep(milliseconds: 300), .reset,
        ])
        let proxy = try ProxyUnderTest(scripted: origin)
        let range = fields == Self.part ? "Range: bytes=0-\r\n" : ""
        let client = try proxy.connection(sending: .get(Self.target, range, closes: true))
        let (bytes, _) = client.readToEnd()
        #expect(bytes.starts(with: Array("HTTP/1.1 \(isStreamed ? "200" : "502")".utf8)))
        #expect((bytes.count > Self.size / 2) == isStreamed && client.wasReset == isStreamed)
    }

    @Test func whatIsRecordedIsRecordedWithItsContent() throws {
        let (folder, proxy) = (try TemporaryFolder(), try ProxyUnderTest(before: FakeOrigin(Self.large)))
        try proxy.startRecording(RecordingSettings(path: folder.file()))
        #expect(try proxy.client.send("GET", Self.target).body.count == Self.size)
        proxy.stop()
        #expect(try RecordingReader(path: folder.file()).rest().map { $0.body != nil } == [true])
    }

    @Test func whatHasNoContentIsNotStreamed() throws {
        let proxy = try ProxyUnderTest(before: FakeOrigin(Self.large))
        for _ in 0..<2 {
            let reply = try proxy.client.send("HEAD", Self.target)
            #expect(reply.status == 200 && reply.field("Content-Length") == "\(Self.size)" && reply.body.isEmpty)
        }
        #expect(try proxy.client.send("GET", Self.target).body.count == Self.size)
    }

    /// Hardly shrinks: its gzip form is large too.
    private static func noise(seed: UInt64) -> String {
        var generator = SeededGenerator(seed: seed)
        return (0..<(40 << 10)).map { _ in String(generator.next() | 1 << 63, radix: 16) }.joined()
    }

    /// In JSON, as an item of a list.
    private static func resource(_ id: Int) -> String {
        let name = "\"attributes\":{\"name\":\"\(noise(seed: UInt64(id)))\"}"
        return "{\"id\":\"\(id)\",\"type\":\"albums\",\"href\":\"\(String.album(id))\",\(name)}"
    }

    /// A large answer in gzip is inflated and kept; it was not requested again without a coding.
    @Test(.requires(.zlib)) func whatIsInflatedIsNotStreamed() throws {
        let body = "{\"data\":[\(Self.resource(1))]}"
        let coded = try #require(Gzip.system.deflate(Array(body.utf8)))
        #expect(coded.count > 256 << 10)
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(fields: [("Content-Encoding", "gzip")], bytes: coded)))
        for _ in 0..<2 {
            let reply = try proxy.client.send("GET", .album(1))
            #expect(reply.status == 200 && reply.body == Data(body.utf8), "\(reply.fields)")
            #expect(reply.field("Content-Encoding") == nil)
        }
        #expect(proxy.origin.requests.map { $0.field("Accept-Encoding") } == ["gzip"])
    }

    /// It was streamed, and what would have been composed was held against nothing.
    @Test(arguments: [true, false]) func whatIsComparedIsNotStreamed(isEqual: Bool) throws {
        let scene = try ScriptedScene(.byExample(.verify)) { request in
            if request.target.contains("?ids=") {
                return FakeOrigin.Reply(body: "{\"data\":[\((1...3).map(Self.resource).joined(separator: ","))]}")
            }
            let id = request.target.last?.wholeNumberValue ?? 0
            let resource = Self.resource(id)
            // The second album has another form for other clients: it is not kept.
            guard id == 2 else { return FakeOrigin.Reply(body: "{\"data\":[\(resource)]}") }
            let body = isEqual ? resource : resource.replacing("\"name\":\"", with: "\"name\":\"another ")
            return FakeOrigin.Reply(fields: [("Vary", "*")], body: "{\"data\":[\(body)]}")
        }
        for target in [String.album(1), "/v1/catalog/us/albums?ids=1,2,3"] {
            #expect(try scene.proxy.client.send("GET", target).status == 200)
        }
        let reply = try scene.proxy.client.send("GET", .album(2))
        #expect(reply.status == 200 && reply.body.count > 256 << 10)
        #expect(reply.field("Cache-Status")?.contains("detail=vary") == true, "\(reply.fields)")
        let wrong = isEqual ? 0 : 1
        waitUntil { scene.proxy.statistics[.verified] == 1 && scene.proxy.statistics[.verifyMismatches] == wrong }
    }

    // MARK: Reasons

    // `Cache-Status` and the log agree; each answer is counted and logged once, however it ends.

    /// A request, the origin's reaction, and the reason that is given.
    struct Case: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var target = StreamingTests.target
        var asking: [(String, String)] = []
        var control = "no-store"
        var size = StreamingTests.size
        /// In `Cache-Status`, without the status.
        let forward: String
        let detail: String
        /// In the log.
        let words: String
        let reasons: [Reason]

        var testDescription: String { "\(method) \(target) \(size) \(words)" }
    }

    /// More than is collected.
    private static let tooLarge = 9 << 20
    private static let personal = "/v1/me/library/songs"
    private static let user = [("Music-User-Token", "anna")]

    private static let cases = [
        Case(forward: "uri-miss", detail: "no-store", words: "absent/no-store", reasons: [.absent, .noStore]),
        Case(
            target: personal, asking: user, forward: "bypass", detail: "personal", words: "personal",
            reasons: [.personal]),
        Case(
            method: "POST", target: personal, asking: user, forward: "method", detail: "method", words: "method",
            reasons: [.method]),
        Case(
            asking: [("Cache-Control", "no-store")], control: "max-age=60", forward: "request",
            detail: "request-no-store", words: "request-no-store", reasons: [.requestNoStore]),
        // Where more than one thing keeps it from being stored, its size says it.
        Case(
            control: "max-age=60", size: tooLarge, forward: "uri-miss", detail: "too-large",
            words: "absent/too-large", reasons: [.absent, .tooLarge]),
        Case(
            size: tooLarge, forward: "uri-miss", detail: "too-large", words: "absent/too-large",
            reasons: [.absent, .tooLarge]),
        Case(
            target: personal, asking: user, size: tooLarge, forward: "bypass", detail: "too-large",
            words: "personal/too-large", reasons: [.personal, .tooLarge]),
    ]

    @Test(arguments: cases) func theReasonIsShownAndCountedOnce(_ example: Case) throws {
        let answer = FakeOrigin.Reply(
            fields: [("Cache-Control", example.control)], bytes: [UInt8](repeating: 32, count: example.size))
        let proxy = try ProxyUnderTest(before: FakeOrigin(answer))
        let reply = try proxy.client.send(
            example.method, example.target, fields: example.asking, body: example.method == "POST" ? Data() : nil)
        proxy.stop()
        #expect(reply.status == 200 && reply.body.count == example.size)
        let status = "refrain; fwd=\(example.forward); fwd-status=200; detail=\(example.detail)"
        #expect(reply.field("Cache-Status") == status)
        #expect(Self.counted(proxy) == Dictionary(uniqueKeysWithValues: example.reasons.map { ($0, 1) }))
        let isPass = example.reasons.count == 1 || example.reasons[0] == .personal
        #expect(proxy.statistics[.requests] == 1 && proxy.statistics[isPass ? .bypassed : .misses] == 1)
        #expect(proxy.statistics.latency(isPass ? .bypass : .miss).count == 1)
        let log = try proxy.accessLog()
        #expect(log.contains("\" 200 \(example.size) \"-\" \"-\" \(example.words) "), "\(log)")
        #expect(log.count { $0 == "\n" } == 1, "\(log)")
    }

    /// The reasons that were counted, and how often.
    private static func counted(_ proxy: ProxyUnderTest) -> [Reason: Int] {
        let counts = Reason.allCases.map { ($0, proxy.statistics[because: $0]) }
        return Dictionary(uniqueKeysWithValues: counts.filter { $0.1 > 0 })
    }

    private static let head = "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\nContent-Length: \(size)\r\n\r\n"
    private static let half = [UInt8](repeating: 32, count: size / 2)

    /// The head has said why it is not stored; the log has what became of it.
    @Test func whatBreaksOffIsLoggedOnceWithWhatBrokeIt() throws {
        let origin = try ScriptedOrigin([.request, .send(Self.head), .send(Self.half), .close])
        let proxy = try ProxyUnderTest(scripted: origin)
        let client = try proxy.connection(sending: .get(Self.target))
        let bytes = client.read()
        proxy.stop()
        #expect(String(decoding: bytes.prefix(1_000), as: UTF8.self).contains("fwd-status=200; detail=no-store\r\n"))
        #expect(proxy.statistics[because: .absent] == 1 && proxy.statistics[because: .noStore] == 1)
        let log = try proxy.accessLog()
        #expect(log.contains(" absent/upstream-closed ") && log.count { $0 == "\n" } == 1, "\(log)")
    }

    /// Before the head or in the middle: the next write shows it. The origin never ends its answer.
    @Test(arguments: [false, true]) func whatItsClientLeftIsCountedAndLoggedOnce(hasBegun: Bool) throws {
        let gate = ScriptedOrigin.Gate()
        let first = ScriptedOrigin.Step.send(Array(Self.head.utf8) + Self.half)
        let pieces: [ScriptedOrigin.Step] = [.send(Array(Self.half.prefix(32 << 10))), .sleep(milliseconds: 20)]
        let origin = try ScriptedOrigin(
            [.request] + (hasBegun ? [first, .wait(gate)] : [.wait(gate), first])
                + Array(repeating: pieces, count: 8).joined() + [.hold])
        let proxy = try ProxyUnderTest(scripted: origin)
        let client = try proxy.connection(sending: .get(Self.target))
        if hasBegun { #expect(client.read(12) == Array("HTTP/1.1 200".utf8)) }
        waitUntil { origin.requests.first?.count == 1 }
        client.reset()
        gate.open()
        waitUntil { proxy.statistics.latency(.miss).count == 1 }
        proxy.stop()
        #expect(Self.counted(proxy) == [.absent: 1, .noStore: 1])
        #expect(proxy.statistics[.misses] == 1 && proxy.statistics.latency(.miss).count == 1)
        let log = try proxy.accessLog()
        #expect(log.contains(" absent/no-store ") && log.count { $0 == "\n" } == 1, "\(log)")
    }
}
