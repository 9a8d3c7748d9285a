import Foundation
import Synchronization
import Testing

/// One run of the test program: its temporary directory, its children, and its last lines.
///
/// The run finds what tests start or write: files in its directory (`TMPDIR`), children by their
/// sessions, and their children by `TMPDIR` in the environment. Leftovers are listed, fail the run
/// and are removed.
public enum TestRun {
    private struct State {
        var sessions: Set<pid_t> = []
        /// The tests that have made folders, by the names of these.
        var makers: [String: String] = [:]
        /// The descriptor to the guardian; nil in the process of an exit test.
        var guardian: (process: ChildProcess, input: CInt)?
    }

    private static let mark = "REFRAIN_TEST_RUN"
    private static let state = Mutex(State())
    private static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "" }
    private static let eventsOption = "--event-stream-output-path"
    /// The events of the run; empty where no argument names their file.
    private static var events: String {
        let words = CommandLine.arguments
        return words.lastIndex(of: eventsOption).flatMap { words.dropFirst($0 + 1).first } ?? ""
    }

    /// Variables for the environment of each child.
    static var variables: [String: String] { getenv(mark) == nil ? [:] : ["TMPDIR": folder] }

    /// Makes the run's directory, and starts the program anew to have it everywhere from the
    /// beginning. The process of an exit test is part of the run that started it.
    public static func begin() {
        guard getenv("SWT_EXIT_TEST_ID") == nil else { return }
        guard getenv(mark).map({ String(cString: $0) }) == "\(getpid())" else { return restart() }
        // This process has read it. The backtrace of a child that crashes on purpose takes a minute
        // of both cores, because it reads the symbols of all modules.
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        do {
            let guardian = try startGuardian()
            state.withLock { $0.guardian = guardian }
        } catch {
            fail("\(error)")
        }
    }

    private static func restart() {
        guard let path = try? TemporaryFolder.make(), let program = realpath("/proc/self/exe", nil) else {
            fail("there is no temporary directory")
        }
        setenv("TMPDIR", path, 1)
        setenv(mark, "\(getpid())", 1)
        // The testing library writes its events only to a file that an argument names. One outside
        // of the directory outlives a crash.
        let events = getenv("REFRAIN_TEST_EVENTS").map { String(cString: $0) } ?? path + "/events"
        unsetenv("REFRAIN_TEST_EVENTS")
        let words = (CommandLine.arguments + [eventsOption, events]).map { strdup($0) } + [nil]
        execv(program, words)
        fail("execv: errno \(errno)")
    }

    private static func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data("refrain: the tests cannot be watched: \(reason)\n".utf8))
        exit(1)
    }

    /// Starts the guardian. It reads which sessions run; when this program ends for any reason, it
    /// kills them and removes the run's directory.
    private static func startGuardian() throws -> (ChildProcess, CInt) {
        let script = """
            exec <&3 3<&-; running=' '
            while read -r event id; do
                case $event in
                    started) running="$running$id " ;;
                    ended)
                        case $running in
                            *" $id "*) running="${running%% $id *} ${running#* $id }" ;;
                        esac ;;
                esac
            done
            for id in $running; do kill -KILL "-$id"; done
            rm -rf "$0"
            """
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { throw ChildProcess.Failure(description: "pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[0]) }
        return (try ChildProcess(["/bin/sh", "-c", script, folder], passing: [ends[0]]), ends[1])
    }

    /// Notes which test has made a folder in the run's directory.
    static func made(_ folder: String) {
        guard let test = Test.current else { return }
        state.withLock { $0.makers[folder] = test.name }
    }

    static func started(_ session: pid_t) { note("started", session) { $0.insert(session).inserted } }
    static func ended(_ session: pid_t) { note("ended", session) { $0.remove(session) != nil } }

    /// Tells the guardian of a change.
    private static func note(_ event: String, _ session: pid_t, _ change: (inout Set<pid_t>) -> Bool) {
        state.withLock { state in
            guard let guardian = state.guardian, guardian.process.id != session, change(&state.sessions) else { return }
            let line = Array("\(event) \(session)\n".utf8)
            _ = write(guardian.input, line, line.count)
        }
    }

    /// The report of a run that has crashed, where the arguments are `--crashed` and the file of
    /// its events; else nil.
    public static func reportOfCrash(_ arguments: [String]) -> String? {
        guard let index = arguments.firstIndex(of: "--crashed"), arguments.indices.contains(index + 1) else {
            return nil
        }
        let events = (try? Data(contentsOf: URL(fileURLWithPath: arguments[index + 1]))) ?? Data()
        return RunReport.ofCrash(RunTally(events: events))
    }

    /// Prints the report. Returns the tests' exit status, or at least 1 where something was left or
    /// the tests could not be counted.
    public static func end(_ status: CInt) -> CInt {
        guard let guardian = state.withLock({ $0.guardian }) else { return status }
        let tally = (try? Data(contentsOf: URL(fileURLWithPath: events))).map(RunTally.init(events:))
        unlink(events)
        let left = leftovers()
        print(
            RunReport(tally: tally, figures: FigureTable.text, left: left, leftOut: LeftOut.notes).text, terminator: "")
        close(guardian.input)
        guardian.process.waitForEnd()
        return left.isEmpty && tally != nil ? status : max(status, 1)
    }

    /// One line for each leftover. Waits 10 s for ending processes, then kills the rest.
    private static func leftovers() -> [String] {
        var (lines, processes): ([String], [RunningProcess]) = ([], [])
        waitAtMost(10) {
            processes = processesLeft()
            lines = processes.map { process in
                let addresses = Set(ListeningSocket.all(of: process.id).map(\.address))
                return Leftovers.line(process, command: process.command, listensOn: addresses.sorted())
            }
            let paths = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
            lines += Leftovers.lines(paths: paths, makers: state.withLock { $0.makers })
            return lines.isEmpty
        }
        for process in processes { kill(process.id, SIGKILL) }
        return lines
    }

    private static func processesLeft() -> [RunningProcess] {
        let (sessions, guardian) = state.withLock { ($0.sessions, $0.guardian?.process.id) }
        let variable = "TMPDIR=" + folder
        let run = Leftovers.Run(process: getpid(), sessions: sessions, guardian: guardian) { process in
            process.variables.contains { $0 == variable || $0.hasPrefix(variable + "/") }
        }
        return Leftovers.processes(of: run, among: RunningProcess.all)
    }
}
