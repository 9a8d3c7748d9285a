import Glibc
import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

/// `check` called right what `serve` refused a moment later.
@Suite struct StartForecastTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ lines: [String]) throws -> RunResult {
        let path = try folder.put(quiet(lines.joined(separator: "\n")), "proxy.conf", mode: 0o600)
        return run(["check", "--config", path], files: .system)
    }

    private func expectError(_ lines: String..., saying words: String) throws {
        let result = try check(lines)
        #expect(result.status == 78 && result.standard.isEmpty, "\(lines)")
        let name = lines[0].prefix { $0 != " " }
        #expect(result.error.hasPrefix("refrain: \(folder.file("proxy.conf")):1: \(name): "), "\(result.error)")
        #expect(result.error.contains(words), "\(result.error)")
    }

    @Test func anAccessLogThatCannotBeOpenedIsAnError() throws {
        let missing = folder.file("no/access.log")
        try expectError("access_log \(missing)", saying: "\"\(missing)\": open: No such file or directory")
        try expectError("access_log \(folder.url.path)", saying: "Is a directory")
        #expect(try check(["access_log \(folder.file("access.log"))"]).status == 0)
        #expect(access(folder.file("access.log"), F_OK) != 0, "nothing is left of the trial")
    }

    @Test func anAddressThatCannotBeBoundIsAnError() throws {
        try expectError("listen 192.0.2.1:0", saying: "192.0.2.1:0: bind: Cannot assign requested address")
        try expectError("admin_listen unix:\(folder.file("no/admin"))", saying: "bind: No such file or directory")
        _ = try folder.put("text".utf8, "regular")
        try expectError("admin_listen unix:\(folder.file("regular"))", saying: "bind: File exists")
        #expect(try check(["admin_listen unix:\(folder.file("admin"))"]).status == 0)
        #expect(access(folder.file("admin"), F_OK) != 0)
    }

    /// A mistake that only a trial shows was told when all others were mended.
    @Test func mistakesOfTheStartAreToldWithTheOthers() throws {
        let (folder, missing) = (folder.file("proxy.conf"), folder.file("no/file"))
        let lines = [
            "access_log \(missing)", "listen 192.0.2.1:0", "upstream_ca_file \(missing)", "record \(missing)",
            "frobnicate 1",
        ]
        for lines in [lines, Array(lines.prefix(2)) + [lines[4]]] {
            let result = try check(lines)
            let found = result.error.split(separator: "\n")
            #expect(result.status == 78 && found.count == lines.count, "\(result.error)")
            for (number, line) in found.enumerated() {
                #expect(line.hasPrefix("refrain: \(folder):\(number + 1): "), "\(line)")
            }
        }
    }

    /// The proxy that it is for may have it.
    @Test func anAddressInUseIsANote() throws {
        let listening = try RawListener()
        let result = try check(["listen 127.0.0.1:\(listening.port)"])
        withExtendedLifetime(listening) { #expect(result.status == 0) }
        #expect(result.error.contains("note: listen: 127.0.0.1:\(listening.port) is in use;"))
    }

    /// The line said no more than "Permission denied".
    @Test func aPrivilegedPortNamesTheRemedy() throws {
        let denied = SystemError(call: "bind", errno: EACCES)
        let privileged = try #require(SocketAddress("0.0.0.0:443"))
        #expect(privileged.remedy(for: denied).contains("refrain.socket"))
        #expect(privileged.remedy(for: SystemError(call: "bind", errno: EADDRINUSE)).isEmpty)
        #expect(privileged.with(port: 1024).remedy(for: denied).isEmpty)
        #expect(try #require(SocketAddress(path: "/run/admin")).remedy(for: denied).isEmpty)
    }

    @Test func trustAnchorsThatAreNoneAreAnError() throws {
        let junk = try folder.put("junk".utf8, "ca.pem")
        try expectError("upstream_ca_file \(junk)", saying: "no certificate")
        try expectError("shared_tier_ca_file \(junk)", "shared_tier rediss://127.0.0.1:1", saying: "no certificate")
        let authority = try folder.put(ThrowawayAuthority().certificatePEM().utf8, "ca.pem")
        #expect(try check(["upstream_ca_file \(authority)"]).status == 0)
    }

    @Test func anUnusableCacheFileIsAWarning() throws {
        let path = folder.file("no/cache.sqlite")
        let result = try check(["cache_file \(path)"])
        #expect(result.status == 0)
        #expect(result.error.contains("warn: cache_file: \(folder.file("no"))/: No such file or directory; "))
    }
}
