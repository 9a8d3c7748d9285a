import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Admin
@testable import EventLoop

/// Refused calls of the admin listener left no trace: neither a line nor a count.
@Suite(.timeLimit(.minutes(10))) struct AdminRefusalsTests {
    private func instant(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    @Test func aReasonIsSaidAtOnceAndThenOnceAMinuteWithItsCountAndLastCaller() {
        let lines = Mutex<[String]>([])
        let refusals = AdminRefusals { @Sendable line in lines.withLock { $0.append(line) } }
        /// Lines since the last look.
        func said() -> [String] {
            lines.withLock { lines in
                defer { lines = [] }
                return lines
            }
        }
        refusals.note(.wrongToken, of: "192.0.2.7", at: instant(0))
        #expect(said() == ["admin_listen: a call from 192.0.2.7 was refused: wrong token"])
        for host in 1...13 { refusals.note(.wrongToken, of: "192.0.2.\(host)", at: instant(1)) }
        #expect(said() == [])
        // A flood of one reason hides no other.
        refusals.note(.user, of: "user 1001", at: instant(2))
        #expect(said() == ["admin_listen: a call from user 1001 was refused: a change by another user"])
        refusals.logSuppressed(at: instant(59))
        #expect(said() == [])
        refusals.logSuppressed(at: instant(60))
        #expect(said() == ["admin_listen: 13 more calls were refused, the last from 192.0.2.13: wrong token"])
        refusals.logSuppressed(at: instant(600))
        #expect(said() == [])
    }

    @Test func aGuessedTokenIsCountedAndLoggedWithoutIt() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        #expect(try admin.status("GET", "/stats", [("Authorization", "Bearer wrong-horse")]) == 401)
        #expect(try admin.status("GET", "/stats", [("Authorization", "Bearer other-horse")]) == 401)
        #expect(try admin.status("GET", "/stats") == 401)
        let form = Data("token=third-horse".utf8)
        #expect(try admin.client.send("POST", "/login", body: form).status == 401)
        let right = ("Authorization", "Bearer correct-horse")
        #expect(try admin.status("GET", "/stats", [right, ("Origin", "http://evil.example")]) == 403)
        #expect(
            admin.logged == [
                "admin_listen: a call from 127.0.0.1 was refused: wrong token",
                "admin_listen: a call from 127.0.0.1 was refused: no token",
                "admin_listen: a call from 127.0.0.1 was refused: wrong token at /login",
                "admin_listen: a call from 127.0.0.1 was refused: a page of another site",
            ])
        let text = try admin.client.send("GET", "/metrics", fields: [right]).text
        let scraped = try Exposition(text)
        for (reason, count) in [
            "no-token": 1.0, "wrong-token": 2, "login": 1, "user": 0, "cross-site": 1, "host": 0,
        ] { #expect(scraped.value("refrain_admin_refusals_total", ["reason": reason]) == count, "\(reason)") }
    }

    /// Neither a browser that is sent to the form nor a mistake in a call is a guess.
    @Test func redirectsAndMistakesAreNoRefusals() throws {
        let admin = try AdminUnderTest(token: "correct-horse")
        let right = ("Authorization", "Bearer correct-horse")
        #expect(try admin.status("GET", "/", [("Accept", "text/html")]) == 303)
        #expect(try admin.status("GET", "/nowhere", [right]) == 404)
        #expect(try admin.status("POST", "/stats", [right]) == 405)
        #expect(admin.refusals.counts.allSatisfy { $0 == 0 } && admin.logged.isEmpty)
    }
}
