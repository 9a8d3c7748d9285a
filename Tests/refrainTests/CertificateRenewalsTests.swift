import Foundation
import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

/// Scripts of looks and reloads, and the lines of the log.
@Suite struct CertificateRenewalsTests {
    private static func fingerprint(_ number: UInt8) -> CertificateFingerprint {
        CertificateFingerprint(digests: [number])
    }

    private static func file(_ number: UInt8, _ path: String = "a.pem") -> CertificateFile {
        CertificateFile(directive: "tls_certificate", path: path, loaded: fingerprint(number))
    }

    private static func content(_ number: UInt8, _ objection: String? = nil) -> CertificateRenewals.Content {
        .certificates(fingerprint(number), objection: objection)
    }

    private static func warning(_ text: String) -> CertificateRenewals.Line {
        .init(level: .warn, text: "tls_certificate: \(text)")
    }

    private static func notice(_ text: String) -> CertificateRenewals.Line {
        .init(level: .notice, text: "tls_certificate: \(text)")
    }

    private let changed = warning("a.pem has changed and is not in use; reload the proxy")
    private let file = file(1)

    /// Watches the first file.
    private func watching() -> CertificateRenewals {
        var renewals = CertificateRenewals()
        #expect(renewals.use([file]).isEmpty)
        return renewals
    }

    /// The lines of looks at the first file.
    private func lines(
        _ renewals: inout CertificateRenewals, _ contents: CertificateRenewals.Content...
    ) -> [CertificateRenewals.Line?] {
        contents.map { renewals.note($0, of: file) }
    }

    @Test func aChangeIsSaidOnceAndOnceMoreWhenAReloadHasLoadedIt() {
        var renewals = watching()
        #expect(lines(&renewals, Self.content(1), Self.content(2), Self.content(2)) == [nil, changed, nil])
        #expect(renewals.files.map(\.isOutdated) == [true])
        #expect(renewals.use([Self.file(2)]) == [Self.notice("a.pem: its new certificates are in use")])
        #expect(renewals.files.map(\.isOutdated) == [false])
        #expect(renewals.use([Self.file(2)]).isEmpty, "a reload of what is known")
    }

    @Test func eachChangeIsSaidAndAReturnToo() {
        var renewals = watching()
        let back = Self.notice("a.pem has the certificates in use again")
        let found = lines(&renewals, Self.content(2), Self.content(3), Self.content(1), Self.content(1))
        #expect(found == [changed, changed, back, nil])
        #expect(renewals.files.map(\.isOutdated) == [false])
    }

    /// The key is often written after the certificate.
    @Test func aRefusalIsSaidUntilItIsGone() {
        var renewals = watching()
        let refused = Self.warning(
            "a.pem has changed and is not in use; reload the proxy; as it is, that would be refused: other key")
        let found = lines(&renewals, Self.content(2, "other key"), Self.content(2, "other key"), Self.content(2))
        #expect(found == [refused, nil, changed])
    }

    @Test func aFileThatCannotBeReadIsOutdated() {
        var renewals = watching()
        let gone = Self.warning(
            "a.pem: open: No such file or directory; the former certificates stay in use until a reload or start, "
                + "which is refused")
        let found = lines(&renewals, .unusable("a.pem: open: No such file or directory"))
        #expect(found == [gone] && renewals.files.map(\.isOutdated) == [true])
        #expect(renewals.use([]).isEmpty && renewals.files.isEmpty, "the line of the file is gone")
    }

    /// A look that began before a reload.
    @Test func aFileThatIsNotInUseIsIgnored() {
        var renewals = watching()
        #expect(renewals.use([Self.file(2), Self.file(1, "b.pem")]).isEmpty)
        #expect(lines(&renewals, Self.content(1)) == [nil])
        #expect(renewals.files.map(\.isOutdated) == [false, false])
        #expect(renewals.note(Self.content(2), of: Self.file(1, "b.pem")) != nil)
        #expect(renewals.files.map(\.isOutdated) == [false, true])
    }
}

/// A certificate was renewed on the disk, and clients got the old one until it had ended.
@Suite struct CertificateWatchTests {
    private let folder: TemporaryFolder
    private let scene: ProxyScene
    private let lines: String

