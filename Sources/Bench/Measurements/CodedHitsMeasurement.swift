import Glibc

/// Hits of an answer that the origin gave uncompressed, asked for in gzip. Each server does it as
/// it is made to: nginx compresses each answer anew, Refrain keeps the coded form once it was asked
/// for twice, and Varnish, where it may, when it stores.
enum CodedHitsMeasurement {
    private static let target = NumberedSongs(bytes: 4096).target(1)
    private static let connections = 64
    private static let fields = ["Accept-Encoding: gzip"]
    private static let name = "gzip"

    static func run(_ lab: Lab) throws -> [ResultRow] {
        let rounds = try lab.running(Contender.all, Setting(codesGzip: true)) { servers in
            for server in servers { try warm(lab, server) }
            return try lab.rounds(servers) { server, _ in
                try lab.sample(server, target, connections: connections, fields: fields)
            }
        }
        return [
            rounds.row(
                name, "hits wanted in gzip, stored without, 4 KiB, 64 connections", unit: "requests/s",
                beside: [("nginx", .atLeast(1)), ("varnish", nil)], \.requestsPerSecond),
            rounds.row(
                name, "processor time a hit in gzip", unit: "us", beside: [("nginx", nil), ("varnish", nil)],
                \.cpuPerRequest),
        ]
    }

    /// Stored uncompressed, and asked for in gzip until it comes so.
    private static func warm(_ lab: Lab, _ server: RunningServer) throws {
        try lab.warm([server], target)
        for _ in 0..<100 {
            if try Curl.head(server.url(target), asking: fields)["content-encoding"] == "gzip" { return }
            usleep(10_000)
        }
        throw BenchError("\(server.name) does not compress \(target)")
    }
}
