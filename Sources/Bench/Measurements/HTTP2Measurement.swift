/// Hits over HTTP/2, many at once over a few connections.
enum HTTP2Measurement {
    private static let name = "http2"
    private static let target = NumberedSongs(bytes: 4096).target(1)
    private static let (connections, streams) = (10, 100)

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let contenders = Contender.nginxHasHTTP2 ? [Contender.refrain, .nginx] : [.refrain]
        let notes = contenders.contains(.nginx) ? [] : ["an nginx without HTTP/2 is left out"]
        return try lab.running(contenders, Setting(usesTLS: true, usesHTTP2: true)) { servers in
            try lab.warm(servers, target)
            let rounds = try lab.rounds(servers) { server, _ in try sample(lab, server) }
            return [
                rounds.row(
                    name, "hits over HTTP/2, 4 KiB, \(connections) connections of \(streams) streams",
                    unit: "requests/s", beside: [("nginx", .atLeast(1.2))], notes: notes, \.requestsPerSecond),
                rounds.row(
                    name, "processor time a hit over HTTP/2", unit: "us", beside: [("nginx", nil)], \.cpuPerRequest),
            ]
        }
    }

    private static func sample(_ lab: Lab, _ server: RunningServer) throws -> Sample {
        let (asked, used) = (try lab.originRequests(), server.cpuNanoseconds)
        let result = try H2LoadResult.measure(
            server.url(target), ["-c\(connections)", "-m\(streams)", "-D\(lab.plan.seconds)"])
        let nanoseconds = server.cpuNanoseconds - used
        if let objection = objection(to: result) { throw BenchError("\(server.name): \(objection)") }
        guard try lab.originRequests() == asked else { throw BenchError("\(server.name): not all were hits") }
        return Sample(
            requestsPerSecond: result.requestsPerSecond,
            cpuPerRequest: Double(nanoseconds) / Double(result.requests) / 1000)
    }

    /// Why these are no hits over HTTP/2; nil where they are.
    static func objection(to result: H2LoadResult) -> String? {
        if result.spoken != "h2" { return "\(result.spoken) was spoken" }
        return result.errors > 0 || result.requests == 0
            ? "\(result.errors) requests failed, \(result.requests) did not" : nil
    }
}
