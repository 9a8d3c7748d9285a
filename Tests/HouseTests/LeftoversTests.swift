import Dispatch
import Foundation
import Testing

@testable import TestSupport

/// The final report of a run, from invented data.
@Suite(.timeLimit(.minutes(10))) struct LeftoversTests {
    private static func process(
        _ id: pid_t, _ name: String = "sleep", hasEnded: Bool = false, parent: pid_t = 1, session: pid_t? = nil
    ) -> RunningProcess {
        RunningProcess(id: id, name: name, hasEnded: hasEnded, parent: parent, group: id, session: session ?? id)
    }

    @Test func leftoversAreFoundAndNamed() {
        let run = Leftovers.Run(process: 100, sessions: [200], guardian: 101) { $0.id == 301 || $0.id == 302 }
        let all = [
            Self.process(1), Self.process(100, parent: 1), Self.process(101, parent: 100),
            Self.process(110, parent: 100), Self.process(111, hasEnded: true, parent: 100),
            Self.process(201, session: 200), Self.process(202, hasEnded: true, session: 200),
            Self.process(301), Self.process(302, hasEnded: true), Self.process(400),
        ]
        #expect(Leftovers.processes(of: run, among: all).map(\.id) == [110, 111, 201, 301])
        let process = Self.process(7)
        #expect(Leftovers.line(process, command: "sleep 300", listensOn: []) == "process 7 runs: sleep 300")
        #expect(
            Leftovers.line(process, command: "redis-server *:1", listensOn: ["127.0.0.1:1", "127.0.0.1:2"])
                == "process 7 runs: redis-server *:1, and listens on 127.0.0.1:1, 127.0.0.1:2")
        #expect(
            Leftovers.line(Self.process(8, hasEnded: true), command: "", listensOn: [])
                == "process 8 (sleep) has ended, and nothing waited for it")
        let paths = ["b", "a", "a/2", "a/1", "a/1/x", "a/3", "a/4"]
        #expect(
            Leftovers.lines(paths: paths, makers: ["a": "whatLeaks()"]) == [
                "a is in the temporary directory, with 1, 1/x, 2, 3 and 1 more, of the test whatLeaks()",
                "b is in the temporary directory",
            ])
        #expect(Leftovers.lines(paths: []).isEmpty)
    }

    /// The kernel escapes nothing in a name.
    @Test func aProcessIsReadWhateverItsName() {
        let line = "42 (a) S 9 (b)) Z 7 40 39 0 -1 4194560 0 0"
        #expect(
            RunningProcess(stat: line)
                == RunningProcess(id: 42, name: "a) S 9 (b)", hasEnded: true, parent: 7, group: 40, session: 39))
        #expect(RunningProcess(stat: "42 (sh) S 7 40") == nil && RunningProcess(stat: "") == nil)
        let own = RunningProcess.all.first { $0.id == getpid() }
        #expect(own?.parent == getppid() && own?.group == getpgrp() && own?.hasEnded == false)
    }

    private static let events = """
        {"kind":"test","payload":{"kind":"suite","id":"M.S"}}
        {"kind":"test","payload":{"kind":"function","id":"M.S/a()"}}
        {"kind":"test","payload":{"kind":"function","id":"M.S/b()/S.swift:7:6"}}
        {"kind":"test","payload":{"kind":"function","id":"M.S/c()"}}
        {"kind":"test","payload":{"kind":"function","id":"M.S/d()"}}
        {"kind":"event","payload":{"kind":"testSkipped","testID":"M.S/c()"}}
        {"kind":"event","payload":{"kind":"issueRecorded","testID":"M.S/b()/S.swift:7:6","issue":{"isKnown":false,"severity":"error",\
        "sourceLocation":{"fileID":"M/S.swift","line":9}},\
        "messages":[{"symbol":"fail","text":"Expectation failed"},{"symbol":"details","text":"1 == 2"}]}}
        {"kind":"event","payload":{"kind":"issueRecorded","testID":"M.S/a()","issue":{"isKnown":true}}}
        {"kind":"event","payload":{"kind":"issueRecorded","testID":"M.S/a()","issue":{"severity":"warning"}}}
        {"kind":"event","payload":{"kind":"testEnded","testID":"M.S/a()"}}
        {"kind":"event","payload":{"kind":"testEnded","testID":"M.S/b()/S.swift:7:6"}}
        {"kind":"event","payload":{"kind":"testEnded","testID":"M.S"}}
        """

    /// An expectation on another thread failed in "some test", and a crash told its place alone.
    @Test func issuesOfThreadsAndTestsThatACrashCutOffHadNoNames() {
        let started = ["M.S/b()/S.swift:7:6", "M.T/e()/T.swift:1:6"].map {
            #"{"kind":"event","payload":{"kind":"testStarted","testID":"\#($0)"}}"#
        }
        func tally(_ begun: Int, issueIn file: String) -> RunTally {
            let issue =
                #"{"kind":"event","payload":{"kind":"issueRecorded","issue":{"sourceLocation":"#
                + #"{"fileID":"M/\#(file)","line":9}},"messages":[{"text":"Expectation failed"}]}}"#
            let tests =
                Self.events.split(separator: "\n").prefix(3).map(String.init) + [
                    #"{"kind":"test","payload":{"kind":"function","id":"M.T/e()/T.swift:1:6"}}"#
                ]
            let lines = tests + started.prefix(begun) + [issue]
            return RunTally(events: Data(lines.joined(separator: "\n").utf8))
        }
        #expect(tally(2, issueIn: "S.swift").issues == ["M.S/b(), M/S.swift:9\n    Expectation failed"])
        #expect(tally(2, issueIn: "Other.swift").issues.first?.hasPrefix("M.S/b() or M.T/e(), M/Other") == true)
        #expect(tally(0, issueIn: "S.swift").issues.first?.hasPrefix("some test, ") == true)
        #expect(
            RunReport.ofCrash(tally(1, issueIn: "S.swift")) == """
                Failed before the crash:
                  M.S/b(), M/S.swift:9
                    Expectation failed
                Running at the crash:
                  M.S/b()
                0 passed, 1 failed, 0 skipped, 1 crashed or cut off, 2 not run

                """)
    }

    /// The fourth of the tests has not ended, and has not passed.
    @Test func theReportEndsWithALineOfCounts() {
        let tally = RunTally(events: Data(Self.events.utf8))
        #expect(tally.counts(leftBehind: 0) == "1 passed, 1 failed, 1 skipped")
        #expect(RunTally(events: Data("no event".utf8)).counts(leftBehind: 0) == "0 passed, 0 failed, 0 skipped")
        let report = RunReport(tally: tally, figures: "Figures:\n  a: 1\n", left: ["x runs"], leftOut: ["no zsh"])
        #expect(
            report.text == """
                Figures:
                  a: 1
                Left out, because this machine or this run lacks it:
                  no zsh
                Failed:
                  M.S/b(), M/S.swift:9
                    Expectation failed
                    1 == 2
                Left by tests, which have to end and remove what they start and write:
                  x runs
                1 passed, 2 failed, 1 skipped

                """)
        let uncounted = RunReport(tally: nil, figures: nil, left: [], leftOut: [])
        #expect(uncounted.text == "The tests of this run could not be counted.\n")
    }
}

