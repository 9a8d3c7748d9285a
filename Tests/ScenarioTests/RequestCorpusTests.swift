import Foundation
import Synchronization
import TestSupport
import Testing

/// The raw requests of public attack suites, played against the running proxy.
///
/// Every verdict is the wanted one, no hidden request reaches the origin, and the proxy outlives
/// them all. Tests without sockets prove that cuts change no verdict.
@Suite(.requires(.sharedMaterial), .timeLimit(.minutes(10)))
struct RequestCorpusTests {
    private typealias Case = CorpusRequest

    private struct Played {
        let statuses: [Int]
        let isParseable: Bool
    }

    /// Expectations after which a connection that the case does not want closed has to be of use.
    private static let usable: Set<String> = ["accept", "two-requests", "three-requests"]
    /// It ends within a second request, which another one would continue.
    private static let unfinished = "pipe-partial-second"

    /// Statuses that say that a request could not be parsed.
    private static let parseErrors: Set<Int> = [400, 408, 413, 414, 417, 431, 505]

    private let proxy: ProxyUnderTest

    init() throws {
        let fields = [("Cache-Control", "no-store"), ("Content-Type", "text/plain")]
        proxy = try ProxyUnderTest(before: FakeOrigin(.init(fields: fields, body: "ok")))
    }

    @Test func everyCaseGetsItsVerdict() throws {
        let cases = try Case.all().filter { !$0.hasUnknownMethod }
        #expect(cases.count > 900)
        let port = UInt16(proxy.port)
        let wrong = Mutex<[String]>([])
        concurrently(cases.count) { index in
            let one = cases[index]
            let played = Self.play(one, index, port)
            guard !Self.isRight(one, played) else { return }
            wrong.withLock { $0.append("\(one.id): wants \(one.expectation), got \(played.statuses)") }
        }
        let failures = wrong.withLock { $0 }
        #expect(failures.isEmpty, "\(failures.sorted().joined(separator: "\n"))")
        let hidden = proxy.origin.requests.map(\.target).filter { $0.contains("/s00") }
        #expect(hidden.isEmpty, "hidden requests were acted on: \(hidden)")
        #expect(try proxy.client.send("GET", "/v1/test").status == 200)
    }

    /// Our side stays open, so it is the proxy that ends the connection.
    @Test func theConnectionClosesOnlyWhereTheCaseSaysSo() throws {
        let cases = try Case.all().filter { one in
            !one.hasUnknownMethod && one.id != Self.unfinished
                && (one.mustClose || Self.usable.contains(one.expectation))
        }
        let port = UInt16(proxy.port)
        let wrong = Mutex<[String]>([])
        concurrently(cases.count) { index in
            let one = cases[index]
            guard let problem = one.mustClose ? Self.staysOpen(one, port) : Self.isOfNoUse(one, port) else { return }
            wrong.withLock { $0.append("\(one.id) (\(one.expectation)): \(problem)") }
        }
        let failures = wrong.withLock { $0 }
        #expect(failures.isEmpty, "\(failures.sorted().joined(separator: "\n"))")
        let closing = cases.count { $0.mustClose }
        #expect(closing > 500 && cases.count - closing > 40)
    }

    /// Describes the fault of a connection that must be closed; nil if it was closed.
    private static func staysOpen(_ one: Case, _ port: UInt16) -> String? {
        guard let client = try? RawClient(port: port) else { return "no connection" }
        try? client.send(one.bytes)
        let bytes = client.read(patience: .seconds(20))
        return client.sawEnd || client.wasReset ? nil : "open after \(parse(bytes).statuses)"
    }

    /// Describes the fault of a connection that must stay usable; nil if a request after the case's
    /// own is answered.
    private static func isOfNoUse(_ one: Case, _ port: UInt16) -> String? {
        guard let client = try? RawClient(port: port) else { return "no connection" }
        do { try client.send(one.bytes) } catch { return "closed while it was sent" }
        var bytes: [UInt8] = []
        while parse(bytes).statuses.count < one.requests {
            let more = client.readSome()
            guard !more.isEmpty else { return "closed after \(parse(bytes).statuses)" }
            bytes += more
        }
        guard (try? client.send("HEAD /v1/test HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")) != nil else {
            return "closed behind its answers"
        }
        let (last, ended) = client.readToEnd()
        let statuses = parse(last).statuses
        return ended && statuses == [200] ? nil : "then \(statuses), ended: \(ended)"
    }

    /// As long as `/smuggled`, and the case's own.
    private static func marker(_ index: Int) -> String {
        "/s00" + String(repeating: "0", count: 5 - String(index).count) + String(index)
    }

    /// Sends the case, ends our side, and reads all that comes: the proxy answers the complete
    /// requests and closes.
    private static func play(_ one: Case, _ index: Int, _ port: UInt16) -> Played {
        guard let client = try? RawClient(port: port) else { return Played(statuses: [], isParseable: false) }
        var bytes = one.bytes
        if one.never == "/smuggled" { bytes.replace(Array("/smuggled".utf8), with: Array(marker(index).utf8)) }
        // A refusal may close while more is being sent; the answers can still be read.
        try? client.send(bytes)
        client.finishSending()
        return parse(client.read(patience: .seconds(10)))
    }

    /// The statuses of the final responses, in order.
    private static func parse(_ bytes: [UInt8]) -> Played {
        var rest = bytes[...]
        var statuses: [Int] = []
        while !rest.isEmpty {
            guard let end = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { break }
            let head = String(decoding: rest[..<end.lowerBound], as: UTF8.self)
            guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else {
                return Played(statuses: statuses, isParseable: false)
            }
            rest = rest[end.upperBound...]
            if status < 200 { continue }
            statuses.append(status)
            let length = head.components(separatedBy: "\r\n").first { $0.hasPrefix("Content-Length: ") }
            let count = length.flatMap { Int($0.dropFirst(16)) } ?? 0
            // An answer to HEAD has a length and no content; what follows it is another head, or
            // nothing.
            if rest.starts(with: Array("HTTP/1.1 ".utf8)) { continue }
            rest = rest.dropFirst(count)
        }
        return Played(statuses: statuses, isParseable: true)
    }

    private static func isRight(_ one: Case, _ played: Played) -> Bool {
        let statuses = played.statuses
        let accepted = statuses.allSatisfy { !parseErrors.contains($0) }
        guard played.isParseable else { return false }
        switch one.expectation {
        case "accept", "two-requests", "three-requests": return statuses.count == one.requests && accepted
        case "reject": return statuses.count == 1 && one.statuses.contains(statuses[0])
        case "reject-or-close", "wait-or-reject": return statuses.isEmpty || (statuses.count == 1 && statuses[0] >= 400)
        case "wait": return statuses.isEmpty || statuses == [408]
        case "at-most-one", "accept-or-reject": return statuses.count <= one.requests
        case "interim-or-final": return statuses.count <= 1
        case "accept-then-close": return statuses.count == 1 && accepted
        case "accept-then-reject":
            return statuses.count == 2 && !parseErrors.contains(statuses[0]) && one.statuses.contains(statuses[1])
        default: return false
        }
    }
}
