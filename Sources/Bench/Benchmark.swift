/// One benchmark, as the command line names it: rows of the results.
struct Benchmark {
    /// Its first word names several.
    let name: String
    let measure: @Sendable (Lab) throws -> [ResultRow]
}

struct Choice {
    let benchmarks: [Benchmark]
    let plan: RoundPlan

    static let usage = """
        bench [--rounds N] [--seconds N] [NAME ...]
          --rounds N    measure each server so often, in turns; medians are shown (\(RoundPlan().rounds))
          --seconds N   how long each time (\(RoundPlan().seconds))
        Without names all are measured. Results go to .build/bench.
        """

    static func help(_ all: [Benchmark]) -> String {
        "\(usage)\nNames: \(all.map(\.name).joined(separator: ", ")); hits, bodies, latency"
    }

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
        func has(_ name: String, _ benchmark: Benchmark) -> Bool {
            benchmark.name == name || benchmark.name.hasPrefix(name + "-")
        }
        let unknown = names.filter { name in !all.contains { has(name, $0) } }
        guard unknown.isEmpty else {
            throw BenchError("unknown: \(unknown.joined(separator: ", "))\n\(Self.help(all))")
        }
        self.plan = plan
        benchmarks = names.isEmpty ? all : all.filter { benchmark in names.contains { has($0, benchmark) } }
    }

    private static func number(_ text: String?, _ option: String) throws -> Int {
        guard let number = text.flatMap({ Int($0) }), (1...1000).contains(number) else {
            throw BenchError("\(option) takes a number from 1 to 1000\n\(usage)")
        }
        return number
    }
}

extension Benchmark {
    /// All there are, in the order in which they run.
    static let all = [
        Benchmark(name: "hits-64") { try HitsMeasurement.run($0, connections: 64, varnish: 1.4) },
        Benchmark(name: "hits-512") { try HitsMeasurement.run($0, connections: 512, varnish: 1.6) },
        Benchmark(name: "bodies-64k") { try HitsMeasurement.bodies($0, "bodies-64k", bytes: 64 << 10, "64 KiB") },
        Benchmark(name: "bodies-1m") { try HitsMeasurement.bodies($0, "bodies-1m", bytes: 1 << 20, "1 MiB") },
        Benchmark(name: "tls", measure: HitsMeasurement.tls),
        Benchmark(name: "http2", measure: HTTP2Measurement.run),
        Benchmark(name: "file", measure: HitsMeasurement.file),
        Benchmark(name: "misses", measure: MissesMeasurement.run),
        Benchmark(name: "latency-hits") { try LatencyMeasurement.run($0, .hits) },
        Benchmark(name: "latency-misses") { try LatencyMeasurement.run($0, .misses) },
        Benchmark(name: "memory", measure: MemoryMeasurement.run),
    ]
}
