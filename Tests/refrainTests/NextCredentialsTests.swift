import Synchronization
import TestSupport
import Testing

@testable import EventLoop
@testable import refrain

/// A source that the next start refused was called right, because the running service had a copy
/// from before.
@Suite struct NextCredentialsTests {
    private let folder: TemporaryFolder
    private let copy = "credentials/refrain.service/apple-key"

    init() throws {
        folder = try TemporaryFolder()
        for name in ["credentials/refrain.service", "bin"] {
            let outcome = try #require(Tool("mkdir")).run(["-p", folder.file(name)])
            try #require(outcome.status == 0, "\(outcome.text)")
        }
    }

    private static func key(_ kind: LeafProfile.Key = .ec) throws -> String {
        var profile = LeafProfile()
        profile.key = kind
        return try profile.issue(by: nil).keyPEM
    }

    private var source: String { folder.file("source.p8") }

    private var unit: String { "[Service]\nLoadCredential=apple-key:\(source)\n" }

    private static let signed = [
        "developer_key_file $CREDENTIALS_DIRECTORY/apple-key", "developer_key_id ABC123DEFG",
        "developer_team_id DEF123GHIJ",
    ]

    /// Runs `check` for a configuration that names the credential, as root would.
    private func check(
        _ unit: Result<String, FileProblem>? = nil, isRunning: Bool = true, lines: [String] = signed,
        _ change: (inout FileAccess) -> Void = { _ in }
    ) throws -> RunResult {
        let path = try folder.put(quiet(lines.joined(separator: "\n")), "proxy.conf", mode: 0o600)
        var files = FileAccess.system
        let place = folder.file("credentials/refrain.service")
        files.credentialsDirectory = isRunning ? place : nil
        (files.serviceCredentials, files.seesAllFiles) = (place, true)
        files.credentialRoots.system = folder.file("credentials")
        let text = unit ?? .success(self.unit)
        let known = NextCredentials.Unit(name: "refrain.service", isOfUser: false)
        files.unitText = { unit in unit == known ? text : .failure(FileProblem("asked for \(unit)")) }
        change(&files)
        return run(["check", "--config", path], files: files)
    }

    @Test func aChangedSourceIsAWarningIfItCanBeUsed() throws {
        let old = try Self.key()
        try folder.put(old, copy, mode: 0o400)
        try folder.put(old, "source.p8", mode: 0o644)
        let same = try check()
        #expect(same.status == 0 && !same.error.contains("apple-key"), "systemd does not mind its mode: \(same.error)")
        try folder.put(Self.key(), "source.p8", mode: 0o600)
        let result = try check()
        let words =
            "warn: developer_key_file: apple-key is the running service's copy; its source \(source) has changed "
        #expect(result.status == 0 && result.error.contains(words), "\(result.error)")
        #expect(result.standard.contains("developer_key_file \(folder.file(copy)) # "), "the settings name the copy")
    }

    @Test func aSourceThatCannotBeUsedIsAnError() throws {
        try folder.put(Self.key(), copy, mode: 0o400)
        let beginning = "refrain: \(folder.file("proxy.conf")):1: developer_key_file: "
        func expect(_ words: String, _ unit: String? = nil) throws {
            let result = try check(unit.map { .success($0) })
            // The path in between is cut where the temporary folder's is long.
            let isSaid = result.error.hasPrefix(beginning) && result.error.contains("\": " + words)
            #expect(result.status == 78 && isSaid, "\(result.error)")
            #expect(!result.error.contains("/proc/"), "\(result.error)")
        }
        let copies = "the next start copies \(source): "
        try expect(copies + "No such file or directory\n")
        for text in [try Self.key(.rsa(bits: 2048)), "-----BEGIN", ""] {
            try folder.put(text, "source.p8", mode: 0o600)
            try expect(copies)
        }
        try expect("refrain.service has no LoadCredential=apple-key:FILE", "[Service]\nLoadCredential=tls-key:/a\n")
    }

