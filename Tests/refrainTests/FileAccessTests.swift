import EventLoop
import Glibc
import TestSupport
import Testing

@testable import refrain

@Suite struct FileAccessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ text: String, mode: Int) throws -> String { try folder.put(text, "secret", mode: mode) }

    /// `String(repeating:count:)` appends its one character as often: 3 s for the largest of these.
    private func filler(_ count: Int) -> String {
        String(decoding: [UInt8](repeating: UInt8(ascii: "x"), count: count), as: UTF8.self)
    }

    @Test func aCacheFileIsNoLinkAndNoOtherFile() throws {
        let path = folder.file("cache.sqlite")
        #expect(FileAccess.system.cacheProblem(path) == nil && FileAccess.system.cacheHolder(path) == nil)
        let key = try file("secret", mode: 0o600)
        #expect(FileAccess.system.cacheProblem(key)?.contains("nothing is written to it") == true)
        #expect(symlink("nowhere", path) == 0)
        #expect(FileAccess.system.cacheProblem(path)?.hasPrefix("a symbolic link") == true)
        var access = FileAccess.system
        access.read = { _ in Array("\ncache_file \(path)".utf8) }
        #expect(throws: CommandFailure.self) { try ConfigurationReader.read("proxy.conf", files: access) }
        access.read = { _ in Array("cache_file off".utf8) }
        #expect(throws: Never.self) { try ConfigurationReader.read("proxy.conf", files: access) }
    }

    @Test func eachKindHasItsModeAndContent() throws {
        let path = try file("secret", mode: 0o644)
        let problem = try #require(FileAccess.system.secretProblem(path, .clientKeys))
        #expect(problem.contains("0644") && problem.contains("chmod 600") && !problem.contains(path))
        let short = try file("two words", mode: 0o600)
        #expect(FileAccess.system.secretProblem(short, .clientKeys)?.contains("line 1") == true)
        let keys = try file("app 0123456789abcdef 50/s\n", mode: 0o600)
        #expect(FileAccess.system.secretProblem(keys, .clientKeys) == nil)
        #expect(FileAccess.system.secretProblem(short, .token) != nil)
        let fifteen = try file("0123456789abcde\n", mode: 0o600)
        #expect(FileAccess.system.secretProblem(fifteen, .token) == nil)
        #expect(FileAccess.system.secretProblem(fifteen, .adminToken) == "must contain a token of at least 16 bytes")
        let sixteen = try file("0123456789abcdef\n", mode: 0o600)
        #expect(FileAccess.system.secretProblem(sixteen, .adminToken) == nil)
    }

    /// A file of 420 keys was too large.
    @Test func clientKeyFilesMayBeLargerThanSecrets() throws {
        func list(_ bytes: Int) throws -> String {
            try file("app 0123456789abcdef\n" + String(repeating: "#", count: bytes - 21), mode: 0o600)
        }
        let access = FileAccess.system
        for bytes in [16_385, 1 << 20] {
            let path = try list(bytes)
            #expect(access.secretProblem(path, .clientKeys) == nil && access.secretSum(path) != nil)
        }
        #expect(try access.secretProblem(list(1 + 1 << 20), .clientKeys) == "must contain 1 to 1048576 bytes")
    }

    @Test func aWrongKeyFileIsToldTheExpectedContent() throws {
        let rubbish = try file("rubbish", mode: 0o600)
        for kind in [SecretKind.key, .signingKey] {
            let problem = try #require(FileAccess.system.secretProblem(rubbish, kind))
            #expect(problem == "must contain a private key in PEM, 100 to 16384 bytes")
        }
        let header = try file("Bearer a.b.c\n", mode: 0o600)
        let problem = try #require(FileAccess.system.secretProblem(header, .token))
        #expect(problem == "must contain only the token, without \"Bearer \"")
    }

    /// `check` called right what `serve` refused a moment later.
    @Test func keysAreReadAndNotOnlyThere() throws {
        let access = FileAccess.system
        let (one, other) = try (ThrowawayAuthority().issue(hosts: ["a"]), ThrowawayAuthority().issue(hosts: ["a"]))
        let key = try folder.put(one.keyPEM, "one.key", mode: 0o600)
        let otherKey = try folder.put(other.keyPEM, "other.key", mode: 0o600)
        let certificate = try folder.put(one.certificatePEM, "one.pem", mode: 0o644)
        let certificateAsKey = try folder.put(one.certificatePEM, "as.key", mode: 0o600)
        #expect(access.secretProblem(key, .signingKey) == nil && access.secretProblem(certificateAsKey, .key) == nil)
        #expect(access.secretProblem(certificateAsKey, .signingKey) != nil)
        #expect(access.certificateProblem(certificate, key) == nil)
        #expect(access.certificateProblem(certificate, otherKey)?.contains("does not belong to") == true)
        var reading = access
        func errors(_ key: String) -> [String] {
            let text = "listen 127.0.0.1:0 tls\ntls_certificate \(certificate)\ntls_certificate_key \(key)\n"
            reading.read = { _ in Array(text.utf8) }
            return complaints(in: reading)
        }
        #expect(errors(key).isEmpty)
        let found = errors(otherKey)
        #expect(found.count == 1 && found[0].hasPrefix("proxy.conf:2: tls_certificate: "))
    }

    @Test func eachKindOfFileIsReadUpToItsBound() throws {
        let path = try file(filler(1 << 20), mode: 0o600)
        #expect(try FileAccess.system.read(path).count == 1 << 20)
        let larger = try file(filler((1 << 20) + 1), mode: 0o600)
        #expect(throws: FileProblem.self) { try FileAccess.system.read(larger) }
        #expect(throws: FileProblem.absent) { try FileAccess.system.read(folder.file("absent")) }
        // Since results of replays are read, configurations were read up to their bound as well.
        let result = try file(filler(2 << 20), mode: 0o600)
        #expect(try FileAccess.system.readResult(result).count == 2 << 20)
        #expect(throws: FileProblem("larger than 1048576 bytes")) { try FileAccess.system.read(result) }
        let most = try file(filler((64 << 20) + 1), mode: 0o600)
        #expect(throws: FileProblem("larger than 67108864 bytes")) { try FileAccess.system.readResult(most) }
    }
}
