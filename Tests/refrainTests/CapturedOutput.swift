import Synchronization

@testable import refrain

/// Keeps what a command writes.
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

/// How one run of the program ended and what it wrote.
struct RunResult {
    let status: Int32
    let standard: String
    let error: String
}

/// Runs the program with `arguments` (its own name left out) and files that exist only here.
func run(_ arguments: String..., files: MemoryFiles = MemoryFiles()) -> RunResult {
    let captured = CapturedOutput()
    let status = CommandLineTool.run(["refrain"] + arguments, output: captured.output, files: files.access)
    return RunResult(status: status, standard: captured.standard, error: captured.error)
}
