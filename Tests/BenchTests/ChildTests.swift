import Foundation
import Glibc
import TestSupport
import Testing

@testable import Bench

@Suite(.timeLimit(.minutes(10))) struct ChildTests {
    @Test func outputOfBothKindsIsReturned() throws {
        let text = try Child.output(of: "/bin/sh", ["-c", "echo one; echo two >&2"])
        #expect(text == "one\ntwo\n")
        #expect(throws: BenchError.self) { try Child.output(of: "/nowhere/program", []) }
        #expect(Child.find("a-program-that-does-not-exist") == nil)
        #expect(Child.find("sh") != nil)
    }

    /// With Foundation's `Process` this waited for the first child's end.
    @Test func aChildThatClosesItsDescriptorsDelaysNothing() throws {
        let script = "for n in 3 4 5 6 7 8 9; do eval \"exec $n>&- $n<&-\"; done; exec sleep 60"
        let folder = try TemporaryFolder()
        let silent = try Child("/bin/sh", ["-c", script], log: folder.file("log"))
        defer { silent.stop() }
        func isListed() -> Bool { Child.running.withLock { $0.contains(silent.identifier) } }
        #expect(try Child.output(of: "/bin/echo", ["done"]) == "done\n")
        #expect(silent.isRunning && isListed())
        silent.stop()
        #expect(!silent.isRunning && !isListed())
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

    private let rollup = """
        55d0c0e00000-7ffd5a5fe000 ---p 00000000 00:00 0                          [rollup]
        Rss:                9144 kB
        Pss:                3071 kB
        Pss_Dirty:          1724 kB
        Pss_Anon:           1720 kB
        SwapPss:               7 kB

        """

    @Test func theProportionalSetSizeIsFound() throws {
        #expect(ProcessUse.proportionalBytes(in: rollup) == 3071 * 1024)
        #expect(try #require(ProcessUse.proportionalBytes(of: getpid())) > 0)
        #expect(ProcessUse.proportionalBytes(of: -1) == nil)
        for text in ["", "Rss: 1 kB\n", "Pss: x kB\n", "Pss: 12\n", "Pss_Anon: 12 kB\n"] {
            #expect(ProcessUse.proportionalBytes(in: text) == nil, "\(text)")
        }
    }
}
