import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import Store
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
        let scene = try ProxyScene(configuration(lines))
        let proxy = scene.proxy
        defer { scene.stop() }
        var shortages = Shortages()
        let first = shortages.due(of: proxy, at: now)
        #expect(first.isEmpty, "\(first)")
        /// Days until the end that the gauge has.
        func daysLeft() throws -> Int? {
            let end = try scene.metric("refrain_certificate_expiry_timestamp_seconds")
            return end.map { Int((($0 - Double(now)) / Double(Self.day)).rounded()) }
        }
        // The new file is not in use before a reload.
        try write(to: 90 * Self.day)
        #expect(try daysLeft() == 20)
        let tomorrow = shortages.due(of: proxy, at: now + 8 * 3600)
        #expect(tomorrow.count == 1 && tomorrow[0].hasPrefix("developer_token_file: expires in 22h"), "\(tomorrow)")
        #expect(tomorrow[0].hasSuffix("or restart where LoadCredential= brings it"), "a reload reads the copy")
        let later = shortages.due(of: proxy, at: now + 15 * Int64(Self.day))
        #expect(later.count == 2 && later[0].hasPrefix("developer_token_file: expired"), "\(later)")
        #expect(later.last?.hasPrefix("tls_certificate: \(folder.file("cert.pem")) expires in 5d") == true)
        try proxy.adopt(try configuration(lines))
        #expect(try daysLeft() == 90)
        let renewed = shortages.due(of: proxy, at: now + 17 * Int64(Self.day))
        #expect(renewed.count == 1, "\(renewed)")
    }
}

/// An end was told at the start alone, weeks before it.
@Suite struct ShortagesTests {
    private static let (hour, day) = (Int64(3600), Int64(86_400))
    private let end = 100 * day

    private func expiry(ends: Int64? = nil) -> Expiry {
        Expiry(subject: "a", begins: 0, ends: ends ?? end, consequence: "it fails")
    }

    /// Counts the lines of a look each minute between two times.
    private func count(
        _ shortages: inout Shortages, from start: Int64, to stop: Int64, ends: Int64? = nil, reloads: Int = 0
    ) -> Int {
        stride(from: start, to: stop, by: 60).reduce(0) {
            $0 + shortages.due([expiry(ends: ends)], reloads: reloads, at: $1).count
        }
    }

    @Test func anExpiryIsReportedDailyAndAtItsEnd() {
        var shortages = Shortages()
        #expect(count(&shortages, from: end - 50 * Self.day, to: end - 10 * Self.day) == 0)
        #expect(count(&shortages, from: end - 10 * Self.day, to: end - 5 * Self.day - Self.hour) == 5)
        #expect(count(&shortages, from: end - 5 * Self.day - Self.hour, to: end - Self.day - 600) == 4)
        #expect(count(&shortages, from: end - Self.day - 600, to: end - Self.day + 600) == 1, "a day")
        #expect(count(&shortages, from: end - Self.day + 600, to: end - Self.hour - 600) == 0)
        #expect(count(&shortages, from: end - Self.hour - 600, to: end - 600) == 1, "an hour")
        #expect(count(&shortages, from: end - 600, to: end + 600) == 1, "the end")
        #expect(count(&shortages, from: end + 600, to: end + 2 * Self.day) == 1)
    }

    /// The start and the reload that bring it have told.
    @Test func aNewEndIsToldOnce() {
        var shortages = Shortages()
        #expect(count(&shortages, from: end - 600, to: end - 300) == 0)
        let later = end + Self.day / 2
        #expect(count(&shortages, from: end - 300, to: end, ends: later, reloads: 1) == 0)
        #expect(count(&shortages, from: later - 300, to: later, ends: later, reloads: 1) == 1)
        // After a 401 a new token is read from its file without a reload: nothing told of its end.
        shortages = Shortages()
        #expect(count(&shortages, from: end - 600, to: end - 300) == 0)
        #expect(count(&shortages, from: end - 300, to: end, ends: end + Self.day / 2) == 1)
        // A clock that is set back silences nothing.
        shortages = Shortages()
        _ = shortages.due([expiry()], reloads: 0, at: end + 1000 * Self.day)
        let due = shortages.due([expiry()], reloads: 0, at: end - Self.hour)
        #expect(due.first?.hasPrefix("a expires in 1h") == true)
    }

    @Test func aDiskIsToldOnceAsItGetsShort() {
        var shortages = Shortages()
        func due(_ free: Int) -> Bool { shortages.due(DiskSpace(freeBytes: free, byteCount: 1000)) != nil }
        #expect([60, 49, 20, 51, 49, 99, 1].map(due) == [false, true, false, false, false, false, false])
        #expect([100, 49].map(due) == [false, true])
        #expect(shortages.due(nil) == nil)
        _ = due(100)
        let words = shortages.due(DiskSpace(freeBytes: 1 << 20, byteCount: 1 << 30))
        #expect(words?.hasPrefix("cache_file: its disk has 1.0 MiB left of 1.0 GiB; ") == true, "\(words ?? "-")")
    }
}
