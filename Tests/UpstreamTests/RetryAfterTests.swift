import Testing

@testable import HTTP
@testable import Upstream

@Suite struct RetryAfterTests {
    private func wait(_ lines: String..., now: Int64 = 784_111_777) -> Duration? {
        let head = lines.map { $0 + "\r\n" }.joined()
        let text = "HTTP/1.1 503 Busy\r\n\(head)Content-Length: 0\r\n\r\n"
        return ResponsePlayer().play(Array(text.utf8), ending: .silence).outcome.response?.retryAfter(at: now)
    }

    @Test func secondsAndDatesCount() {
        #expect(wait() == nil && wait("Retry-After: soon") == nil)
        #expect(wait("Retry-After: 30") == .seconds(30))
        let date = "Date: Sun, 06 Nov 1994 08:40:00 GMT"
        #expect(wait("Retry-After: Sun, 06 Nov 1994 08:41:30 GMT", date) == .seconds(90))
    }

    /// The origin was asked again at once.
    @Test func aDateCountsWithoutADateOfTheAnswer() {
        #expect(wait("Retry-After: Sun, 06 Nov 1994 08:50:07 GMT") == .seconds(30))
        #expect(wait("Retry-After: Sun, 06 Nov 1994 08:00:00 GMT") == .zero)
        #expect(wait("Retry-After: Sun, 06 Nov 1994 08:50:07 GMT", "Date: today") == .seconds(30))
        #expect(wait("Retry-After: Sun, 06 Nov 2094 08:50:07 GMT") == .seconds(365 * 86_400))
    }
}
