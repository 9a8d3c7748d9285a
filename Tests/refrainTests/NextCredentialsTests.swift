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

    /// Runs `check` for a configuration that names the credential.
    private func check(_ unit: Result<String, FileProblem>? = nil, isRunning: Bool = true) throws -> RunResult {
        let lines = [
            "developer_key_file $CREDENTIALS_DIRECTORY/apple-key", "developer_key_id ABC123DEFG",
            "developer_team_id DEF123GHIJ",
        ]
        let path = try folder.put(quiet(lines.joined(separator: "\n")), "proxy.conf", mode: 0o600)
        var files = FileAccess.system
        let place = folder.file("credentials/refrain.service")
        files.credentialsDirectory = isRunning ? place : nil
        files.serviceCredentials = place
        let text = unit ?? .success(self.unit)
        files.unitText = { name in name == "refrain.service" ? text : .failure(FileProblem("asked for \(name)")) }
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
        let other = try check(.success("[Service]\nLoadCredential=apple-key:\(folder.path)\n"))
        #expect(other.status == 0 && other.error.contains("note: apple-key: this user cannot look at its source "))
    }

    /// The program itself, with a systemctl of the test's.
    @Test(.requires(.binary)) func systemctlIsAsked() throws {
        try folder.put("a-token\n", "credentials/refrain.service/token", mode: 0o400)
        let source = try folder.put("another-token\n", "source", mode: 0o600)
        let path = try folder.put(quiet("developer_token_file $CREDENTIALS_DIRECTORY/token"), "proxy.conf", mode: 0o600)
        let program = Tool(at: try #require(BinaryUnderTest.path))
        func check(_ script: String) throws -> String {
            try folder.putProgram("#!/bin/sh\n" + script, "bin/systemctl")
            let outcome = try program.run(
                ["check", "--config", path],
                environment: [
                    "PATH": folder.file("bin") + ":/usr/bin:/bin",
                    "CREDENTIALS_DIRECTORY": folder.file("credentials/refrain.service"),
                ])
            #expect(outcome.status == 0, "\(outcome.text)")
            return outcome.text
        }
        let text = "echo '[Service]'\necho LoadCredential=token:\(source)\n"
        let known = try check("[ \"$*\" = 'cat refrain.service' ] || exit 1\n" + text)
        #expect(known.contains("token is the running service's copy; its source \(source) has changed"), "\(known)")
        let failed = try check("exit 1\n")
        #expect(failed.contains("(systemctl cat: it failed)"), "\(failed)")
        let silent = try check("exec sleep 600\n")
        #expect(silent.contains("(systemctl cat: no answer within 3 seconds)"), "\(silent)")
    }
}
