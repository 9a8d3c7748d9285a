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

    private func refusal(_ text: String) -> ParseError? {
        MessageLoop.requests([UInt8](text.utf8), limits: small).error
    }

    private func isAccepted(_ text: String) -> Bool {
        MessageLoop.requests([UInt8](text.utf8), limits: small).messages == 1
    }

    private func request(method: String = "GET", target: String = "/", fields: String = "", body: String = "") -> String
    {
        "\(method) \(target) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\(body)"
    }

    @Test func defaultsHaveRoomForWhatTheRFCRecommends() {
        #expect(MessageLimits.request.maxTargetBytes >= 8000)
        #expect(MessageLimits.request.maxHeadBytes > MessageLimits.request.maxTargetBytes)
        #expect(MessageLimits.response.maxBodyBytes == .max)
    }

    @Test func head() {
        let empty = request(fields: "X: \r\n").utf8.count
        #expect(isAccepted(request(fields: "X: \(text(200 - empty))\r\n")))
        #expect(refusal(request(fields: "X: \(text(201 - empty))\r\n")) == .headTooLarge)
        #expect(refusal("GET / HTTP/1.1\r\nHost: \(text(200))") == .headTooLarge)
    }

    @Test func target() {
        #expect(isAccepted(request(target: "/" + text(19))))
        #expect(refusal(request(target: "/" + text(20)))?.status == 414)
        #expect(refusal("GET /" + text(100))?.status == 414)
    }

    @Test func method() {
        #expect(isAccepted(request(method: "ABCDEF")))
        #expect(refusal(request(method: "ABCDEFG"))?.status == 501)
        #expect(refusal("ABCDEF") == nil)
        #expect(refusal("ABCDEFG") == .methodTooLong)
    }

    @Test func fields() {
        #expect(isAccepted(request(fields: "A:\r\nB:\r\nC:\r\n")))
        #expect(refusal(request(fields: "A:\r\nB:\r\nC:\r\nD:\r\n")) == .tooManyFields)
    }

    @Test func fieldName() {
        #expect(isAccepted(request(fields: text(17) + ":\r\n")))
        #expect(refusal(request(fields: text(18) + ":\r\n")) == .fieldNameTooLong)
    }

    @Test func emptyLines() {
        #expect(isAccepted("\r\n\r\n" + request()))
        #expect(refusal("\r\n\r\n\r\n" + request()) == .emptyLines)
        let response = [UInt8]("\r\nHTTP/1.1 204 No Content\r\n\r\n".utf8)
        #expect(MessageLoop.response(response).error == .statusLine)
    }

    @Test func content() {
        let chunked = "Transfer-Encoding: chunked\r\n"
        #expect(isAccepted(request(fields: "Content-Length: 8\r\n", body: text(8))))
        #expect(refusal(request(fields: "Content-Length: 9\r\n", body: text(9)))?.status == 413)
        #expect(isAccepted(request(fields: chunked, body: "5\r\naaaaa\r\n3\r\naaa\r\n0\r\n\r\n")))
        #expect(refusal(request(fields: chunked, body: "5\r\naaaaa\r\n4\r\naaaa\r\n0\r\n\r\n")) == .contentTooLarge)
    }

    @Test func chunkExtensions() {
        let chunked = "Transfer-Encoding: chunked\r\n"
        #expect(isAccepted(request(fields: chunked, body: "1;aa\r\na\r\n0;bb\r\n\r\n")))
        #expect(refusal(request(fields: chunked, body: "1;aa\r\na\r\n0;bbb\r\n\r\n")) == .chunkExtension)
        #expect(refusal(request(fields: chunked, body: "1;aaaaaaaa")) == .chunkExtension)
    }

    @Test func trailers() {
        let chunked = "Transfer-Encoding: chunked\r\n"
        #expect(isAccepted(request(fields: chunked, body: "0\r\nX: 12345\r\n\r\n")))
        #expect(refusal(request(fields: chunked, body: "0\r\nX: 123456\r\n\r\n")) == .trailersTooLarge)
        #expect(refusal(request(fields: chunked, body: "0\r\nX: 1234567890")) == .trailersTooLarge)
    }
}
