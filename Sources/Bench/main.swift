import Foundation

// The benchmarks: `bench [NAME ...]`. Every figure is a ratio of servers measured in turns in one
// run, because the machine's own speed drifts by more than their differences.

func end(_ error: any Error, _ status: Int32) -> Never {
    FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == OriginServer.role {
    do { try OriginServer.serve(Array(arguments.dropFirst())) } catch { end(error, 1) }
}
let all = Benchmark.all
if arguments.contains("--help") {
    report(Choice.help(all))
    exit(0)
}
let choice: Choice
do {
    choice = try Choice(arguments, of: all)
} catch {
    end(error, 2)
}
let interruption = Interruption()
do {
    exit(try Run(choice, folder: Run.standardFolder).perform() ? 0 : 1)
} catch {
    end(error, 1)
}
