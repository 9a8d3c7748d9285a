import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

/// An expired certificate was served without a word, and a reload put one in the place of a good
/// one.
@Suite struct ExpiryTests {
    private static let day = 86_400
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a certificate that begins and ends this many seconds from now.
    private func write(from begin: Int = -90 * day, to end: Int, _ name: String = "cert.pem") throws {
        var profile = LeafProfile()
        profile.hosts = ["127.0.0.1"]
        (profile.notBefore, profile.notAfter) = (begin, end)
        let leaf = try profile.issue(by: nil)
        _ = try folder.put(leaf.certificatePEM, name, mode: 0o644)
        _ = try folder.put(leaf.keyPEM, "key.pem", mode: 0o600)
    }

    private func configuration(_ more: String = "") throws -> Configuration {
        let text = """
            listen 127.0.0.1:0 tls
            tls_certificate \(folder.file("cert.pem"))
            tls_certificate_key \(folder.file("key.pem"))
            \(more)
            """
        let path = try folder.put(quiet(text), "proxy.conf", mode: 0o600)
        return try ConfigurationReader.read(path, files: .system).configuration
    }

    private func warnings(_ more: String = "") throws -> [String] {
        try configuration(more).warnings(at: Int64(time(nil))).filter { $0.contains(".pem") }
    }

    @Test(
        arguments: [
            (-90 * day, -3600, "expired 1h"), (-90 * day, 5 * day + 7200, "expires in 5d "), (-90 * day, 11 * day, nil),
            // A short lifetime has a shorter warning.
            (-3600, 7 * day, nil), (-6 * day, day + 7200, "expires in 1d "), (3600, 90 * day, "is not valid before"),
        ] as [(Int, Int, String?)])
    func aCertificateThatEndsIsAWarning(begin: Int, end: Int, words: String?) throws {
        try write(from: begin, to: end)
        let found = try warnings()
        guard let words else { return #expect(found.isEmpty, "\(found)") }
        let path = folder.file("cert.pem")
        #expect(found.count == 1 && found[0].hasPrefix("tls_certificate: \(path) \(words)"), "\(found)")
        if begin > 0 { #expect(found[0].contains(" from now; check the clock"), "\(found)") }
    }

    /// Intermediate certificates count as well; of several authorities one may be enough.
    @Test func theEarliestEndOfAChainCounts() throws {
        try write(to: 90 * Self.day)
        try write(to: -3600, "old.pem")
        let (good, old) = try (folder.bytes("cert.pem"), folder.bytes("old.pem"))
        try write(to: 90 * Self.day)
        #expect(try warnings().isEmpty)
        _ = try folder.put(folder.bytes("cert.pem") + old, "cert.pem")
        #expect(try warnings().count == 1)
        _ = try folder.put(good + old, "ca.pem")
        let both = try warnings("upstream_ca_file \(folder.file("ca.pem"))")
        #expect(!both.contains { $0.hasPrefix("upstream_ca_file") })
        let found = try warnings("upstream_ca_file \(folder.file("old.pem"))")
        #expect(found.contains { $0.hasPrefix("upstream_ca_file: \(folder.file("old.pem")) expired 1h") })
    }

    /// The end of a certificate was said at the start and never again.
    @Test func theLogTellsOfWhatIsInUse() throws {
        let now = Int64(time(nil))
        try write(to: 20 * Self.day)
        let claims = Data(#"{"iat":\#(now - 3600),"exp":\#(now + 30 * 3600)}"#.utf8).base64EncodedString()
        let token = try folder.put("e30.\(claims.filter { $0 != "=" }).c2ln", "token", mode: 0o600)
        let lines = "developer_token_file \(token)"
        let captured = CapturedOutput()
        let proxy = try RunningProxy(try configuration(lines), OperationalLog(level: .info, captured.output.error))
        defer { proxy.stop() }
        var shortages = Shortages()
        let first = shortages.due(of: proxy, at: now)
        #expect(first.isEmpty, "\(first)")
        // The new file is not in use before a reload.
        try write(to: 90 * Self.day)
        let tomorrow = shortages.due(of: proxy, at: now + 8 * 3600)
        #expect(tomorrow.count == 1 && tomorrow[0].hasPrefix("developer_token_file: expires in 22h"), "\(tomorrow)")
        #expect(tomorrow[0].hasSuffix("or restart where LoadCredential= brings it"), "a reload reads the copy")
        let later = shortages.due(of: proxy, at: now + 15 * Int64(Self.day))
        #expect(later.count == 2 && later[0].hasPrefix("developer_token_file: expired"), "\(later)")
        #expect(later.last?.hasPrefix("tls_certificate: \(folder.file("cert.pem")) expires in 5d") == true)
        try proxy.adopt(try configuration(lines))
        let renewed = shortages.due(of: proxy, at: now + 17 * Int64(Self.day))
        #expect(renewed.count == 1, "\(renewed)")
    }

    @Test func theGaugeFollowsAReload() throws {
        try write(to: 90 * Self.day)
        let captured = CapturedOutput()
        let proxy = try RunningProxy(try configuration(), OperationalLog(level: .info, captured.output.error))
        defer { proxy.stop() }
        let admin = HTTPTestClient(port: Int(try #require(proxy.adminAddress).port))
        defer { admin.close() }
        func end() throws -> Int? {
            let name = "refrain_certificate_expiry_timestamp_seconds "
            let lines = String(decoding: try admin.send("GET", "/metrics").body, as: UTF8.self).split(separator: "\n")
            return lines.first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) }.map { Int($0) }
        }
        let first = try #require(try end())
        #expect(abs(first - (Int(time(nil)) + 90 * Self.day)) < 600)
        try write(to: 5 * Self.day)
        try proxy.adopt(try configuration())
        #expect(abs(try #require(try end()) - (first - 85 * Self.day)) < 600)
    }
}
