import Foundation
import Testing

@testable import TestSupport

/// Whatever a test starts ends with it.
@Suite(.timeLimit(.minutes(5))) struct ChildProcessTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func shell(_ script: String, passing: [CInt] = [], hasSuccessors: Bool = false) throws -> ChildProcess {
        try ChildProcess(
            ["/bin/sh", "-c", script], output: folder.file("output"), passing: passing, hasSuccessors: hasSuccessors)
    }

    private var output: String { String(decoding: (try? folder.bytes("output")) ?? [], as: UTF8.self) }

    private func isRunning(_ id: pid_t) -> Bool { RunningProcess.all.contains { $0.id == id && !$0.hasEnded } }

    @Test func descendantsEndWithTheProgram() throws {
        #expect(try shell("sleep 600 & echo $!").waitForEnd() == 0)
        let left = try #require(pid_t(output.dropLast()))
        #expect(!isRunning(left))
    }

    @Test func aGroupEndsWithTheObject() throws {
        var process: ChildProcess? = try shell("sleep 600 & echo $!; wait")
        waitUntil { output.hasSuffix("\n") }
        let other = try #require(pid_t(output.dropLast()))
        let id = try #require(process?.id)
        #expect(isRunning(id) && isRunning(other))
        process = nil
        #expect(!isRunning(id) && !isRunning(other))
    }

    @Test func successorsGoOnUntilTheyAreEnded() throws {
        let process = try shell("sleep 600 & echo $!", hasSuccessors: true)
        #expect(process.waitForEnd() == 0 && !process.isRunning)
        let successor = try #require(pid_t(output.dropLast()))
        #expect(isRunning(successor))
        process.kill()
        #expect(!isRunning(successor))
    }

    @Test func theStatusIsTheProgramsOrItsSignal() throws {
        #expect(try shell("exit 3").waitForEnd() == 3)
        let process = try shell("sleep 600")
        process.send(SIGTERM)
        #expect(process.waitForEnd() == 128 + SIGTERM)
        #expect(throws: ChildProcess.Failure.self) { try ChildProcess(["/nowhere/program"]) }
    }

    @Test func aChildHasItsOwnSessionAndOnlyGivenDescriptors() throws {
        let leaked = open("/dev/null", O_RDONLY)
        defer { close(leaked) }
        let process = try shell(
            "for one in 0 1 2 3 4 5 6 7 8 9; do readlink /proc/$$/fd/$one; done; sleep 600", passing: [leaked])
        waitUntil { output.split(separator: "\n").count >= 4 }
        #expect(output == "/dev/null\n\(folder.file("output"))\n\(folder.file("output"))\n/dev/null\n")
        let own = try #require(RunningProcess.all.first { $0.id == process.id })
        #expect(own.session == process.id && own.group == process.id && own.parent == getpid())
        #expect(own.variables.contains("TMPDIR=\(folder.url.deletingLastPathComponent().path)"))
    }
}
