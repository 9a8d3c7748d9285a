extension [Double] {
    /// The middle one; of an even count the mean of the two in the middle. Not for empty arrays.
    var median: Double {
        let ordered = sorted()
        return ordered.count % 2 == 1
            ? ordered[count / 2] : (ordered[count / 2 - 1] + ordered[count / 2]) / 2
    }
}

struct RoundPlan: Equatable {
    var rounds = 5
    var seconds = 2

    var line: String {
        let rounds = rounds == 1 ? "one round of each server" : "medians of \(rounds) rounds in turns"
        return rounds + ", \(seconds) s each, on 127.0.0.1"
    }
}

struct Sample: Equatable {
    var requestsPerSecond = 0.0
    /// Milliseconds.
    var p50 = 0.0
    var p99 = 0.0
    /// Where it was measured: wrk does not say.
    var p999 = 0.0
    /// The 99th percentile of the generator's lag, of an open load.
    var lag99 = 0.0
    /// Microseconds of processor time of all the server's processes.
    var cpuPerRequest = 0.0
    /// Why latencies say nothing about the server: the generator was late. nil: they do.
    var invalidBecause: String?
}

/// Samples of several servers, taken in turns: A B C A B C. The machine's own speed drifts by more
/// than the differences between them, so only figures of one round are divided by each other.
struct Rounds {
    /// The name that others are compared with.
    static let ours = "refrain"

    /// In the order in which they were taken.
    private(set) var names: [String] = []
    private var samples: [String: [Sample]] = [:]

    mutating func append(_ sample: Sample, of name: String) {
        if samples[name] == nil { names.append(name) }
        samples[name, default: []].append(sample)
    }

    /// nil for a server that was not measured.
    func median(_ name: String, _ figure: (Sample) -> Double) -> Double? {
        samples[name].map { $0.map(figure).median }
    }

    /// The median of the rounds' ratios.
    func ratio(_ name: String, to other: String, _ figure: (Sample) -> Double) -> Double? {
        guard let ours = samples[name], let theirs = samples[other] else { return nil }
        return zip(ours, theirs).map { figure($0) / figure($1) }.median
    }

    /// Refrain beside all that are wanted, whether installed or not.
    ///
    /// - Parameter beside: the names in the order of the table, each with the target of its ratio.
    func row(
        _ measurement: String, _ name: String, unit: String, beside: [(name: String, target: Target?)],
        notes: [String] = [], _ figure: (Sample) -> Double
    ) -> ResultRow {
        let others = beside.map { other in
            Other(
                name: other.name, figure: median(other.name, figure), ratio: ratio(Self.ours, to: other.name, figure),
                target: other.target)
        }
        let absent = others.filter { $0.figure == nil }.map { "\($0.name) is not installed" }
        return ResultRow(
            measurement: measurement, name: name, unit: unit, ours: median(Self.ours, figure), others: others,
            notes: notes + absent + ([Self.ours] + beside.map(\.name)).flatMap(objections))
    }

    /// A sentence for each round of a server that is invalid.
    private func objections(to name: String) -> [String] {
        (samples[name] ?? []).enumerated().compactMap { index, sample in
            sample.invalidBecause.map { "\(name), round \(index + 1): invalid run: \($0)" }
        }
    }
}