@Suite(.timeLimit(.minutes(10))) struct TimeLimitTests {
    /// Such a test went on for minutes after the run had reported it, while those that followed
    /// ran.
    @Test func blockingThreadsEndAtTheTimeLimit() async throws {
        let origin = try ScriptedOrigin([.request, .hold])
        defer { origin.stop() }
        let (hasBegun, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let test = Task {
            try await onThread { () -> (Bool, String) in
                let before = TimeLimit.hasPassed
                hasBegun.signal()
                isOver.waitOrFail()
                let isWaitedFor = waitAtMost(600) { false }
                let error = #expect(throws: HTTPTestClient.Failure.self) {
                    try HTTPTestClient(port: Int(origin.port)).send("GET", "/")
                }
                return (before || isWaitedFor || !TimeLimit.hasPassed, error?.description ?? "")
            }
        }
        try await onThread { hasBegun.waitOrFail() }
        test.cancel()
        isOver.signal()
        let (isUnlike, error) = try await test.value
        #expect(!isUnlike && error == "the test's time limit has passed")
        #expect(!TimeLimit.hasPassed && origin.connectionCount == 0)
    }
}

@Suite(.timeLimit(.minutes(10))) struct WatchdogTests {
    private static func event(_ kind: String, _ test: String) -> String {
        #"{"kind":"event","payload":{"kind":"\#(kind)","testID":"\#(test)"},"version":0}"# + "\n"
    }

    private static let events = [
        "{\"kind\":\"test\",\"payload\":{}}\n", event("testStarted", "T.S"),
        event("testStarted", "T.S/a()/S.swift:1:6"),
        event("testStarted", "T.S/b()/S.swift:2:6"), event("testEnded", "T.S/a()/S.swift:1:6"),
    ].joined()

    /// A file without a name: the process that reads it cannot remove it afterwards.
    private static func openEvents() throws -> CInt {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { open(try folder.put(events.utf8, "events"), O_RDONLY) }
    }

    @Test func runningTestsAreNamed() {
        #expect(Watchdog.running(Data(Self.events.utf8)) == ["T.S/b()/S.swift:2:6"])
        // The last line may be half written.
        #expect(Watchdog.running(Data(Self.events.utf8) + Data("{\"kind\":".utf8)) == ["T.S/b()/S.swift:2:6"])
        #expect(Watchdog.running(Data()).isEmpty)
    }

    @Test func aSilentRunFailsAndSaysWhereItIs() async throws {
        let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
            let descriptor = try WatchdogTests.openEvents()
            Watchdog.watch("/proc/self/fd/\(descriptor)", silence: .milliseconds(200))
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("T.S/b()/S.swift:2:6") && !text.contains("T.S/a()"), "\(text)")
    }
}

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

    @Test(arguments: [false, true])
    func descendantsEndWithTheProgramUnlessTheySucceedIt(hasSuccessors: Bool) throws {
        let process = try shell("sleep 600 & echo $!", hasSuccessors: hasSuccessors)
        #expect(process.waitForEnd() == 0 && !process.isRunning)
        let left = try #require(pid_t(output.dropLast()))
        #expect(isRunning(left) == hasSuccessors)
        process.kill()
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
