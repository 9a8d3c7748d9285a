import EventLoop
import Foundation

/// Proportional set size: of a process that has just started, and of each client that stays after
/// one request.
enum MemoryMeasurement {
    private static let target = NumberedSongs(bytes: 4096).target(1)

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
            return try servers.map { (name: $0.name, bytes: Double(try $0.proportionalBytes())) }
        }
        return row("idle process", "MiB", sizes, bytesPerUnit: 1024 * 1024, target: 15)
    }

    private static func row(
        _ name: String, _ unit: String, _ sizes: [(name: String, bytes: Double)], bytesPerUnit: Double, target: Double
    ) -> ResultRow {
        func figure(_ name: String) -> Double? { sizes.first { $0.name == name }.map { $0.bytes / bytesPerUnit } }
        return ResultRow(
            measurement: "memory", name: name, unit: unit, ours: figure("refrain"), target: .atMost(target),
            others: [Other(name: "nginx", figure: figure("nginx"))])
    }

    private static func perClient(
        _ lab: Lab, _ name: String, _ setting: Setting, clients: Int, target bound: Double
    ) throws -> ResultRow {
        guard FileDescriptors.limit > clients + 100 else {
            throw BenchError("\(clients) clients need more than \(FileDescriptors.limit) descriptors (ulimit -Hn)")
        }
        let sizes = try lab.running([.refrain, .nginx], setting) { servers in
            try lab.warm(servers, target)
            return try servers.map { (name: $0.name, bytes: try growth(lab, $0, clients)) }
        }
        return row(name, "KiB", sizes, bytesPerUnit: 1024, target: bound)
    }

    /// Bytes for each client.
    private static func growth(_ lab: Lab, _ server: RunningServer, _ count: Int) throws -> Double {
        let before = try server.proportionalBytes()
        let tls = server.usesTLS ? try ClientTLS(trustAnchors: .pem(lab.certificate.authorityPEM)) : nil
        let clients = try Crowd(port: server.ports.clients, tls: tls, target: target)
        defer { clients.stop() }
        try clients.join(count)
        let after = try server.proportionalBytes()
        try clients.checkAllOpen()
        return Double(after - before) / Double(count)
    }
}
