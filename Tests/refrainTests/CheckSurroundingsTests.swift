import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

/// Warnings of `check` that name servers, clients and the running proxy have a say in.
@Suite struct CheckSurroundingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func check(_ lines: String) throws -> RunResult {
        let path = try folder.put(quiet(lines), "proxy.conf", mode: 0o600)
        var files = FileAccess.system
        files.nameProblem = { host in host == "music.invalid" ? "Name or service not known" : nil }
        files.statsPatience = .seconds(60)
        return run(["check", "--config", path], files: files)
    }

    /// Writes a self-signed certificate, followed by others, and its key.
    private func write(until end: Int, followedBy others: String = "") throws {
        var profile = LeafProfile()
        (profile.hosts, profile.notAfter) = (["127.0.0.1"], end)
        let leaf = try profile.issue(by: nil)
        _ = try folder.put(leaf.certificatePEM + others, "cert.pem", mode: 0o644)
        _ = try folder.put(leaf.keyPEM, "key.pem", mode: 0o600)
    }

    private var secure: String {
        """
        listen 127.0.0.1:0 tls
        tls_certificate \(folder.file("cert.pem"))
        tls_certificate_key \(folder.file("key.pem"))
        """
    }

    /// The first request found out.
    @Test func anUpstreamWithoutAnAddressIsAWarning() throws {
        let result = try check("upstream http://music.invalid")
        #expect(
            result.status == 0
                && result.error.contains("refrain: warn: upstream: music.invalid: Name or service not known; requests"),
            "\(result.error)")
        #expect(try !check("upstream http://music.example:1").error.contains("warn: upstream"))
    }

    @Test func aChainOutOfOrderIsAWarning() throws {
        let root = try ThrowawayAuthority(name: "root")
        let middle = try ThrowawayAuthority(name: "middle", parent: root)
        let leaf = try middle.issue(hosts: ["127.0.0.1"])
        let chain = [leaf.certificatePEM, root.certificatePEM(), middle.certificatePEM()]
        _ = try folder.put(chain.joined(), "cert.pem", mode: 0o644)
        _ = try folder.put(leaf.keyPEM, "key.pem", mode: 0o600)
        let result = try check(secure)
        let words =
            "refrain: warn: tls_certificate: \(folder.file("cert.pem")): wrong order: certificate 3 (/CN=middle)"
        #expect(result.status == 0 && result.error.contains(words), "\(result.error)")
        try write(until: 86_400 * 90)
        #expect(try !check(secure).error.contains("warn: tls_certificate"))
    }

    /// Runs a proxy with the certificate that was written.
    private func serving(_ body: (_ lines: String) throws -> Void) throws {
        let path = try folder.put(quiet(secure), "proxy.conf", mode: 0o600)
        let scene = try ProxyScene(ConfigurationReader.read(path, files: .system).configuration)
        defer { scene.stop() }
        try body(secure + "\nadmin_listen 127.0.0.1:\(try #require(scene.proxy.adminAddress).port)")
    }

    /// A renewed file that was never loaded was seen when the old certificate had ended.
    @Test func aCertificateThatIsNotServedIsAWarning() throws {
        try write(until: 86_400 * 20)
        try serving { lines in
            #expect(try !check(lines).error.contains("another certificate"))
            try write(until: 86_400 * 90)
            let result = try check(lines)
            let words = "cert.pem: the running proxy serves another certificate, which ends 70d"
            #expect(result.status == 0 && result.error.contains(words), "\(result.error)")
            // Another port is another proxy, or none.
            #expect(try !check(secure).error.contains("another certificate"))
        }
    }

    /// The ends of the certificates were compared, and nothing else.
    @Test func aRenewedCertificateThatEndsInTheSameSecondIsAWarning() throws {
        var first = LeafProfile()
        first.notAfter = 86_400 * 20
        // The first end of each chain.
        let others = try first.issue(by: nil).certificatePEM
        try write(until: 86_400 * 90, followedBy: others)
        try serving { lines in
            #expect(try !check(lines).error.contains("another certificate"))
            try write(until: 86_400 * 90, followedBy: others)
            let result = try check(lines)
            let words = "cert.pem: the running proxy serves another certificate, which ends at the same time; reload"
            #expect(result.status == 0 && result.error.contains(words), "\(result.error)")
        }
    }
}
