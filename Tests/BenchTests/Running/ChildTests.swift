import Foundation
import TestSupport
import Testing

@testable import Bench

@Suite struct ChildTests {
    @Test func outputOfBothKindsIsReturned() throws {
        let text = try Child.output(of: "/bin/sh", ["-c", "echo one; echo two >&2"])
        #expect(text == "one\ntwo\n")
    }

    /// With Foundation's `Process` this waited for the first child's end.
    @Test func aChildThatClosesItsDescriptorsDelaysNothing() throws {
        let script = "for n in 3 4 5 6 7 8 9; do eval \"exec $n>&- $n<&-\"; done; exec sleep 60"
        let folder = try TemporaryFolder()
        let silent = try Child("/bin/sh", ["-c", script], log: folder.file("log"))
        defer { silent.stop() }
        #expect(try Child.output(of: "/bin/echo", ["done"]) == "done\n")
        #expect(silent.isRunning)
    }

    /// This program ignores the signal from its first event loop on, and children inherit that.
    /// In a process of its own, since others would inherit that meanwhile.
    @Test func aChildEndsByASignalThatItsParentIgnores() async {
        await #expect(processExitsWith: .success) {
            signal(SIGHUP, SIG_IGN)
            let folder = try TemporaryFolder()
            let child = try Child("/bin/sleep", ["60"], log: folder.file("log"))
            kill(child.identifier, SIGHUP)
            try #require(waitUntil { !child.isRunning })
            child.stop()
        }
    }

    @Test func onlyWhatRunsIsListed() throws {
        let folder = try TemporaryFolder()
        let child = try Child("/bin/sleep", ["60"], log: folder.file("log"))
        #expect(Child.running.withLock { $0.contains(child.identifier) })
        child.stop()
        #expect(!child.isRunning)
        #expect(!Child.running.withLock { $0.contains(child.identifier) })
    }

    @Test func aProgramThatIsMissingIsSaidSo() {
        #expect(throws: BenchError.self) { try Child.output(of: "/nowhere/program", []) }
        #expect(Child.find("a-program-that-does-not-exist") == nil)
        #expect(Child.find("sh") != nil)
    }
}
