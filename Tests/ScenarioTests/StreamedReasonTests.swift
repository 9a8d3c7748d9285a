import Foundation
import Freshness
import TestSupport
import Testing

/// The reasons of streamed answers.
///
/// `Cache-Status` and the log give the same one, and each answer is counted and logged once,
/// however it ends.
@Suite(.timeLimit(.minutes(10))) struct StreamedReasonTests {
    /// A request, the origin's reaction, and the reason that is given.
    struct Case: Sendable, CustomTestStringConvertible {
        var method = "GET"
        var target = StreamedReasonTests.target
        var asking: [(String, String)] = []
        var control = "no-store"
        var size = StreamedReasonTests.size
        /// In `Cache-Status`, without the status.
        let forward: String
        let detail: String
        /// In the log.
        let words: String
        let reasons: [Reason]

        var testDescription: String { "\(method) \(target) \(size) \(words)" }
    }

    private static let size = 1 << 20
    /// More than is collected.
    private static let tooLarge = 9 << 20
    private static let target = "/v1/large"
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
