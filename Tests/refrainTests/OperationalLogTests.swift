import Foundation
import TestSupport
import Testing

@testable import refrain

@Suite struct OperationalLogTests {
    private func lines(_ prefix: OperationalLog.Prefix, _ body: (OperationalLog) -> Void) -> String {
        let captured = CapturedOutput()
        body(OperationalLog(level: .info, prefix: prefix, captured.output.error))
        return captured.error
    }

    @Test func linesBelowTheLevelAreNotWritten() {
        let text = lines(.none) { log in
            log(.debug, "one")
            log.setLevel(.debug)
            log(.debug, "two\nthree")
            log.setLevel(.error)
            log(.warn, "four")
        }
        #expect(text == "refrain: debug: two three\n")
    }

    @Test func aJournalGetsThePriority() {
        let text = lines(.priority) { log in
            for level in [LogLevel.error, .warn, .notice, .info] { log(level, "x") }
        }
        #expect(text.split(separator: "\n").map { $0.prefix(3) } == ["<3>", "<4>", "<5>", "<6>"])
        #expect(text.hasPrefix("<3>refrain: error: x\n"))
    }

    /// `journalctl -p err` did not show why the service would not start or reload.
    @Test(.requires(.binary)) func aConfigurationErrorHasErrorPriority() throws {
        try withTemporaryDirectory { directory in
            try Data("bogus\n".utf8).write(to: directory.appendingPathComponent("proxy.conf"))
            let script = """
                : >journal && JOURNAL_STREAM=$(stat -c %d:%i journal) "$0" serve --config proxy.conf 2>>journal
                """
            let outcome = try #require(Tool("sh")).run(["-c", script, BinaryUnderTest.path ?? ""], in: directory)
            let text = try String(contentsOf: directory.appendingPathComponent("journal"), encoding: .utf8)
            #expect(outcome.status == 78)
            #expect(text == "<3>refrain: proxy.conf:1: unknown directive \"bogus\"\n")
        }
    }

    @Test func otherwiseTheTimeStandsInFront() throws {
        let text = lines(.time) { $0(.warn, "x") }
        let (stamp, rest) = (text.prefix(24), text.dropFirst(24))
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        #expect(formatter.date(from: String(stamp)) != nil && rest == " refrain: warn: x\n")
    }

    @Test func aJournalIsKnownByItsDeviceAndInode() throws {
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        let journal = "\(status.st_dev):\(status.st_ino)"
        #expect(OperationalLog.Prefix.suited(to: descriptor, journalStream: journal) == .priority)
        #expect(OperationalLog.Prefix.suited(to: descriptor, journalStream: journal + "1") == .time)
        #expect(OperationalLog.Prefix.suited(to: descriptor, journalStream: nil) == .time)
    }
}
