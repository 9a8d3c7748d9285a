import Foundation

/// Hits from memory: requests a second and the 99th percentile, beside nginx serving the same answer from its cache.
enum HitsBenchmark {
    private static let rounds = 5
    private static let secondsPerRound = 2
    /// The size of answer to look for, in bytes.
    private static let wantedBytes = 4096

    static func run() throws {
        let workspace = try Workspace()
        defer { workspace.remove() }
        let simulator = try Servers.simulator(workspace)
        defer { simulator.stop() }
        let path = try targetOfWantedSize()
        let refrain = try Servers.refrain(workspace)
        defer { refrain.stop() }
        let body = try Servers.waitFor(Servers.refrainPort, path)
        let nginx = try Servers.nginx(workspace)
        defer { nginx?.stop() }
        if nginx != nil { _ = try Servers.waitFor(Servers.nginxPort, path) }
        report("hits: \(path) (\(body.count) bytes), medians of \(rounds) rounds of \(secondsPerRound) s in turns")
        for connections in [64, 512] {
            try compare(path, connections: connections, withNginx: nginx != nil)
        }
        if nginx == nil { report("nginx is not installed: no comparison (apt-get install nginx)") }
    }

    private static func compare(_ path: String, connections: Int, withNginx: Bool) throws {
        var ours: [WrkResult] = []
        var theirs: [WrkResult] = []
        for _ in 0..<rounds {
            ours.append(try measure(Servers.refrainPort, path, connections))
            if withNginx { theirs.append(try measure(Servers.nginxPort, path, connections)) }
        }
        let rate = ours.map(\.requestsPerSecond).median
        var line = "  \(connections) connections: refrain \(Int(rate))/s p99 \(ours.map(\.p99).median) ms"
        if withNginx {
            let ratios = zip(ours, theirs).map { $0.requestsPerSecond / $1.requestsPerSecond }
            line += ", nginx \(Int(theirs.map(\.requestsPerSecond).median))/s p99 \(theirs.map(\.p99).median) ms"
            line += String(
                format: ", ratio %.2f (%.2f to %.2f), target 1.00", ratios.median, ratios.min() ?? 0, ratios.max() ?? 0)
        }
        report(line)
        let errors = (ours + theirs).map(\.errors).reduce(0, +)
        if errors > 0 { throw BenchError("\(errors) requests failed") }
    }

    private static func measure(_ port: Int, _ path: String, _ connections: Int) throws -> WrkResult {
        try WrkResult.measure(
            "http://127.0.0.1:\(port)\(path)", connections: connections, seconds: secondsPerRound)
    }

    /// The chart's albums, narrowed until the answer is about as large as wanted.
    private static func targetOfWantedSize() throws -> String {
        var best: (path: String, distance: Int)?
        for limit in 1...20 {
            let path = "/v1/catalog/us/charts?types=albums&limit=\(limit)"
            let count = try Servers.waitFor(Servers.simulatorPort, path).count
            let distance = abs(count - wantedBytes)
            if best == nil || distance < best!.distance { best = (path, distance) }
            if count > wantedBytes * 2 { break }
        }
        guard let best else { throw BenchError("the simulator offers no chart") }
        return best.path
    }
}
