import Foundation

/// Runs the chosen benchmarks and writes their results. One that fails does not keep the others
/// from running.
final class Run {
    private let choice: Choice
    private let folder: String
    private let machine = Machine.current()
    private var rows: [ResultRow] = []
    private var failures: [String] = []
    private var openLab: Lab?

    /// - Parameter folder: for results; made where it is missing.
    init(_ choice: Choice, folder: String) throws {
        self.choice = choice
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Where results go: beside the builds of whatever this program was built in.
    static var standardFolder: String {
        URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("bench").path
    }

    /// False where something could not be run.
    func perform() throws -> Bool {
        for line in machine.lines { report(line) }
        report(choice.plan.line)
        defer { openLab?.close() }
        for benchmark in choice.benchmarks {
            let start = ContinuousClock.now
            do {
                rows += try benchmark.measure(lab())
                report("\(benchmark.name): \(Int((ContinuousClock.now - start) / .seconds(1))) s")
            } catch {
                Interruption.waitIfHappening()
                failures.append("\(benchmark.name): \(error)")
                report("\(benchmark.name): failed: \(error)")
            }
        }
        try writeResults()
        return failures.isEmpty
    }

    /// Opened by the first that needs it.
    private func lab() throws -> Lab {
        let lab = try openLab ?? Lab(choice.plan)
        openLab = lab
        return lab
    }

    private func writeResults() throws {
        let page = ResultsTable.page(rows, machine: machine, plan: choice.plan, failures: failures)
        report("\n" + page)
        let file = folder + "/results.md"
        try page.write(toFile: file, atomically: true, encoding: .utf8)
        report("wrote \(file)")
    }
}
