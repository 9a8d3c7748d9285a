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

/// Why the file is refused.
private func refusal(
    _ path: String, sizes: ClosedRange<Int> = 1...16_384, credentials: String? = nil
) -> SecretFileError.Reason? {
    thrown { () throws(SecretFileError) in
        try SecretFile.read(path, sizes: sizes, credentialsDirectory: credentials)
    }?.reason
}

private func refusal(ofToken path: String) -> SecretFileError.Reason? {
    thrown { () throws(SecretFileError) in try SecretFile.readToken(path) }?.reason
}

@Suite struct SecretFileTests {
    let directory: TemporaryFolder

    init() throws { directory = try TemporaryFolder() }

    @Test(arguments: [0o604, 0o644, 0o660, 0o601, 0o610, 0o620, 0o602, 0o666, 0o777] as [mode_t])
    func anyRightForOthersIsRefusedAndTheErrorNamesPathAndModeAlone(mode: mode_t) throws {
        let path = try directory.write("canary", mode: mode)
        let error = #expect(throws: SecretFileError.self) { try SecretFile.read(path) }
        #expect(error?.reason == .notPrivate(.accessibleByOthers(mode: UInt32(mode))))
        let message = "\(try #require(error))"
        #expect(message.contains(path) && message.contains("0\(String(mode, radix: 8))"))
        #expect(!message.contains("canary"))
    }

    @Test func anythingButARegularFileIsRefusedWithoutWaiting() throws {
        let pipe = directory.path + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, directory.path, "/dev/zero"] { #expect(refusal(path) == .notPrivate(.notRegularFile)) }
        let missing = directory.path + "/none"
        let error = #expect(throws: SecretFileError.self) { try SecretFile.read(missing) }
        #expect(error?.description == "\(missing): No such file or directory")
    }

    @Test(.requires(.root))
    func anotherUsersFileIsRefused() throws {
        let path = try directory.write("content")
        #expect(chown(path, 12345, 12345) == 0)
        #expect(refusal(path) == .notPrivate(.foreignOwner(uid: 12345)))
    }

    @Test func sizesAreAcceptedAtTheLimitsAndRefusedBeyondThem() throws {
        for (count, isAccepted) in [(99, false), (100, true), (16_384, true), (16_385, false), (100_000, false)] {
            let path = try directory.write(String(repeating: "a", count: count))
            let expected = isAccepted ? nil : SecretFileError.Reason.size(allowed: 100...16_384)
            #expect(refusal(path, sizes: SecretFile.keySizes) == expected, "\(count)")
        }
        #expect(try refusal(directory.write("")) == .size(allowed: 1...16_384))
    }

    @Test(.requires(.root))
    func systemdsCredentialsMayBeReadableByTheGroupAndNothingElseMay() throws {
        for (mode, folder, isRead) in [
            (0o440, directory.path, true), (0o440, nil, false), (0o440, "", false),
            (0o440, directory.path + "/x", false), (0o444, directory.path, false), (0o460, directory.path, false),
        ] as [(mode_t, String?, Bool)] {
            let path = try directory.write("content", mode: mode)
            #expect(chown(path, 0, 54_321) == 0)
            let expected = isRead ? nil : SecretFileError.Reason.notPrivate(.accessibleByOthers(mode: UInt32(mode)))
            #expect(refusal(path, credentials: folder) == expected, "\(mode)")
        }
    }

    @Test func aTokenLosesTheLineEndAfterIt() throws {
        for end in ["", "\n", "\r\n"] {
            #expect(try SecretFile.readToken(directory.write("aZ09-._~+/=" + end)).text == "aZ09-._~+/=")
        }
    }

    @Test func aTokenFileHoldsOneTokenAndNoAuthorizationValue() throws {
        for text in ["\n", "\r\n", "a b", "a\n\n", "a\nb\n", " a", "a ", "a\u{0}", "é", "Basic a", "a,b", "\"a\""] {
            #expect(try refusal(ofToken: directory.write(text)) == .notToken, "\(text)")
        }
        for text in ["Bearer a.b.c\n", "bearer a", "BEARER "] {
            #expect(try refusal(ofToken: directory.write(text)) == .hasScheme, "\(text)")
        }
    }
}
