import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

@testable import AppleMusic

extension SecretBytes {
    convenience init(_ text: String) { self.init(Array(text.utf8).span) }

    var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
}

extension TemporaryFolder {
    func write(_ text: String, mode: mode_t = 0o600) throws -> String {
        let file = try put(text.utf8, "secret")
        #expect(chmod(file, mode) == 0)
        return file
    }
}

private func reason(_ body: () throws(SecretFileError) -> SecretBytes) -> SecretFileError.Reason? {
    thrown(body)?.reason
}

@Suite struct SecretFileTests {
    let directory: TemporaryFolder

    init() throws { directory = try TemporaryFolder() }

    @Test(arguments: [0o600, 0o400, 0o700] as [mode_t])
    func `a file of one's own is read`(mode: mode_t) throws {
        let path = try directory.write("content\n", mode: mode)
        #expect(try SecretFile.read(path).text == "content\n")
    }

    @Test(arguments: [0o604, 0o644, 0o660, 0o601, 0o610, 0o620, 0o602, 0o666, 0o777] as [mode_t])
    func `any right for others is refused, and the error names path and mode alone`(mode: mode_t) throws {
        let path = try directory.write("canary", mode: mode)
        let error = #expect(throws: SecretFileError.self) { try SecretFile.read(path) }
        #expect(error?.reason == .notPrivate(.accessibleByOthers(mode: UInt32(mode))))
        let message = "\(try #require(error))"
        #expect(message.contains(path) && message.contains("0\(String(mode, radix: 8))"))
        #expect(!message.contains("canary"))
    }

    @Test func `a symbolic link is followed`() throws {
        let path = try directory.write("content")
        #expect(symlink(path, directory.path + "/link") == 0)
        #expect(try SecretFile.read(directory.path + "/link").text == "content")
    }

    @Test func `what is no regular file is refused without waiting`() throws {
        let pipe = directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(reason { () throws(SecretFileError) in try SecretFile.read(pipe) } == .notPrivate(.notRegularFile))
        #expect(
            reason { () throws(SecretFileError) in try SecretFile.read(directory.path) } == .notPrivate(.notRegularFile)
        )
        #expect(
            reason { () throws(SecretFileError) in try SecretFile.read("/dev/zero") } == .notPrivate(.notRegularFile))
    }

    @Test func `a missing file says so`() throws {
        let path = directory.path + "/none"
        let error = #expect(throws: SecretFileError.self) { try SecretFile.read(path) }
        #expect(error?.description == "\(path): No such file or directory")
    }

    @Test(.requires(.root))
    func `another user's file is refused`() throws {
        let path = try directory.write("content")
        #expect(chown(path, 12345, 12345) == 0)
        #expect(
            reason { () throws(SecretFileError) in try SecretFile.read(path) } == .notPrivate(.foreignOwner(uid: 12345))
        )
    }

    @Test func `sizes are accepted at the limits and refused beyond them`() throws {
        for (count, isAccepted) in [(99, false), (100, true), (16_384, true), (16_385, false), (100_000, false)] {
            let path = try directory.write(String(repeating: "a", count: count))
            let refusal = reason { () throws(SecretFileError) in try SecretFile.read(path, sizes: SecretFile.keySizes) }
            #expect(refusal == (isAccepted ? nil : .size(allowed: 100...16_384)), "\(count)")
        }
        let empty = try directory.write("")
        #expect(reason { () throws(SecretFileError) in try SecretFile.read(empty) } == .size(allowed: 1...16_384))
    }

    @Test(.requires(.root))
    func `systemd's credentials may be readable by the group, and nothing else may`() throws {
        func refusal(_ mode: mode_t, in credentials: String?) throws -> SecretFileError.Reason? {
            let path = try directory.write("content", mode: mode)
            #expect(chown(path, 0, 54_321) == 0)
            return reason { () throws(SecretFileError) in
                try SecretFile.read(path, credentialsDirectory: credentials)
            }
        }
        #expect(try refusal(0o440, in: directory.path) == nil)
        #expect(try refusal(0o440, in: nil) == .notPrivate(.accessibleByOthers(mode: 0o440)))
        #expect(try refusal(0o440, in: "") == .notPrivate(.accessibleByOthers(mode: 0o440)))
        #expect(try refusal(0o440, in: directory.path + "/x") == .notPrivate(.accessibleByOthers(mode: 0o440)))
        #expect(try refusal(0o444, in: directory.path) == .notPrivate(.accessibleByOthers(mode: 0o444)))
        #expect(try refusal(0o460, in: directory.path) == .notPrivate(.accessibleByOthers(mode: 0o460)))
    }

    @Test func `a token loses the line end behind it`() throws {
        for end in ["", "\n", "\r\n"] {
            #expect(try SecretFile.readToken(directory.write("aZ09-._~+/=" + end)).text == "aZ09-._~+/=")
        }
    }

    @Test(arguments: ["\n", "\r\n", "a b", "a\n\n", "a\nb\n", " a", "a ", "a\u{0}", "é", "Basic a", "a,b", "\"a\""])
    func `a token file holds one token and nothing else`(content: String) throws {
        let path = try directory.write(content)
        #expect(reason { () throws(SecretFileError) in try SecretFile.readToken(path) } == .notToken)
    }

    @Test(arguments: ["Bearer a.b.c\n", "bearer a", "BEARER "])
    func `a whole Authorization value is no token`(content: String) throws {
        let path = try directory.write(content)
        #expect(reason { () throws(SecretFileError) in try SecretFile.readToken(path) } == .hasScheme)
    }
}
