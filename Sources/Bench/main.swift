import Foundation

// The benchmarks: `bench [NAME ...]`, all of them without a name. Every figure is a ratio of two servers measured in turns in
// one run, because the machine's own speed drifts more than what is measured.

let benchmarks: [(name: String, run: () throws -> Void)] = [
    ("hits", HitsBenchmark.run),
    ("store", StoreBenchmark.run),
    ("pressure", PressureBenchmark.run),
    ("sessions", SessionsBenchmark.run),
    ("scan", ScanBenchmark.run),
    ("compose", ComposeBenchmark.run),
]
let chosen = Set(CommandLine.arguments.dropFirst())
let unknown = chosen.subtracting(benchmarks.map(\.name))
guard unknown.isEmpty else {
    FileHandle.standardError.write(
        Data("bench: unknown benchmark \(unknown.sorted().joined(separator: ", "))\n".utf8))
    exit(2)
}
for benchmark in benchmarks where chosen.isEmpty || chosen.contains(benchmark.name) {
    do {
        try benchmark.run()
    } catch {
        FileHandle.standardError.write(Data("bench: \(benchmark.name): \(error)\n".utf8))
        exit(1)
    }
}
