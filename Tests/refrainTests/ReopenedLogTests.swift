import Foundation
import TestSupport
import Testing

@testable import refrain

/// Logs are reopened, as at SIGUSR1.
@Suite struct ReopenedLogTests {
    private func proxy(_ accessLog: String, _ log: OperationalLog) throws -> RunningProxy {
        try RunningProxy(read(quiet("access_log \(accessLog)")).configuration, log)
    }

    @Test func aRequestAfterItIsLoggedInTheNewFile() throws {
        let folder = try TemporaryFolder()
        let captured = CapturedOutput()
        let proxy = try proxy(folder.file("access.log"), OperationalLog(level: .info, captured.output.error))
        let client = HTTPTestClient(port: Int(try #require(proxy.addresses.first).port))
        _ = try client.send("GET", "/v1/catalog/us/albums/before")
        waitUntil { (try? folder.bytes("access.log"))?.isEmpty == false }
        try folder.move("access.log", to: "access.log.1")
        proxy.reopenLogs()
        #expect(captured.error.contains("SIGUSR1: access log reopened"))
        _ = try client.send("GET", "/v1/catalog/us/albums/after")
        client.close()
        proxy.stop()
        let (old, new) = (
            String(decoding: try folder.bytes("access.log.1"), as: UTF8.self),
            String(decoding: try folder.bytes("access.log"), as: UTF8.self)
        )
        #expect(old.contains("/albums/before") && !old.contains("/albums/after"))
        #expect(new.contains("/albums/after") && !new.contains("/albums/before"))
    }

    @Test func withoutAFileItSaysSoAndGoesOn() throws {
        let captured = CapturedOutput()
        let proxy = try proxy("off", OperationalLog(level: .info, captured.output.error))
        proxy.reopenLogs()
        #expect(captured.error.contains("SIGUSR1: there is no log file to reopen"))
        let client = HTTPTestClient(port: Int(try #require(proxy.addresses.first).port))
        #expect(try client.send("GET", "/v1/catalog/us/albums/1").status == 502)
        client.close()
        proxy.stop()
    }

    /// The counter that an alert looks at.
    @Test func droppedLogBytesAreCounted() throws {
        let captured = CapturedOutput()
        let proxy = try proxy("/dev/full", OperationalLog(level: .info, captured.output.error))
        let client = HTTPTestClient(port: Int(try #require(proxy.addresses.first).port))
        let admin = HTTPTestClient(port: Int(try #require(proxy.adminAddress).port))
        func dropped() throws -> Int {
            let lines = String(decoding: try admin.send("GET", "/metrics").body, as: UTF8.self).split(separator: "\n")
            let line = lines.first { $0.hasPrefix("refrain_access_log_dropped_bytes_total ") }
            return Int(try #require(line).split(separator: " ")[1]) ?? -1
        }
        #expect(try dropped() == 0)
        _ = try client.send("GET", "/v1/catalog/us/albums/1")
        waitUntil { ((try? dropped()) ?? 0) > 0 }
        #expect(try dropped() > "/v1/catalog/us/albums/1".utf8.count)
        #expect(captured.error.contains("warn: access_log: /dev/full: No space left on device; lines are dropped"))
        client.close()
        admin.close()
        proxy.stop()
    }
}
