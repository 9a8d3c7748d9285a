import Foundation
import Server
import Synchronization
import TestSupport
import Testing

@testable import Upstream

/// Answers of broken and hostile origins, from public test suites, as clients of the running proxy
/// see what becomes of them: with nothing stored, and with an answer that has gone stale.
@Suite(.requires(.sharedMaterial), .timeLimit(.minutes(5))) struct UpstreamCorpusProxyTests {
    private typealias Case = CorpusAnswer

    /// The answer that a client got; nil where it broke off.
    private typealias Reply = HTTPTestClient.Reply

    private static let fresh =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        + "Cache-Control: max-age=10, stale-if-error=1000000\r\nContent-Length: \(stale.utf8.count)\r\n\r\n\(stale)"
    private static let stale = #"{"stored":"before"}"#

    /// Refused by the grammar or by what was asked: the origin's answer must not be the client's.
    private static let refused: Set = ["bad-gateway", "bad-gateway-or-abort", "gateway-timeout"]

    /// An origin that plays the case whose number ends the target; before that, once, what goes
    /// stale, where it is asked for `/v1/stale/`.
    private static func origin(_ cases: [Case]) throws -> ScriptedOrigin {
        let primed = Mutex<Set<Int>>([])
        return try ScriptedOrigin([
            .perform { request in
                let target = request.split(separator: " ", maxSplits: 2).dropFirst().first ?? ""
                guard let number = target.split(separator: "/").last.flatMap({ Int($0) }), number < cases.count else {
                    return [.close]
                }
                let isFirst = target.hasPrefix("/v1/stale/") && primed.withLock { $0.insert(number).inserted }
                return isFirst ? [.send(fresh)] : cases[number].steps
            }
        ])
    }

    /// Plays all, from several clients, until the test's time limit. Cases that teach the proxy to
    /// ask less are the last, because the rest would wait.
    private static func all(
        _ cases: [Case], _ port: Int, _ problem: @escaping @Sendable (Case, Int, HTTPTestClient) -> String?
    ) async throws -> [String] {
        func teaches(_ number: Int) -> Bool { [429, 503].contains(cases[number].status) }
        let next = Mutex((cases.indices.filter { !teaches($0) } + cases.indices.filter(teaches))[...])
        let problems = Mutex<[String]>([])
        let work: @Sendable () -> Void = {
            let client = HTTPTestClient(port: port)
            while !TimeLimit.hasPassed, let index = next.withLock({ $0.popFirst() }) {
                let one = cases[index]
                guard let text = problem(one, index, client) else { continue }
                problems.withLock { $0.append("\(one.id) (\(one.expectation)): \(text)") }
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 { group.addTask { try await onThread(work) } }
            try await group.waitForAll()
        }
        return problems.withLock { $0.sorted() }
    }

    /// Asks again after any failure, so that all cases reach the origin.
    private static func askOnAndOn(_ upstream: inout UpstreamSettings) {
        (upstream.backoff, upstream.maxBackoff) = (.zero, .zero)
    }

    private static func send(_ client: HTTPTestClient, _ method: String, _ target: String) -> Reply? {
        do {
            return try client.send(method, target)
        } catch {
            client.close()
            return nil
        }
    }

    /// Where the proxy has to give the origin up it does so soon: in the time that it leaves an
    /// origin which is only late on a busy machine, the test would be over.
    @Test(arguments: [false, true]) func aRefusedAnswerIsA502AndNeverHalf(_ isEndless: Bool) async throws {
        let cases = try Case.all().filter { $0.isEndless == isEndless }
        #expect(isEndless ? cases.count > 3 : cases.count > 600)
        // No answer is right that comes later than the proxy waits.
        #expect(!isEndless || cases.allSatisfy { Self.refused.contains($0.expectation) })
        let origin = try Self.origin(cases)
        let proxy = try ProxyUnderTest(
            scripted: origin,
            adjusting: { upstream in
                Self.askOnAndOn(&upstream)
                if isEndless { (upstream.timeouts.response, upstream.timeouts.content) = (.seconds(2), .seconds(2)) }
            })
        let problems = try await Self.all(cases, proxy.port) { one, index, client in
            // Elsewhere a HEAD stays one.
            let path = one.method == "HEAD" ? "/elsewhere" : "/v1/catalog/us/songs"
            let reply = Self.send(client, one.method, "\(path)/\(index)")
            return Self.leak(one, reply) ?? Self.problemCold(one, reply)
        }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
    }

    /// Revalidated in the foreground: the client waits for the origin.
    @Test func withAStaleAnswerItStandsInForARefusedOne() async throws {
        let cases = try Case.all().filter { $0.method == "GET" }
        #expect(cases.count > 600)
        let origin = try Self.origin(cases)
        let clock = ManualClock(1_790_000_000)
        let proxy = try ProxyUnderTest(
            scripted: origin, timeOfDay: TimeOfDay { clock.unixSeconds }, adjusting: Self.askOnAndOn)
        let unprimed = try await Self.all(cases, proxy.port) { _, index, client in
            let reply = Self.send(client, "GET", "/v1/stale/\(index)")
            return reply?.body == Data(Self.stale.utf8) ? nil : "not stored: \(String(describing: reply?.status))"
        }
        #expect(unprimed.isEmpty, "\(unprimed)")
        clock.advance(seconds: 100)
        let problems = try await Self.all(cases, proxy.port) { one, index, client in
            let reply = Self.send(client, "GET", "/v1/stale/\(index)")
            return Self.leak(one, reply) ?? Self.problemStale(one, reply)
        }
        #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
        // Two each: the answer that went stale, and the case.
        let asked = Dictionary(grouping: origin.requests.joined()) { $0.prefix { $0 != "\r" } }
        #expect(asked.count == cases.count && asked.values.allSatisfy { $0.count > 1 })
    }

    private static func leak(_ one: Case, _ reply: Reply?) -> String? {
        guard let secret = one.secret.map({ Data($0) }), let reply else { return nil }
        let fields = reply.fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let isSeen = reply.body.range(of: secret) != nil || Data(fields.utf8).range(of: secret) != nil
        return isSeen ? "what must not be seen is: \(reply.fields)" : nil
    }

    private static func problemCold(_ one: Case, _ reply: Reply?) -> String? {
        guard let reply else { return one.expectation == "bad-gateway-or-abort" ? nil : "the answer broke off" }
        let isOwn = reply.status == 502 || reply.status == 504
        if isOwn, reply.field("Cache-Status")?.contains("stored") == true { return "a failure was stored" }
        switch one.expectation {
        case "relay":
            // An origin may say 502 of itself.
            if isOwn, one.status != reply.status { return "\(reply.status)" }
            return one.content.map { Data($0) == reply.body } ?? true ? nil : "another body: \(reply.body.count) bytes"
        case "relay-empty", "no-response-body":
            return isOwn || !reply.body.isEmpty ? "\(reply.status) with \(reply.body.count) bytes" : nil
        case "relay-or-bad-gateway": return nil
        default:
            guard refused.contains(one.expectation) else { return "an expectation that nothing is known of" }
            return isOwn ? nil : "\(reply.status) with \(reply.body.count) bytes"
        }
    }

    private static func problemStale(_ one: Case, _ reply: Reply?) -> String? {
        guard let reply else { return "the answer broke off" }
        let isStandIn = reply.status == 200 && reply.body == Data(stale.utf8)
        if isStandIn { return nil }
        if refused.contains(one.expectation) { return "\(reply.status) with \(reply.body.count) bytes" }
        let isOwn = reply.status == 502 || reply.status == 504
        if isOwn, one.status != reply.status { return "\(reply.status) in place of what is stored" }
        return one.content.map { Data($0) == reply.body } ?? true ? nil : "another body: \(reply.body.count) bytes"
    }
}
