extension Benchmark {
    /// All there are, in the order in which they run.
    static func all(resultsFolder: String) -> [Benchmark] {
        table(resultsFolder) + curves + studies
    }

    private static func table(_ resultsFolder: String) -> [Benchmark] {
        [
            Benchmark(
                name: "hits-64", group: "hits",
                work: .rows { try HitsMeasurement.run($0, connections: 64, varnish: 1.4, withBare: true) }),
            Benchmark(
                name: "hits-512", group: "hits",
                work: .rows { try HitsMeasurement.run($0, connections: 512, varnish: 1.6, withBare: false) }),
            Benchmark(name: "tls", work: .rows(HitsMeasurement.tls)),
            Benchmark(name: "file-hits", work: .rows(FileHitsMeasurement.run)),
            Benchmark(name: "misses", work: .rows(MissesMeasurement.run)),
            Benchmark(name: "store", work: .rows(StoreMeasurement.run)),
            Benchmark(name: "memory", work: .rows(MemoryMeasurement.run)),
            Benchmark(name: "idle-clients", work: .rows(MemoryMeasurement.beside)),
            Benchmark(
                name: "bodies-64k", group: "bodies",
                work: .rows { try HitsMeasurement.bodies($0, "bodies-64k", bytes: 64 << 10, "64 KiB") }),
            Benchmark(
                name: "bodies-1m", group: "bodies",
                work: .rows { try HitsMeasurement.bodies($0, "bodies-1m", bytes: 1 << 20, "1 MiB") }),
            Benchmark(name: "replay", work: .rows(ReplayMeasurement.run)),
            Benchmark(name: "allocations", work: .rows { _ in AllocationsMeasurement.run(resultsFolder) }),
        ]
    }

    private static var curves: [Benchmark] {
        [
            Benchmark(name: "connections", group: "curves", work: .curve(Curves.connections)),
            Benchmark(name: "sizes", group: "curves", work: .curve(Curves.sizes)),
            Benchmark(name: "entries", group: "curves", work: .curve(Curves.entries)),
            Benchmark(name: "hit-ratio", group: "curves", work: .curve(Curves.hitRatio)),
            Benchmark(name: "loops", group: "curves", work: .curve(Curves.loops)),
        ]
    }

    private static var studies: [Benchmark] {
        [
            Benchmark(name: "pressure", work: .study(PressureBenchmark.run)),
            Benchmark(name: "sessions", work: .study(SessionsBenchmark.run)),
            Benchmark(name: "trace", work: .study(SampleRecording.run)),
            Benchmark(name: "scan", work: .study(ScanBenchmark.run)),
            Benchmark(name: "compose", work: .study(ComposeBenchmark.run)),
        ]
    }
}
