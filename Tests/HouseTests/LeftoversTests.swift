import Foundation
import Testing

@testable import TestSupport

/// The final report of a run, from invented data.
@Suite struct LeftoversTests {
    private static func process(
        _ id: pid_t, _ name: String = "sleep", hasEnded: Bool = false, parent: pid_t = 1, session: pid_t? = nil
    ) -> RunningProcess {
        RunningProcess(id: id, name: name, hasEnded: hasEnded, parent: parent, group: id, session: session ?? id)
    }

    @Test func processesOfARunAreFound() {
        let run = Leftovers.Run(process: 100, sessions: [200], guardian: 101) { $0.id == 301 || $0.id == 302 }
        let all = [
            Self.process(1), Self.process(100, parent: 1), Self.process(101, parent: 100),
            Self.process(110, parent: 100), Self.process(111, hasEnded: true, parent: 100),
            Self.process(201, session: 200), Self.process(202, hasEnded: true, session: 200),
            Self.process(301), Self.process(302, hasEnded: true), Self.process(400),
        ]
        #expect(Leftovers.processes(of: run, among: all).map(\.id) == [110, 111, 201, 301])
    }

    @Test func aProcessIsNamedWithItsCommandAndListeners() {
        let process = Self.process(7)
        #expect(Leftovers.line(process, command: "sleep 300", listensOn: []) == "process 7 runs: sleep 300")
        #expect(
            Leftovers.line(process, command: "redis-server *:1", listensOn: ["127.0.0.1:1", "127.0.0.1:2"])
                == "process 7 runs: redis-server *:1, and listens on 127.0.0.1:1, 127.0.0.1:2")
        #expect(
            Leftovers.line(Self.process(8, hasEnded: true), command: "", listensOn: [])
                == "process 8 (sleep) has ended, and nothing waited for it")
    }

    @Test func filesAreNamedByTheEntryThatHasThem() {
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

    /// The fourth of the tests has not ended.
    @Test func onlyTestsThatEndedWellHavePassed() {
        let tally = RunTally(events: Data(Self.events.utf8))
        #expect(tally.counts(leftBehind: 0) == "1 passed, 1 failed, 1 skipped")
        #expect(tally.issues == ["M.S/b(), M/S.swift:9\n    Expectation failed\n    1 == 2"])
        #expect(RunTally(events: Data("no event".utf8)).counts(leftBehind: 0) == "0 passed, 0 failed, 0 skipped")
    }

    @Test func theLastLineCountsTheTestsAndStandsAlone() {
        let tally = RunTally(events: Data(Self.events.utf8))
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
