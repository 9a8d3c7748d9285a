import Foundation

/// Ends a run in which no test begins or ends any more, and names the tests that run.
///
/// A time limit of the runner cancels a task, which does not end a test that blocks its thread. The
/// runner writes its events to the file that `--event-stream-output-path` names.
public enum Watchdog {
    private static let option = "--event-stream-output-path"

    /// Watches from now on where the runner writes its events to a file; a soak run is silent.
    public static func begin() {
        let words = CommandLine.arguments
        guard let index = words.lastIndex(of: option), words.indices.contains(index + 1),
            ProcessInfo.processInfo.environment["REFRAIN_SOAK"] == nil
        else { return }
        let minutes = Patience.seconds(TestSize.isRelease ? 1_440 : 20)
        Thread.detachNewThread { watch(words[index + 1], silence: .seconds(60 * minutes)) }
    }

    /// Ends the process once the file has not grown for `silence`.
    public static func watch(_ path: String, silence: Duration) -> Never {
        var size: UInt64?
        var lastEvent = ContinuousClock.now
        while ContinuousClock.now - lastEvent < silence {
            let now = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? UInt64
            if now != size { (size, lastEvent) = (now, .now) }
            usleep(UInt32(min(silence / 20, .seconds(30)) / .microseconds(1)))
        }
        let names = running((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()).joined(separator: "\n    ")
        let report = "refrain: no test has begun or ended for \(silence); these run:\n    \(names)\n"
        FileHandle.standardError.write(Data(report.utf8))
        // Exit handlers may wait for what hangs.
        _exit(1)
    }

    /// The identifiers of the tests that have begun and not ended, but for the suites around them.
    public static func running(_ events: Data) -> [String] {
        var open: Set<String> = []
        for line in events.split(separator: UInt8(ascii: "\n")) {
            guard let record = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
                let event = record["payload"] as? [String: Any], let test = event["testID"] as? String
            else { continue }
            switch event["kind"] as? String {
            case "testStarted": open.insert(test)
            case "testEnded", "testSkipped": open.remove(test)
            default: break
            }
        }
        return open.filter { test in !open.contains { $0.hasPrefix(test + "/") } }.sorted()
    }
}
