import Glibc
import TestSupport
import Testing

/// Where the test program begins. The package manager writes such a file itself where there is
/// none, for which it first has all sources indexed, looking for XCTest cases; there are none.
@main struct Main {
    static func main() async {
        // The package manager starts the program for XCTest too, and asks it for a list first.
        if CommandLine.arguments.contains("--dump-tests-json") { print(#"{"name": "All tests", "tests": []}"#) }
        if let report = TestRun.reportOfCrash(CommandLine.arguments) { print(report, terminator: "") }
        guard CommandLine.arguments.contains("swift-testing") else { return }
        // More than there are cores, because most tests mostly wait; not all at once, because the
        // events that they wait for have to happen within seconds.
        setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", Patience.isSanitized ? "2" : "4", 0)
        // `--list-tests` runs nothing, so nothing can be left.
        if !CommandLine.arguments.contains("--list-tests") { TestRun.begin() }
        Watchdog.begin()
        exit(
            TestRun.end(
                await withTaskExecutorPreference(TestThreads.shared) { await Testing.__swiftPMEntryPoint() as CInt }))
    }
}