    /// `check` could not even read the configuration of a service that did not start.
    @Test func theSourcesOfAStoppedServiceAreLookedAt() throws {
        try folder.put(Self.key(), "source.p8", mode: 0o600)
        let result = try check(isRunning: false)
        #expect(result.status == 0 && !result.error.contains("apple-key"), "\(result.error)")
        try folder.remove("source.p8")
        #expect(try check(isRunning: false).status == 78)
        for unit in [.success("[Service]\n"), .failure(.absent)] as [Result<String, FileProblem>] {
            let result = try check(unit, isRunning: false)
            #expect(
                result.status == 78 && result.error.contains("$CREDENTIALS_DIRECTORY is not set"), "\(result.error)")
        }
    }

    @Test func anUnknownUnitIsANote() throws {
        try folder.put(Self.key(), copy, mode: 0o400)
        let result = try check(.failure(.absent))
        let words = "note: refrain.service: its LoadCredential= lines are not known (systemctl cat: No such file or "
        #expect(result.status == 0 && result.error.contains(words), "\(result.error)")
    }

    /// `check` said 0, and the next start lacked the credential.
    @Test(arguments: [true, false]) func aSourceThatIsAFolderPassedInSilence(isRunning: Bool) throws {
        try folder.put(Self.key(), copy, mode: 0o400)
        if !isRunning { try folder.remove(copy) }
        let unit = "[Service]\nLoadCredential=apple-key:\(folder.path)\n"
        let result = try check(.success(unit), isRunning: isRunning)
        let words = "\(folder.path) is a folder: systemd loads its files as apple-key_FILE, so the next start lacks "
        #expect(result.status == 78 && result.error.contains(words), "\(result.error)")
    }

    /// systemd connects to a socket and takes the credential from it.
    @Test func aSourceThatIsASocketIsANote() throws {
        try folder.put(Self.key(), copy, mode: 0o400)
        let path = folder.file("s.sock")
        let socket = try NotifySocket(Array(path.utf8))
        let unit = "[Service]\nLoadCredential=apple-key:\(path)\n"
        let words = "note: apple-key: this user cannot look at its source \(path) (No such device or address); "
        let running = try check(.success(unit))
        #expect(running.status == 0 && running.error.contains(words + "the running service's copy was checked"))
        try folder.remove(copy)
        let stopped = try check(.success(unit), isRunning: false)
        #expect(stopped.status == 0 && stopped.error.contains(words + "it was not checked"), "\(stopped.error)")
        withExtendedLifetime(socket) {}
    }

    /// `ExecStartPre=refrain check` runs where `ProtectHome=` and the like hide sources.
    @Test func aSourceThatASandboxHidesIsANote() throws {
        try folder.put(Self.key(), copy, mode: 0o400)
        let result = try check { $0.seesAllFiles = false }
        let words = "note: apple-key: this user cannot look at its source \(source) (No such file or directory); the "
        #expect(result.status == 0 && result.error.contains(words), "\(result.error)")
        try folder.remove(copy)
        #expect(try check { $0.seesAllFiles = false }.status == 78, "neither is there")
    }

    /// With a copy nothing was said, and the next start takes something else.
    @Test(arguments: ["LoadCredentialEncrypted=apple-key:/etc/a", "SetCredential=apple-key:a"])
    func anotherKindOfSourceWasNotJudgedAndNobodySaidSo(line: String) throws {
        let unit = "[Service]\n\(line)\n"
        let words = "note: apple-key: its source was not judged (\(line.prefix { $0 != "=" })=); "
        let stopped = try check(.success(unit), isRunning: false)
        #expect(stopped.status == 0 && stopped.error.contains(words + "it was not checked"), "\(stopped.error)")
        try folder.put(Self.key(), copy, mode: 0o400)
        let running = try check(.success(unit))
        #expect(running.status == 0 && running.error.contains(words + "the running service's copy was checked"))
    }

    /// A unit of the user's manager was asked of the system's, which knows none of that name, or
    /// another one.
    @Test func theManagerThatMadeTheFolderIsAsked() throws {
        var roots = NextCredentials.Roots()
        (roots.system, roots.user) = ("/run/credentials", "/run/user/1000/credentials")
        let asked = Mutex<[[String]]>([])
        func areKnown(_ directory: String) -> Bool? {
            NextCredentials(directory: directory, in: roots, seesAllFiles: true) { unit in
                asked.withLock { $0.append(unit.command) }
                return .success("[Service]\nLoadCredential=a:/a\n")
            }?.areKnown
        }
        #expect(areKnown("/run/credentials/refrain@1.service/") == true)
        #expect(areKnown("/run/user/1000/credentials/a.service") == true)
        for folder in ["/run/user/1001/credentials/a.service", "/run/credentials/a", "/run/credentials", "/a.service"] {
            #expect(areKnown(folder) == nil, "\(folder)")
        }
        let commands = ["systemctl cat refrain@1.service", "systemctl --user cat a.service"]
        #expect(asked.withLock { $0.map { $0.joined(separator: " ") } } == commands)
    }

    /// The ends were those of the running service's copies: a renewed file was called expiring, and
    /// one that had ended was not.
    @Test(arguments: [true, false]) func endsAreThoseOfTheNextStart(isRunning: Bool) throws {
        func issue(until end: Int) throws -> ThrowawayAuthority.Leaf {
            var profile = LeafProfile()
            (profile.notBefore, profile.notAfter) = (-86_400 * 90, end)
            return try profile.issue(by: nil)
        }
        let (old, new) = (try issue(until: 86_400 * 90), try issue(until: 86_400 * 2))
        if isRunning {
            let place = "credentials/refrain.service/"
            try folder.put(old.certificatePEM, place + "cert", mode: 0o400)
            try folder.put(old.keyPEM, place + "key", mode: 0o400)
            // A token of 2023 that ends in 2096.
            let token =
                "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQzEyM0RFRkcifQ"
                + ".eyJpc3MiOiJERUYxMjNHSElKIiwiaWF0IjoxNzAwMDAwMDAwLCJleHAiOjQwMDAwMDAwMDB9.AAAA"
            try folder.put(token, place + "token", mode: 0o400)
        }
        try folder.put(new.certificatePEM, "cert", mode: 0o600)
        try folder.put(new.keyPEM, "key", mode: 0o600)
        try folder.put("another-token", "token", mode: 0o600)
        let unit = ["cert", "key", "token"].map { "LoadCredential=\($0):\(folder.file($0))\n" }.joined()
        let lines = [
            "listen 127.0.0.1:0 tls", "tls_certificate $CREDENTIALS_DIRECTORY/cert",
            "tls_certificate_key $CREDENTIALS_DIRECTORY/key", "developer_token_file $CREDENTIALS_DIRECTORY/token",
        ]
        let result = try check(.success("[Service]\n" + unit), isRunning: isRunning, lines: lines)
        let path = folder.file("credentials/refrain.service/cert")
        #expect(result.status == 0, "\(result.error)")
        #expect(result.error.contains("warn: tls_certificate: \(path) expires in "), "\(result.error)")
        #expect(result.error.contains("warn: developer_token_file: not a JSON Web Token"), "\(result.error)")
    }

    /// The engine is asked with the authorities that the next start will have.
    @Test func theTierIsAskedWithItsNextAuthorities() throws {
        try folder.put(ThrowawayAuthority().certificatePEM(), "ca", mode: 0o600)
        let lines = ["shared_tier rediss://127.0.0.1:1", "shared_tier_ca_file $CREDENTIALS_DIRECTORY/ca"]
        let unit = "[Service]\nLoadCredential=ca:\(folder.file("ca"))\n"
        let result = try check(.success(unit), isRunning: false, lines: lines)
        #expect(result.status == 0 && result.error.contains("warn: shared tier 127.0.0.1:1: "), "\(result.error)")
        #expect(!result.error.contains("trust anchors"), "there is no copy: \(result.error)")
    }

    /// A fault of the certificate was said of the key's source.
    @Test func bothSourcesOfAPairAreNamed() throws {
        let (one, other) = (try LeafProfile().issue(by: nil), try LeafProfile().issue(by: nil))
        let (cert, key) = (folder.file("cert"), folder.file("key"))
        try folder.put(one.certificatePEM, "cert", mode: 0o600)
        try folder.put(other.keyPEM, "key", mode: 0o600)
        let lines = [
            "listen 127.0.0.1:0 tls", "tls_certificate $CREDENTIALS_DIRECTORY/cert",
            "tls_certificate_key $CREDENTIALS_DIRECTORY/key",
        ]
        let unit = "[Service]\nLoadCredential=cert:\(cert)\nLoadCredential=key:\(key)\n"
        let result = try check(.success(unit), isRunning: false, lines: lines)
        let words = "tls_certificate: the next start copies \(cert) and \(key): "
        #expect(result.status == 78 && result.error.contains(words) && !result.error.contains("/proc/"))
        #expect(result.error.ranges(of: "the next start copies").count == 1, "\(result.error)")
    }

    /// A systemctl of the test's.
    @Test func systemctlIsAsked() throws {
        try folder.put("a-token\n", "credentials/refrain.service/token", mode: 0o400)
        let source = try folder.put("another-token\n", "source", mode: 0o600)
        func check(_ script: String, within patience: Duration = .seconds(60)) throws -> String {
            let program = try folder.putProgram("#!/bin/sh\n" + script, "bin/systemctl")
            let lines = ["developer_token_file $CREDENTIALS_DIRECTORY/token"]
            let result = try self.check(lines: lines) { files in
                files.unitText = { unit in
                    Result { () throws(FileProblem) in
                        try SystemProgram.output(of: [program] + unit.command.dropFirst(), within: patience)
                    }
                }
            }
            #expect(result.status == 0, "\(result.error)")
            return result.error
        }
        let text = "echo '[Service]'\necho LoadCredential=token:\(source)\n"
        let isRight = "[ \"$*\" = 'cat refrain.service' ] && [ \"$SYSTEMD_COLORS,$SYSTEMD_PAGER\" = 0, ] || exit 1\n"
        let known = try check(isRight + text)
        #expect(known.contains("token is the running service's copy; its source \(source) has changed"), "\(known)")
        let failed = try check(text + "exit 1\n")
        #expect(failed.contains("(systemctl cat: it failed)"), "\(failed)")
        let large = try check("exec head -c \(SystemProgram.mostBytes + 1) /dev/zero\n")
        #expect(large.contains("(systemctl cat: its answer has more than 1048576 bytes)"), "\(large)")
        // The second one ends its output and goes on.
        for script in ["exec sleep 600\n", "exec sleep 600 >&-\n"] {
            let silent = try check(script, within: .milliseconds(50))
            #expect(silent.contains("(systemctl cat: no answer within 0 seconds)"), "\(silent)")
        }
    }
}
