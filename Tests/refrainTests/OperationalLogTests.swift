import Foundation
import Glibc
import TestSupport
import Testing

@testable import refrain

@Suite(.timeLimit(.minutes(10))) struct OperationalLogTests {
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

    @Test func aJournalGetsThePriorityAndAFileTheTime() throws {
        let text = lines(.priority) { log in
            for level in [LogLevel.error, .warn, .notice, .info] { log(level, "x") }
        }
        #expect(text.split(separator: "\n").map { $0.prefix(3) } == ["<3>", "<4>", "<5>", "<6>"])
        #expect(text.hasPrefix("<3>refrain: error: x\n"))
        let line = lines(.time) { $0(.warn, "x") }
        let (stamp, rest) = (line.prefix(24), line.dropFirst(24))
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        #expect(formatter.date(from: String(stamp)) != nil && rest == " refrain: warn: x\n")
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        try #require(fstat(descriptor, &status) == 0)
        let journal = "\(status.st_dev):\(status.st_ino)"
        #expect(OperationalLog.Prefix.suited(to: descriptor, journalStream: journal) == .priority)
        #expect(OperationalLog.Prefix.suited(to: descriptor, journalStream: journal + "1") == .time)
        #expect(OperationalLog.Prefix.suited(to: descriptor, journalStream: nil) == .time)
    }

    /// `journalctl -p err` did not show why the service would not start or reload.
    @Test(.requires(.binary)) func aConfigurationErrorHasErrorPriority() throws {
        let folder = try TemporaryFolder()
        try folder.put("bogus\n".utf8, "proxy.conf")
        let script = """
            : >journal && JOURNAL_STREAM=$(stat -c %d:%i journal) "$0" serve --config proxy.conf 2>>journal
            """
        let outcome = try #require(Tool("sh")).run(["-c", script, BinaryUnderTest.path ?? ""], in: folder.url)
        #expect(outcome.status == 78)
        #expect(folder.text("journal") == "<3>refrain: proxy.conf:1: unknown directive \"bogus\"\n")
    }
}

@Suite(.timeLimit(.minutes(10))) struct LogOutputTests {
    /// A loop that logged waited for the reader, and everything with it, the stop included.
    @Test func aReaderThatTakesNothingKeepsNobodyWaiting() throws {
        let pipe = Pipe()
        let flags = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_GETFL)
        let output = LogOutput(pipe.fileHandleForWriting.fileDescriptor)
        // More than a pipe holds.
        let line = String(repeating: "a", count: 999) + "\n"
        for _ in 0..<200 { output.write(line) }
        #expect(fcntl(pipe.fileHandleForWriting.fileDescriptor, F_GETFL) == flags, "others share it")
        var taken = pipe.fileHandleForReading.availableData
        output.write("after\n")
        while !taken.hasSuffix("after\n") { taken += pipe.fileHandleForReading.availableData }
        let lines = String(decoding: taken, as: UTF8.self).split(separator: "\n")
        let whole = lines.count { $0.count == 999 }
        #expect(whole >= 60 && lines.count == whole + 2)
        #expect(
            lines[whole] == "refrain: warn: \(200 - whole) lines were lost before this one because the reader of "
                + "the log was too slow")
    }

    // MARK: Logs are reopened, as at SIGUSR1

    @Test func aRequestAfterItIsLoggedInTheNewFile() throws {
        let folder = try TemporaryFolder()
        let scene = try ProxyScene("access_log \(folder.file("access.log"))")
        _ = try scene.client.send("GET", "/v1/catalog/us/albums/before")
        waitUntil { (try? folder.bytes("access.log"))?.isEmpty == false }
        try folder.move("access.log", to: "access.log.1")
        scene.proxy.reopenLogs()
        #expect(scene.captured.error.contains("SIGUSR1: access log reopened"))
        _ = try scene.client.send("GET", "/v1/catalog/us/albums/after")
        scene.stop()
        let (old, new) = (folder.text("access.log.1"), folder.text("access.log"))
        #expect(old.contains("/albums/before") && !old.contains("/albums/after"))
        #expect(new.contains("/albums/after") && !new.contains("/albums/before"))
    }

    @Test func withoutAFileItSaysSoAndGoesOn() throws {
        let scene = try ProxyScene("access_log off")
        scene.proxy.reopenLogs()
        #expect(scene.captured.error.contains("SIGUSR1: there is no log file to reopen"))
        #expect(try scene.client.send("GET", "/v1/catalog/us/albums/1").status == 502)
    }

    /// The counter that an alert looks at.
    @Test func droppedLogBytesAreCounted() throws {
        let scene = try ProxyScene("access_log /dev/full")
        func dropped() throws -> Int { Int(try #require(try scene.metric("refrain_access_log_dropped_bytes_total"))) }
        #expect(try dropped() == 0)
        _ = try scene.client.send("GET", "/v1/catalog/us/albums/1")
        waitUntil { ((try? dropped()) ?? 0) > 0 }
        #expect(try dropped() > "/v1/catalog/us/albums/1".utf8.count)
        #expect(
            scene.captured.error.contains("warn: access_log: /dev/full: No space left on device; lines are dropped"))
    }
}

extension Data {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count) == Data(text.utf8) }
}
