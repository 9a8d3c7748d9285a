/// The rows of one kind of answers at one rate: the middle, and two tails, in microseconds.
enum LatencyRows {
    private static let figures: [(name: String, figure: @Sendable (Sample) -> Double)] = [
        ("p50", { $0.p50 * 1000 }), ("p99", { $0.p99 * 1000 }), ("p99.9", { $0.p999 * 1000 }),
    ]

    static func rows(
        _ workload: LatencyWorkload, _ rate: FixedRate, _ rounds: Rounds, _ notes: [String]
    ) -> [ResultRow] {
        figures.map { name, figure in
            rounds.row(
                workload.name, "\(workload.title), at \(rate.perSecondText) (\(rate.percent)): \(name)", unit: "us",
                beside: [(Contender.nginx.name, .atMost(1))], notes: notes + [lag(rate, rounds)], figure)
        }
    }

    /// The generator's own part of the latencies.
    static func lag(_ rate: FixedRate, _ rounds: Rounds) -> String {
        let figures = rounds.names.compactMap { name in
            rounds.median(name, \.lag99).map { "\(name) \(ResultsTable.number($0 * 1000)) us" }
        }
        return "\(rate.percent): the generator's own lag at p99: " + figures.joined(separator: ", ")
    }
}
