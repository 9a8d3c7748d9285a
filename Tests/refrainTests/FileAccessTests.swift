import Foundation
import Testing

@testable import refrain

@Suite struct FileAccessTests {
    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("refrain-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    private func file(_ text: String, mode: Int) throws -> String {
        let path = directory.appendingPathComponent("secret").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    private func remove() { try? FileManager.default.removeItem(at: directory) }

    @Test(arguments: [0o600, 0o400]) func acceptsASecretOfItsOwnerAlone(_ mode: Int) throws {
        defer { remove() }
        #expect(try FileAccess.system.secretProblem(file("secret", mode: mode)) == nil)
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o601]) func refusesASecretThatOthersCanTouch(_ mode: Int) throws {
        defer { remove() }
        let problem = try #require(FileAccess.system.secretProblem(file("secret", mode: mode)))
        #expect(problem.contains("0" + String(mode, radix: 8)) && problem.contains("chmod 600"))
    }

    @Test func refusesWhatIsNoFileOrEmptyOrMissing() throws {
        defer { remove() }
        #expect(FileAccess.system.secretProblem(directory.path) == "not a regular file")
        #expect(FileAccess.system.secretProblem(directory.path + "/absent") == "No such file or directory")
        #expect(try FileAccess.system.secretProblem(file("", mode: 0o600)) == "empty")
    }

    @Test func refusesASymbolicLinkToASecret() throws {
        defer { remove() }
        let link = directory.appendingPathComponent("link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: file("secret", mode: 0o600))
        #expect(FileAccess.system.secretProblem(link) == "a symbolic link; name the file itself")
    }

    @Test func readsAFileUpToItsBound() throws {
        defer { remove() }
        let path = try file(String(repeating: "x", count: 1 << 20), mode: 0o600)
        #expect(try FileAccess.system.read(path).count == 1 << 20)
        let larger = try file(String(repeating: "x", count: (1 << 20) + 1), mode: 0o600)
        #expect(throws: FileProblem.self) { try FileAccess.system.read(larger) }
        #expect(throws: FileProblem.absent) { try FileAccess.system.read(directory.path + "/absent") }
    }
}
