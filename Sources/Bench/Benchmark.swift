/// One benchmark, as the command line names it: rows of the results.
struct Benchmark {
    let name: String
    /// A name for several of them.
    var group: String?
    /// Whether it runs when nothing is named.
    var isOfTheTable = true
    let measure: (Lab) throws -> [ResultRow]
}

struct Choice {
    let benchmarks: [Benchmark]
    let plan: RoundPlan

    static let usage = """
        bench [--rounds N] [--seconds N] [NAME ...]
          --rounds N    measure each server so often, in turns; medians are shown (\(RoundPlan().rounds))
          --seconds N   how long each time (\(RoundPlan().seconds))
        Without names the table is measured. Results go to .build/bench.
        """

    static func help(_ all: [Benchmark]) -> String {
        """
        \(usage)

        of the table:
        \(list(all.filter(\.isOfTheTable)))

        only where they are named:
        \(list(all.filter { !$0.isOfTheTable }))
        """
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
        let known = Set(all.flatMap { [$0.name, $0.group ?? $0.name] })
        let unknown = names.filter { !known.contains($0) }
        guard unknown.isEmpty else {
            throw BenchError("unknown: \(unknown.joined(separator: ", "))\n\(Self.help(all))")
        }
        self.plan = plan
        benchmarks =
            names.isEmpty
            ? all.filter(\.isOfTheTable) : all.filter { names.contains($0.name) || names.contains($0.group ?? "") }
    }

    /// Names by group, one group a line.
    static func list(_ all: [Benchmark]) -> String {
        var titles: [String] = []
        for title in all.map({ $0.group ?? $0.name }) where !titles.contains(title) { titles.append(title) }
        return titles.map { title in
            let names = all.filter { $0.group == title }.map(\.name)
            return "  \(title)" + (names.isEmpty ? "" : ": " + names.joined(separator: ", "))
        }.joined(separator: "\n")
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
    static var all: [Benchmark] { table + worlds }

    private static var table: [Benchmark] {
        [
            rows("hits-64", in: "hits") { try HitsMeasurement.run($0, connections: 64, varnish: 1.4) },
            rows("hits-512", in: "hits") { try HitsMeasurement.run($0, connections: 512, varnish: 1.6) },
            rows("tls", HitsMeasurement.tls), rows("http2", HTTP2Measurement.run), rows("pages", PagesMeasurement.run),
            rows("gzip", CodedHitsMeasurement.run), rows("file-hits", FileHitsMeasurement.run),
            rows("misses", MissesMeasurement.run),
        ] + latencies + [
            rows("store", StoreMeasurement.run), rows("memory", MemoryMeasurement.run),
            rows("idle-clients", IdleClientsMeasurement.run),
            rows("bodies-64k", in: "bodies") {
                try HitsMeasurement.bodies($0, "bodies-64k", bytes: 64 << 10, "64 KiB")
            },
            rows("bodies-1m", in: "bodies") { try HitsMeasurement.bodies($0, "bodies-1m", bytes: 1 << 20, "1 MiB") },
            rows("passed-8m", in: "passed") { try PassedBodiesMeasurement.run($0, "passed-8m", mebibytes: 8) },
            rows("passed-16m", in: "passed") { try PassedBodiesMeasurement.run($0, "passed-16m", mebibytes: 16) },
        ]
    }

    private static var latencies: [Benchmark] {
        LatencyWorkload.all.map { workload in
            rows(workload.name, in: "latency") { try LatencyMeasurement.run($0, workload) }
        }
    }

    private static func rows(
        _ name: String, in group: String? = nil, _ measure: @escaping (Lab) throws -> [ResultRow]
    ) -> Benchmark {
        Benchmark(name: name, group: group, measure: measure)
    }

    /// Requests that reach the origin; all worlds take longer than the table.
    private static var worlds: [Benchmark] {
        ([World.sessions] + World.all).map { world in
            Benchmark(
                name: world.name, group: world.name == World.sessions.name ? nil : "worlds", isOfTheTable: false
            ) { try WorldMeasurement.run($0, world) }
        }
    }
}
