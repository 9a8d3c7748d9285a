/// New connections over TLS, each with one hit: what apps cost that do not keep theirs. With full
/// handshakes, and with sessions that are resumed.
enum HandshakesMeasurement {
    private static let target = NumberedSongs(bytes: 4096).target(1)
    /// No more than a client's table keeps sessions of one server, so that each finds one.
    private static let clients = 8
    /// Of the connections that are to resume a session; the first ones have none yet.
    private static let leastResumed = 0.9

    static func run(_ lab: Lab, _ name: String, resumes: Bool) throws -> [ResultRow] {
        let rounds = try lab.running([.refrain, .nginx], Setting(usesTLS: true)) { servers in
            try lab.warm(servers, target)
            return try lab.rounds(servers) { server, _ in try sample(lab, server, resumes) }
        }
        let kind = resumes ? "resumed" : "full handshake"
        return [
            rounds.row(
                name, "new TLS connections, \(kind) (one hit each)", unit: "connections/s",
                beside: [("nginx", .atLeast(1))], \.requestsPerSecond),
            rounds.row(
                name, "processor time a TLS connection, \(kind)", unit: "us", beside: [("nginx", nil)],
                \.cpuPerRequest),
            rounds.row(
                name, "p99 until its answer, \(kind)", unit: "ms", beside: [("nginx", nil)], \.p99),
        ]
    }

    private static func sample(_ lab: Lab, _ server: RunningServer, _ resumes: Bool) throws -> Sample {
        let (asked, used) = (try lab.originRequests(), server.cpuNanoseconds)
        let counts = try TLSClients(
            port: server.ports.clients, authorityPEM: lab.certificate.authorityPEM, resumes: resumes, target: target
        ).run(clients: clients, seconds: lab.plan.seconds)
        let nanoseconds = server.cpuNanoseconds - used
        guard try lab.originRequests() == asked else { throw BenchError("\(server.name): not all were hits") }
        if let objection = objection(to: counts, resumes) { throw BenchError("\(server.name): \(objection)") }
        return Sample(
            requestsPerSecond: Double(counts.answered) / (counts.elapsed / .seconds(1)),
            p50: counts.milliseconds(atShare: 0.5), p99: counts.milliseconds(atShare: 0.99),
            cpuPerRequest: Double(nanoseconds) / Double(counts.answered) / 1000)
    }

    /// Why these are not the handshakes that were asked for; nil where they are.
    static func objection(to counts: TLSClients.Counts, _ resumes: Bool) -> String? {
        guard counts.answered > 0 else { return "no connection was answered" }
        let isAsAsked =
            resumes
            ? Double(counts.resumed) >= leastResumed * Double(counts.answered) : counts.resumed == 0
        return isAsAsked ? nil : "\(counts.resumed) of \(counts.answered) connections resumed a session"
    }
}