    init() throws {
        folder = try TemporaryFolder()
        lines = """
            listen 127.0.0.1:0 tls
            tls_certificate \(folder.file("cert.pem"))
            tls_certificate_key \(folder.file("key.pem"))
            upstream https://127.0.0.1:9
            upstream_ca_file \(folder.file("ca.pem"))
            """
        try Self.write(to: folder)
        try folder.put(try ThrowawayAuthority().certificatePEM(), "ca.pem", mode: 0o644)
        scene = try ProxyScene(try Self.configuration(lines, in: folder))
    }

    private static func configuration(_ lines: String, in folder: TemporaryFolder) throws -> Configuration {
        let path = try folder.put(quiet(lines), "proxy.conf", mode: 0o600)
        return try ConfigurationReader.read(path, files: .system).configuration
    }

    private static func write(to folder: TemporaryFolder, withKey: Bool = true) throws {
        let leaf = try ThrowawayAuthority().issue(hosts: ["127.0.0.1"])
        try folder.put(leaf.certificatePEM, "cert.pem", mode: 0o644)
        if withKey { try folder.put(leaf.keyPEM, "key.pem", mode: 0o600) }
    }

    private func outdated(_ directive: String, _ name: String) throws -> Double? {
        try scene.metric(
            "refrain_certificate_outdated{directive=\"\(directive)\",file=\"\(folder.file(name))\"}")
    }

    /// How often the log has these words.
    private func times(_ text: String) -> Int { scene.captured.error.components(separatedBy: text).count - 1 }

    @Test func aRenewedCertificateIsAWarningUntilItIsLoaded() throws {
        let path = folder.file("cert.pem")
        let changed = "warn: tls_certificate: \(path) has changed and is not in use; reload the proxy"
        for _ in 0..<2 { scene.proxy.certificateWatch.look() }
        #expect(try outdated("tls_certificate", "cert.pem") == 0)
        try Self.write(to: folder)
        for _ in 0..<2 { scene.proxy.certificateWatch.look() }
        #expect(try outdated("tls_certificate", "cert.pem") == 1 && outdated("upstream_ca_file", "ca.pem") == 0)
        #expect(times(changed + "\n") == 1, "\(scene.captured.error)")
        try scene.proxy.adopt(try Self.configuration(lines, in: folder))
        #expect(try outdated("tls_certificate", "cert.pem") == 0)
        scene.proxy.certificateWatch.look()
        #expect(times("notice: tls_certificate: \(path): its new certificates are in use\n") == 1)
        // The same certificates with other text around them are no change.
        try folder.put("renewed today\n" + folder.text("cert.pem"), "cert.pem", mode: 0o644)
        scene.proxy.certificateWatch.look()
        #expect(try outdated("tls_certificate", "cert.pem") == 0 && times(changed) == 1)
    }

    @Test func theLogSaysThatAReloadWouldBeRefused() throws {
        try Self.write(to: folder, withKey: false)
        scene.proxy.certificateWatch.look()
        #expect(times("not in use; reload the proxy; as it is, that would be refused: ") == 1)
        #expect(throws: CommandFailure.self) {
            try scene.proxy.adopt(try Self.configuration(lines, in: folder))
        }
        try folder.remove("cert.pem")
        scene.proxy.certificateWatch.look()
        #expect(times("cert.pem: open: No such file or directory; the former certificates stay") == 1)
        #expect(try outdated("tls_certificate", "cert.pem") == 1)
        try Self.write(to: folder)
        scene.proxy.certificateWatch.look()
        #expect(times("not in use; reload the proxy\n") == 1, "\(scene.captured.error)")
    }

    @Test func trustAnchorsAreWatchedToo() throws {
        try folder.put(try ThrowawayAuthority().certificatePEM(), "ca.pem", mode: 0o644)
        scene.proxy.certificateWatch.look()
        #expect(try outdated("upstream_ca_file", "ca.pem") == 1 && outdated("tls_certificate", "cert.pem") == 0)
        #expect(times("warn: upstream_ca_file: \(folder.file("ca.pem")) has changed and is not in use") == 1)
        try scene.proxy.adopt(try Self.configuration(lines, in: folder))
        #expect(try outdated("upstream_ca_file", "ca.pem") == 0)
    }
}
