import EventLoop
import Foundation

/// Resident memory: of a process that has just started, and of each client that stays after one
/// request.
enum MemoryMeasurement {
    private static let target = NumberedSongs(bytes: 4096).target(1)
    /// Opened and answered at a time.
    private static let batch = 250

    static func run(_ lab: Lab) throws -> [ResultRow] {
        var secret = Setting()
        secret.usesTLS = true
        return [
            try idle(lab),
            try perClient(lab, "each idle keep-alive client", Setting(), clients: 5_000, target: 4),
            try perClient(lab, "each idle TLS client", secret, clients: 2_000, target: 40),
        ]
    }

    private static func idle(_ lab: Lab) throws -> ResultRow {
        let sizes = try lab.running([.refrain, .nginx]) { servers in
            sleep(1)
            return servers.map { (name: $0.name, bytes: Double($0.residentBytes)) }
        }
        var row = ResultRow(measurement: "memory", name: "idle process", unit: "MiB")
        row.ours = sizes.first { $0.name == "refrain" }.map { $0.bytes / Double(1 << 20) }
        row.target = .atMost(15)
        row.others = [
            Other(name: "nginx", figure: sizes.first { $0.name == "nginx" }.map { $0.bytes / Double(1 << 20) })
        ]
        row.notes = ["resident, shared pages included; nginx: the sum of its processes"]
        return row
    }

    private static func perClient(
        _ lab: Lab, _ name: String, _ setting: Setting, clients: Int, target bound: Double
    ) throws -> ResultRow {
        var row = ResultRow(measurement: "memory", name: name, unit: "KiB", target: .atMost(bound))
        guard FileDescriptors.limit > clients + 100 else {
            row.notes = ["\(clients) clients need more than \(FileDescriptors.limit) descriptors (ulimit -Hn)"]
            return row
        }
        let sizes = try lab.running([.refrain, .nginx], setting) { servers in
            try lab.warm(servers, target)
            return try servers.map { server in
                (name: server.name, bytes: try growth(lab, server, clients))
            }
        }
        func kibibytes(_ name: String) -> Double? { sizes.first { $0.name == name }.map { $0.bytes / 1024 } }
        row.ours = kibibytes("refrain")
        row.others = [Other(name: "nginx", figure: kibibytes("nginx"))]
        row.notes = ["\(clients) clients, one request each, divided"]
        return row
    }

    /// Bytes for each of so many clients.
    private static func growth(_ lab: Lab, _ server: RunningServer, _ count: Int) throws -> Double {
        let before = server.residentBytes
        let clients = try crowd(lab, server, count)
        defer { clients.stop() }
        let after = server.residentBytes
        try clients.checkAllOpen()
        return Double(after - before) / Double(count)
    }

    /// Clients that have each been answered once and stay.
    static func crowd(_ lab: Lab, _ server: RunningServer, _ count: Int) throws -> LoadClient {
        let tls = server.usesTLS ? try ClientTLS(trustAnchors: .pem(lab.certificate.authorityPEM)) : nil
        let clients = try LoadClient(port: server.ports.clients, tls: tls)
        do {
            for _ in 0..<count / batch {
                try clients.open(batch)
                // As many requests at once as there are new connections: each of them takes one.
                _ = try clients.run(batch) { _ in target }
            }
        } catch {
            clients.stop()
            throw error
        }
        return clients
    }

    /// A hot load beside many clients that do nothing.
    static func beside(_ lab: Lab) throws -> [ResultRow] {
        let count = 10_000
        let name = "hits, 64 connections, beside 10,000 idle clients"
        guard FileDescriptors.limit > count + 500 else {
            let note = "\(count) clients need more than \(FileDescriptors.limit) descriptors (ulimit -Hn)"
            let alone = Other(name: "alone", target: .atLeast(0.9))
            return [
                ResultRow(measurement: "idle-clients", name: name, unit: "requests/s", others: [alone], notes: [note])
            ]
        }
        guard let busy = try lab.start(.refrain, Setting()) else { throw BenchError("refrain is not built") }
        defer { busy.stop() }
        guard let alone = try lab.start(.refrain, Setting(), as: "alone") else {
            throw BenchError("refrain is not built")
        }
        defer { alone.stop() }
        try lab.warm([busy, alone], target)
        // Plain sockets: those of the event loop send keep-alive probes, ten thousand at once, and
        // give up where the kernel drops them.
        let clients = (0..<count).map { _ in TraceClient(port: busy.ports.clients) }
        for client in clients where try client.status(of: target) != 200 { throw BenchError("no 200 for \(target)") }
        let rounds = try lab.rounds([busy, alone]) { server, _ in
            try lab.sample(server, target, connections: 64)
        }
        let closed = clients.count { !$0.isOpen }
        guard closed == 0 else { throw BenchError("\(closed) of \(count) idle clients were closed meanwhile") }
        return [
            rounds.row(
                "idle-clients", name, unit: "requests/s", beside: [("alone", .atLeast(0.9))],
                notes: ["alone: a second Refrain without those clients"], \.requestsPerSecond)
        ]
    }
}
