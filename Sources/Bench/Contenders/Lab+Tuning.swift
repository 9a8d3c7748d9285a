import Foundation

// How many loops or worker processes suit a server here. The load comes from the same cores, so it
// is not always one a core: each gets the number with which it answers most.

extension Lab {
    /// The settings of these contenders, each with the number of workers that did best on a short
    /// run of `measure`.
    func tuned(
        _ contenders: [Contender], _ setting: Setting = Setting(), _ measure: (RunningServer) throws -> Sample
    ) throws -> [(Contender, Setting)] {
        try contenders.filter { $0.path != nil && (!setting.usesTLS || $0.speaksTLS) }.map { contender in
            guard contender.hasWorkers else { return (contender, setting) }
            let workers = try bestWorkers { workers in
                guard let server = try start(contender, setting.with(workers: workers)) else { return 0 }
                defer { server.stop() }
                return try measure(server).requestsPerSecond
            }
            return (contender, setting.with(workers: workers))
        }
    }

    /// From one to one a core: the number for which `rate` is highest.
    func bestWorkers(_ rate: (Int) throws -> Double) rethrows -> Int {
        let rates = try (1...ProcessInfo.processInfo.activeProcessorCount).map { (workers: $0, rate: try rate($0)) }
        return rates.max { $0.rate < $1.rate }?.workers ?? 1
    }

    /// What a table says of it.
    func note(_ tuned: [(Contender, Setting)]) -> String {
        let numbers = tuned.compactMap { contender, setting in setting.workers.map { "\(contender.name) \($0)" } }
        return "workers, the number each does best with: " + numbers.joined(separator: ", ")
    }
}

extension Setting {
    func with(workers: Int) -> Setting {
        var copy = self
        copy.workers = workers
        return copy
    }
}
