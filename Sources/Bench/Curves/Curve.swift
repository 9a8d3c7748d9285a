import Text

/// How throughput and latency change as one thing grows, for several servers.
struct Curve: Equatable {
    struct Point: Equatable {
        let x: Double
        let sample: Sample
    }

    struct Series: Equatable {
        let name: String
        var points: [Point] = []
    }

    let name: String
    let title: String
    let xLabel: String
    let isLogarithmic: Bool
    private(set) var series: [Series] = []

    /// The medians of what was measured at one place.
    mutating func append(_ rounds: Rounds, at x: Double) {
        for name in rounds.names {
            func median(_ figure: (Sample) -> Double) -> Double { rounds.median(name, figure) ?? 0 }
            let sample = Sample(
                requestsPerSecond: median(\.requestsPerSecond), p50: median(\.p50), p99: median(\.p99),
                cpuPerRequest: median(\.cpuPerRequest))
            append(Point(x: x, sample: sample), to: name)
        }
    }

    private mutating func append(_ point: Point, to name: String) {
        if let index = series.firstIndex(where: { $0.name == name }) {
            series[index].points.append(point)
        } else {
            series.append(Series(name: name, points: [point]))
        }
    }

    func json(on machine: Machine, _ plan: RoundPlan) -> JSON {
        .object(members: [
            "name": .string(name), "title": .string(title), "x": .string(xLabel), "machine": machine.json,
            "rounds": .integer(plan.rounds), "seconds_a_round": .integer(plan.seconds),
            "series": .array(series.map(json)),
        ])
    }

    private func json(_ series: Series) -> JSON {
        let points = series.points.map { point in
            JSON.object(members: [
                "x": ResultsDocument.number(point.x),
                "requests_a_second": ResultsDocument.number(point.sample.requestsPerSecond),
                "p50_ms": ResultsDocument.number(point.sample.p50),
                "p99_ms": ResultsDocument.number(point.sample.p99),
                "cpu_us_a_request": ResultsDocument.number(point.sample.cpuPerRequest),
            ])
        }
        return .object(members: ["name": .string(series.name), "points": .array(points)])
    }
}
