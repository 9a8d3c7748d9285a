import Synchronization
import Testing

@testable import refrain

/// Keeps the output of a command.
final class CapturedOutput: Sendable {
    private let texts = Mutex((standard: "", error: ""))

    var standard: String { texts.withLock { $0.standard } }
    var error: String { texts.withLock { $0.error } }

    var output: Output {
        Output(
            standard: { [self] text in texts.withLock { $0.standard += text } },
            error: { [self] text in texts.withLock { $0.error += text } })
    }
}

/// The status and the output of one run of the program.
struct RunResult {
    let status: Int32
    let standard: String
    let error: String
}

/// Runs the program with `words` (its own name left out).
func run(_ words: [String], files: FileAccess = MemoryFiles().access) -> RunResult {
    let captured = CapturedOutput()
    let status = CommandLineTool.run(["refrain"] + words, output: captured.output, files: files)
    return RunResult(status: status, standard: captured.standard, error: captured.error)
}

/// The same, with files that exist only here.
func run(_ words: String..., files: MemoryFiles = MemoryFiles()) -> RunResult { run(words, files: files.access) }

/// Expects that the program refuses `words`, and says why in words that begin so.
func expectUsageError(_ words: [String], _ beginning: String) {
    let result = run(words)
    #expect(result.status == 2 && result.error.hasPrefix(beginning), "\(words): \(result.error)")
}
