import Glibc
import TestSupport
import Testing

@testable import EventLoop

@Suite struct PrivateFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func objection(_ path: String) -> PrivateFile.Objection? {
        thrown { () throws(PrivateFile.Objection) in _ = try PrivateFile.open(path, credentialsDirectory: nil) }
    }

    /// certbot: `live/NAME/privkey.pem` leads to `../../archive/NAME/privkey1.pem`; Kubernetes: a
    /// key leads to `..data/key`, and that to a folder of one version. Both were refused.
    @Test func aLinkIsFollowedToAFileThatIsJudged() throws {
        let key = try folder.put("key", "key1", mode: 0o600)
        let open = try folder.put("key", "open1", mode: 0o644)
        for (name, target) in [("key", "key1"), ("link", "key"), ("open", open), ("loop", "loop"), ("lost", "absent")] {
            #expect(symlink(target, folder.file(name)) == 0)
        }
        #expect(objection(key) == nil && objection(folder.file("key")) == nil && objection(folder.file("link")) == nil)
        #expect(objection(folder.file("open")) == .accessibleByOthers(mode: 0o644))
        #expect(objection(folder.file("loop")) == .system(ELOOP) && objection(folder.file("lost")) == .system(ENOENT))
    }

    /// The way of a process that is not root to a Kubernetes secret (`fsGroup`); it was refused.
    @Test func aGroupOfTheProcessMayReadAndNothingElse() throws {
        for mode in [0o440, 0o640, 0o600, 0o400, 0o700] {
            #expect(objection(try folder.put("key", "\(mode)", mode: mode)) == nil, "\(String(mode, radix: 8))")
        }
        for mode in [0o660, 0o620, 0o650, 0o644, 0o604, 0o601, 0o444, 0o777] {
            let path = try folder.put("key", "\(mode)", mode: mode)
            #expect(objection(path) == .accessibleByOthers(mode: UInt32(mode)), "\(String(mode, radix: 8))")
        }
    }

    @Test(.requires(.root)) func anotherGroupMayNotRead() throws {
        let path = try folder.put("key", "key", mode: 0o440)
        #expect(chown(path, 0, 54_321) == 0 && chmod(path, 0o440) == 0)
        #expect(objection(path) == .accessibleByOthers(mode: 0o440))
        #expect(chmod(path, 0o400) == 0 && objection(path) == nil)
    }

    /// The key of a TLS listener is judged as every other secret is.
    @Test func theKeyOfAListenerMayBeALink() throws {
        let leaf = try ThrowawayAuthority().issue(hosts: ["a"])
        let certificate = try folder.put(leaf.certificatePEM, "cert.pem", mode: 0o644)
        let key = try folder.put(leaf.keyPEM, "key1", mode: 0o440)
        #expect(symlink("key1", folder.file("key")) == 0)
        _ = try ServerTLS(certificateFile: certificate, keyFile: folder.file("key"))
        #expect(chmod(key, 0o644) == 0)
        let error = #expect(throws: TLSError.self) {
            try ServerTLS(certificateFile: certificate, keyFile: folder.file("key"))
        }
        #expect("\(try #require(error))".contains("0644"))
    }
}
