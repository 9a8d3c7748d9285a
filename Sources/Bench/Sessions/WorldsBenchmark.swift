import Foundation

/// How many requests reach the origin in worlds that differ from the one that the proxy was made
/// with, and how many answers are not the origin's: through nginx and through Refrain.
enum WorldsBenchmark {
    private static let titles = [
        "requests", "nginx", "refrain", "of nginx's", "compared", "differ", "objects", "mixed", "refused",
    ]

    /// One world, a line for each seed.
    static func run(_ world: World) throws {
        report("  \(world.name)")
        report(ResultsTable.line("    seed", width: 12, titles))
        let runs = try world.seeds.map { seed in
            let run = try WorldRun(world, seed: seed).perform()
            report(ResultsTable.line("    \(seed)", width: 12, run.cells))
            return run
        }
        let shares = runs.compactMap(\.share)
        let mean = shares.isEmpty ? "-" : String(format: "%.3f", shares.reduce(0, +) / Double(shares.count))
        let wrong = runs.map(\.judgement).map { $0.different.count + $0.mixed.count }.reduce(0, +)
        report("    mean of nginx's: \(mean); answers that differ or mix revisions: \(wrong)")
        for (seed, run) in zip(world.seeds, runs) {
            let examples = run.judgement.different.prefix(3) + run.judgement.mixed.prefix(3)
            for example in examples { report("    \(seed): \(example)") }
            report("    \(seed): refrain: \(run.statistics)")
        }
    }
}
