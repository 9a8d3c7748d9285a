import Foundation

/// Hits over HTTP/2, many at once over a few connections: as many as they can, and with a rate that
/// both servers have time for.
enum HTTP2Measurement {
    private static let name = "http2"
    private static let target = NumberedSongs(bytes: 4096).target(1)
    private static let connections = 10
    private static let streams = 100
    private static let shape = "\(connections) connections of \(streams) streams"
    private static let setting = Setting(usesTLS: true, usesHTTP2: true)

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let contenders = Contender.nginxHasHTTP2 ? [Contender.refrain, .nginx] : [.refrain]
        let notes = contenders.contains(.nginx) ? [] : ["an nginx without HTTP/2 is left out"]
        return try lab.running(contenders, setting) { servers in
            try lab.warm(servers, target)
            let rounds = try lab.rounds(servers) { server, _ in try sample(lab, server) }
            let slower = servers.compactMap { rounds.median($0.name, \.requestsPerSecond) }.min() ?? 0
            let rate = FixedRate(share: 0.5, perSecond: Int(slower / 2) / connections * connections)
            let paced = try lab.rounds(servers) { server, _ in try sample(lab, server, at: rate) }
            return [
                rounds.row(
                    name, "hits over HTTP/2, 4 KiB, \(shape)", unit: "requests/s",
                    beside: [("nginx", .atLeast(1.2))], notes: notes, \.requestsPerSecond),
                rounds.row(
                    name, "processor time a hit over HTTP/2", unit: "us", beside: [("nginx", nil)], \.cpuPerRequest),
                paced.row(
                    name, "p99 of these at \(rate.perSecondText) (\(rate.percent))", unit: "ms",
                    beside: [("nginx", .atMost(1))], \.p99),
            ]
        }
    }

    /// - Parameter rate: nil for a closed loop.
    private static func sample(_ lab: Lab, _ server: RunningServer, at rate: FixedRate? = nil) throws -> Sample {
        let log = lab.workspace.path + "/h2load.log"
        defer { try? FileManager.default.removeItem(atPath: log) }
        var options = ["-c\(connections)", "-m\(streams)", "-D\(lab.plan.seconds)"]
        if let rate { options += ["--rps=\(rate.perSecond / connections)", "--log-file=\(log)"] }
        let (asked, used) = (try lab.originRequests(), server.cpuNanoseconds)
        let result = try H2LoadResult.measure([server.url(target)], options)
        let nanoseconds = server.cpuNanoseconds - used
        if let objection = objection(to: result) { throw BenchError("\(server.name): \(objection)") }
        guard try lab.originRequests() == asked else { throw BenchError("\(server.name): not all were hits") }
        var sample = Sample(requestsPerSecond: result.requestsPerSecond)
        sample.cpuPerRequest = Double(nanoseconds) / Double(result.requests) / 1000
        guard let rate else { return sample }
        let latencies = H2LoadResult.latencies(inLog: try String(contentsOfFile: log, encoding: .utf8))
        guard !latencies.isEmpty else { throw BenchError("h2load has logged nothing") }
        (sample.p50, sample.p99) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
        sample.invalidBecause = invalidity(result, at: rate)
        return sample
    }

    /// Why these are no hits over HTTP/2; nil where they are.
    static func objection(to result: H2LoadResult) -> String? {
        if result.spoken != "h2" { return "\(result.spoken) was spoken" }
        return result.errors > 0 || result.requests == 0
            ? "\(result.errors) requests failed, \(result.requests) did not" : nil
    }

    /// Why the latencies are not those at the rate; nil where they are.
    static func invalidity(_ result: H2LoadResult, at rate: FixedRate) -> String? {
        result.requestsPerSecond < 0.95 * Double(rate.perSecond)
            ? "\(Int(result.requestsPerSecond)) requests/s of \(rate.perSecond) were answered" : nil
    }
}
