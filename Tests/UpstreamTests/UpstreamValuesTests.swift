import EventLoop
import HTTP
import Testing

@testable import Upstream

@Suite struct UpstreamValuesTests {
    @Test(
        arguments: [
            (true, "api.test", 443, "api.test"), (true, "api.test", 8443, "api.test:8443"),
            (false, "api.test", 80, "api.test"), (false, "api.test", 443, "api.test:443"),
            (false, "::1", 80, "[::1]"), (false, "::1", 8080, "[::1]:8080"),
        ] as [(Bool, String, UInt16, String)])
    func authorityNamesThePortOnlyWhereItIsNotTheDefault(isTLS: Bool, host: String, port: UInt16, text: String) {
        #expect(Endpoint(isTLS: isTLS, host: host, port: port).authority == text)
    }

    @Test func requestNeverShowsItsContent() {
        let request = UpstreamRequest(
            method: .get, head: Array("GET / HTTP/1.1\r\nAuthorization: Bearer SECRET\r\n\r\n".utf8))
        let secret = Array("SECRET".utf8).map { String($0) }.joined(separator: ", ")
        var dumped = ""
        dump(request, to: &dumped)
        dump([request], to: &dumped)
        for text in [dumped, "\(request)", String(reflecting: request), String(reflecting: Optional(request))] {
            #expect(!text.contains("SECRET") && !text.contains(secret), "\(text)")
        }
    }

    @Test func idempotentMethodsAreThoseOfRFC9110() {
        #expect(HTTP.Method.allCases.filter(\.isIdempotent) == [.get, .head, .put, .delete, .options, .trace])
    }

    @Test(arguments: [
        (UpstreamFailure.dial(.resolve("")), 502), (.dial(.connect("")), 502), (.dial(.tls("")), 502),
        (.closedEarly(.content), 502), (.malformed(.statusLine), 502), (.dial(.timedOut), 504),
        (.timeout(.firstByte), 504), (.tooManyWaiting(retryAfter: 7), 503), (.waitedTooLong(retryAfter: 7), 503),
        (.draining, 503), (.heldBack(retryAfter: 7), 429),
    ])
    func failuresHaveTheStatusOfTheirKind(failure: UpstreamFailure, status: Int) {
        #expect(failure.status == status)
        let saysWhen = [429, 503].contains(status) && failure != .draining
        #expect(failure.retryAfter == (saysWhen ? 7 : nil))
    }

    @Test(arguments: [(64, 2, [32, 32]), (7, 3, [3, 2, 2]), (1, 1, [1]), (2, 3, [1, 1, 1])])
    func loopsShareTheConnections(_ connections: Int, _ loops: Int, _ shares: [Int]) {
        let endpoint = Endpoint(isTLS: false, host: "origin.test", port: 80)
        let settings = UpstreamSettings(endpoint: endpoint, maxConnections: connections)
        #expect((0..<loops).map { settings.share(of: $0, among: loops).maxConnections } == shares)
    }

    @Test func failureSaysItsCauseInOneLine() {
        #expect("\(UpstreamFailure.malformed(.chunkSize))" == "upstream-malformed: chunk size")
        #expect("\(UpstreamFailure.dial(.connect("connect: refused")))" == "upstream-connect: connect: refused")
        #expect("\(UpstreamFailure.timeout(.firstByte))" == "upstream-first-byte-timeout")
    }
}
