/// One benchmark, as the command line names it.
struct Benchmark {
    /// What comes of it.
    enum Work {
        /// Rows of the table: what runs when nothing is named.
        case rows((Lab) throws -> [Row])
        case curve((Lab) throws -> Curve)
        /// Reports by itself.
        case study(() throws -> Void)
    }

    let name: String
    /// A name for several of them.
    var group: String?
    let work: Work

    var isOfTheTable: Bool {
        if case .rows = work { true } else { false }
    }
}

/// What was asked for.
struct Choice {
    let benchmarks: [Benchmark]
    let plan: RoundPlan

    static let usage = """
        bench [--rounds N] [--seconds N] [NAME ...]
        Without names: the table. Results go to .build/bench.
        """

    /// - Throws: `BenchError` for a name that nothing has, listing those that there are.
    init(_ arguments: [String], of all: [Benchmark]) throws {
        var (names, plan): ([String], RoundPlan) = ([], RoundPlan())
        var rest = arguments[...]
        while let word = rest.popFirst() {
            switch word {
            case "--rounds": plan.rounds = try Self.number(rest.popFirst(), word)
            case "--seconds": plan.seconds = try Self.number(rest.popFirst(), word)
            default: names.append(word)
            }
        }
        let known = Set(all.flatMap { [$0.name, $0.group ?? $0.name] })
        let unknown = names.filter { !known.contains($0) }
        guard unknown.isEmpty else {
            throw BenchError("unknown: \(unknown.joined(separator: ", "))\nknown:\n\(Self.list(all))\n\(Self.usage)")
        }
        self.plan = plan
        benchmarks =
            names.isEmpty
            ? all.filter(\.isOfTheTable) : all.filter { names.contains($0.name) || names.contains($0.group ?? "") }
    }

    /// Names by group, one group a line.
    static func list(_ all: [Benchmark]) -> String {
        var lines: [(title: String, names: [String])] = []
        for benchmark in all {
            if let group = benchmark.group, let index = lines.firstIndex(where: { $0.title == group }) {
                lines[index].names.append(benchmark.name)
            } else {
                lines.append((benchmark.group ?? benchmark.name, benchmark.group == nil ? [] : [benchmark.name]))
            }
        }
        return lines.map { "  \($0.title)" + ($0.names.isEmpty ? "" : ": " + $0.names.joined(separator: ", ")) }
            .joined(separator: "\n")
    }

    private static func number(_ text: String?, _ option: String) throws -> Int {
        guard let number = text.flatMap({ Int($0) }), (1...1000).contains(number) else {
            throw BenchError("\(option) takes a number from 1 to 1000\n\(usage)")
        }
        return number
    }
}
