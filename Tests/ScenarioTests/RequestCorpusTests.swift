import Foundation
import Synchronization
import TestSupport
import Testing

/// The raw requests of public attack suites, played against the running proxy.
///
/// Connections end where they must and not elsewhere, no hidden request reaches the origin, and the
/// proxy outlives them all. Tests without sockets have the verdict on each case, however it is cut.
@Suite(.requires(.sharedMaterial), .timeLimit(.minutes(10))) struct RequestCorpusTests {
    private typealias Case = CorpusRequest

    /// Expectations after which a connection that the case does not want closed has to be of use.
    private static let usable: Set<String> = ["accept", "two-requests", "three-requests"]
    /// It ends within a second request, which another one would continue.
    private static let unfinished = "pipe-partial-second"

    @Test func connectionsEndWhereTheyMustAndNothingIsHidden() throws {
        let fields = [("Cache-Control", "no-store"), ("Content-Type", "text/plain")]
        let proxy = try ProxyUnderTest(before: FakeOrigin(.init(fields: fields, body: "ok")))
        let cases = try Case.all().filter { !$0.hasUnknownMethod }
        #expect(cases.count > 900)
        let port = UInt16(proxy.port)
        let wrong = Mutex<[String]>([])
        concurrently(cases.count) { index in
            let one = cases[index]
            guard let problem = Self.problem(with: one, index, port) else { return }
            wrong.withLock { $0.append("\(one.id) (\(one.expectation)): \(problem)") }
        }
        let failures = wrong.withLock { $0 }
        #expect(failures.isEmpty, "\(failures.sorted().joined(separator: "\n"))")
        let hidden = proxy.origin.requests.map(\.target).filter { $0.contains("/s00") }
        #expect(hidden.isEmpty, "hidden requests were acted on: \(hidden)")
        #expect(try proxy.client.send("GET", "/v1/test").status == 200)
        #expect(cases.count { $0.mustClose } > 500 && cases.count { !$0.mustClose && Self.isUsable($0) } > 40)
    }

    private static func isUsable(_ one: Case) -> Bool { one.id != unfinished && usable.contains(one.expectation) }

    /// Sends the case. Our side stays open where the case says what becomes of the connection, so
    /// that it is the proxy that ends it.
    private static func problem(with one: Case, _ index: Int, _ port: UInt16) -> String? {
        guard let client = try? RawClient(port: port) else { return "no connection" }
        var bytes = one.bytes
        // A marker as long as `/smuggled`, and the case's own.
        let marker = "/s00" + String(repeating: "0", count: 5 - String(index).count) + String(index)
        if one.never == "/smuggled" { bytes.replace(Array("/smuggled".utf8), with: Array(marker.utf8)) }
        let isSent = (try? client.send(bytes)) != nil
        if one.mustClose {
            let answers = client.read(patience: .seconds(20))
            return client.sawEnd || client.wasReset ? nil : "open after \(statuses(answers))"
        }
        guard isUsable(one) else {
            client.finishSending()
            _ = client.read(patience: .seconds(10))
            return nil
        }
        return isSent ? isOfNoUse(client, after: one.requests) : "closed while it was sent"
    }

    /// The fault of a connection that must stay usable; nil if it answers one more request.
    private static func isOfNoUse(_ client: RawClient, after requests: Int) -> String? {
        var bytes: [UInt8] = []
        while statuses(bytes).count < requests {
            let more = client.readSome()
            guard !more.isEmpty else { return "closed after \(statuses(bytes))" }
            bytes += more
        }
        guard (try? client.send("HEAD /v1/test HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")) != nil else {
            return "closed behind its answers"
        }
        let (last, ended) = client.readToEnd()
        return ended && statuses(last) == [200] ? nil : "then \(statuses(last)), ended: \(ended)"
    }

    /// The statuses of the final responses, in order.
    private static func statuses(_ bytes: [UInt8]) -> [Int] {
        var rest = bytes[...]
        var statuses: [Int] = []
        while let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) {
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else { return statuses }
            rest = rest[end.upperBound...]
            if status < 200 { continue }
            statuses.append(status)
            let length = head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            // An answer to HEAD has a length and no content: another head follows, or nothing.
            if rest.starts(with: Array("HTTP/1.1 ".utf8)) { continue }
            rest = rest.dropFirst(length.flatMap { Int($0.dropFirst(16)) } ?? 0)
        }
        return statuses
    }
}
