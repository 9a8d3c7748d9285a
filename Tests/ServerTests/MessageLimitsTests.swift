import TestSupport
import Testing

@testable import HTTP

/// Each limit at its value and one above.
@Suite struct MessageLimitsTests {
    private let small: MessageLimits = {
        var limits = MessageLimits()
        limits.maxHeadBytes = 200
        limits.maxTargetBytes = 20
        limits.maxMethodBytes = 6
        limits.maxFields = 4
        limits.maxFieldNameBytes = 17
        limits.maxBodyBytes = 8
        limits.maxChunkExtensionBytes = 6
        limits.maxTrailerBytes = 12
        return limits
    }()

    private func text(_ count: Int) -> String { String(repeating: "a", count: count) }

    private func request(method: String = "GET", target: String = "/", fields: String = "", body: String = "") -> String
    {
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)"
    }

    private func error(_ text: String) -> ParseError? {
        Verdict(reading: [UInt8](text.utf8), limits: small).error
    }

    /// - Parameters:
    ///   - begun: shows before its end that it is above.
    private func expect(
        _ error: ParseError, at limit: String, above: String, begun: String? = nil,
        _ place: SourceLocation = #_sourceLocation
    ) {
        #expect(Verdict(reading: [UInt8](limit.utf8), limits: small).messages == 1, sourceLocation: place)
        for text in [above] + (begun.map { [$0] } ?? []) { #expect(self.error(text) == error, sourceLocation: place) }
    }

    @Test func defaultsHaveRoomForTheRecommendedSizes() {
        #expect(MessageLimits.request.maxTargetBytes >= 8000)
        #expect(MessageLimits.request.maxHeadBytes > MessageLimits.request.maxTargetBytes)
        #expect(MessageLimits.response.maxBodyBytes == .max)
    }

    @Test func headsAndTheirPartsAreBounded() {
        let empty = request(fields: "X: \r\n").utf8.count
        expect(
            .headTooLarge, at: request(fields: "X: \(text(200 - empty))\r\n"),
            above: request(fields: "X: \(text(201 - empty))\r\n"), begun: "GET / HTTP/1.1\r\nHost: \(text(200))")
        expect(
            .targetTooLong, at: request(target: "/" + text(19)), above: request(target: "/" + text(20)),
            begun: "GET /" + text(100))
        expect(.methodTooLong, at: request(method: "ABCDEF"), above: request(method: "ABCDEFG"), begun: "ABCDEFG")
        #expect(error("ABCDEF") == nil)
        expect(
            .tooManyFields, at: request(fields: "A:\r\nB:\r\nC:\r\n"),
            above: request(fields: "A:\r\nB:\r\nC:\r\nD:\r\n"))
        expect(.fieldNameTooLong, at: request(fields: text(17) + ":\r\n"), above: request(fields: text(18) + ":\r\n"))
        #expect(ParseError.targetTooLong.status == 414 && ParseError.methodTooLong.status == 501)
    }

    @Test func emptyLinesBeforeARequestAreBounded() {
        expect(.emptyLines, at: "\r\n\r\n" + request(), above: "\r\n\r\n\r\n" + request())
        let error = thrown { () throws(ParseError) in try ParsedResponse("\r\nHTTP/1.1 204 No Content\r\n\r\n") }
        #expect(error == .statusLine)
    }

    @Test func contentChunksAndTrailersAreBounded() {
        func chunked(_ body: String) -> String { request(fields: "Transfer-Encoding: chunked\r\n", body: body) }
        expect(
            .contentTooLarge, at: request(fields: "Content-Length: 8\r\n", body: text(8)),
            above: request(fields: "Content-Length: 9\r\n", body: text(9)))
        expect(
            .contentTooLarge, at: chunked("5\r\naaaaa\r\n3\r\naaa\r\n0\r\n\r\n"),
            above: chunked("5\r\naaaaa\r\n4\r\naaaa\r\n0\r\n\r\n"))
        expect(
            .chunkExtension, at: chunked("1;aa\r\na\r\n0;bb\r\n\r\n"), above: chunked("1;aa\r\na\r\n0;bbb\r\n\r\n"),
            begun: chunked("1;aaaaaaaa"))
        expect(
            .trailersTooLarge, at: chunked("0\r\nX: 12345\r\n\r\n"), above: chunked("0\r\nX: 123456\r\n\r\n"),
            begun: chunked("0\r\nX: 1234567890"))
        #expect(ParseError.contentTooLarge.status == 413)
    }
}
