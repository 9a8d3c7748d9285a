import EventLoop
import Foundation

/// Resident memory: of a process that has just started, and of each client that stays after one
/// request.
enum MemoryMeasurement {
    private static let target = NumberedSongs(bytes: 4096).target(1)
    /// Opened and answered at a time.
    private static let batch = 250

    static func run(_ lab: Lab) throws -> [ResultRow] {
        [
            try idle(lab),
            try perClient(lab, "each idle keep-alive client", Setting(), clients: 5_000, target: 4),
            try perClient(lab, "each idle TLS client", Setting(usesTLS: true), clients: 2_000, target: 40),
        ]
    }

    private static func idle(_ lab: Lab) throws -> ResultRow {
        let sizes = try lab.running([.refrain, .nginx]) { servers in
            sleep(1)
            return servers.map { (name: $0.name, bytes: Double($0.residentBytes)) }
        }
        return row(
            "idle process", "MiB", sizes, bytesPerUnit: 1024 * 1024, target: 15,
            "resident, shared pages included; nginx: the sum of its processes")
    }

    private static func row(
        _ name: String, _ unit: String, _ sizes: [(name: String, bytes: Double)], bytesPerUnit: Double, target: Double,
        _ note: String
    ) -> ResultRow {
        func figure(_ name: String) -> Double? { sizes.first { $0.name == name }.map { $0.bytes / bytesPerUnit } }
        return ResultRow(
            measurement: "memory", name: name, unit: unit, ours: figure("refrain"), target: .atMost(target),
            others: sizes.isEmpty ? [] : [Other(name: "nginx", figure: figure("nginx"))], notes: [note])
    }

    private static func perClient(
        _ lab: Lab, _ name: String, _ setting: Setting, clients: Int, target bound: Double
    ) throws -> ResultRow {
        guard FileDescriptors.limit > clients + 100 else {
            let note = "\(clients) clients need more than \(FileDescriptors.limit) descriptors (ulimit -Hn)"
            return row(name, "KiB", [], bytesPerUnit: 1024, target: bound, note)
        }
        let sizes = try lab.running([.refrain, .nginx], setting) { servers in
            try lab.warm(servers, target)
            return try servers.map { (name: $0.name, bytes: try growth(lab, $0, clients)) }
        }
        return row(
            name, "KiB", sizes, bytesPerUnit: 1024, target: bound, "\(clients) clients, one request each, divided")
    }

    /// Bytes for each of so many clients.
    private static func growth(_ lab: Lab, _ server: RunningServer, _ count: Int) throws -> Double {
        let before = server.residentBytes
        let tls = server.usesTLS ? try ClientTLS(trustAnchors: .pem(lab.certificate.authorityPEM)) : nil
        let clients = try Crowd(port: server.ports.clients, tls: tls, target: target)
        defer { clients.stop() }
        for _ in 0..<count / batch { try clients.join(batch) }
        let after = server.residentBytes
        try clients.checkAllOpen()
        return Double(after - before) / Double(count)
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
        let busy = try lab.refrain()
        defer { busy.stop() }
        let alone = try lab.refrain(as: "alone")
        defer { alone.stop() }
        try lab.warm([busy, alone], target)
        // Plain sockets: those of the event loop send keep-alive probes, ten thousand at once, and
        // give up where the kernel drops them.
        let clients = (0..<count).map { _ in TraceClient(port: busy.ports.clients) }
        for client in clients where try client.status(of: target) != 200 { throw BenchError("no 200 for \(target)") }
        let rounds = try lab.rounds([busy, alone]) { server, _ in try lab.sample(server, target, connections: 64) }
        let closed = clients.count { !$0.isOpen }
        guard closed == 0 else { throw BenchError("\(closed) of \(count) idle clients were closed meanwhile") }
        return [
            rounds.row(
                "idle-clients", name, unit: "requests/s", beside: [("alone", .atLeast(0.9))],
                notes: ["alone: a second Refrain without those clients"], \.requestsPerSecond)
        ]
    }
}
