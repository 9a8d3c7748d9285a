import Foundation

/// Proportional set size: of a process that has just started, and of each client that stays after
/// one request.
enum MemoryMeasurement {
    private static let target = NumberedSongs(bytes: 4096).target(1)
    private static let clients = 5_000

    static func run(_ lab: Lab) throws -> [ResultRow] {
        [
            try idle(lab),
            try perClient(lab),
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

    private static func perClient(_ lab: Lab) throws -> ResultRow {
        guard FileDescriptors.limit > clients + 100 else {
            throw BenchError("\(clients) clients need more than \(FileDescriptors.limit) descriptors (ulimit -Hn)")
        }
        let sizes = try lab.running([.refrain, .nginx]) { servers in
            try lab.warm(servers, target)
            return try servers.map { (name: $0.name, bytes: try growth($0)) }
        }
        return row("each idle keep-alive client", "KiB", sizes, bytesPerUnit: 1024, target: 4)
    }

    /// Bytes for each client. All of them are answered once more afterwards: one whose connection
    /// was closed meanwhile fails.
    private static func growth(_ server: RunningServer) throws -> Double {
        let before = try server.proportionalBytes()
        let clients = (0..<clients).map { _ in BlockingClient(port: server.ports.clients) }
        func ask() throws {
            for client in clients {
                guard try client.get(target).status == 200 else { throw BenchError("\(server.name): no 200") }
            }
        }
        try ask()
        let after = try server.proportionalBytes()
        try ask()
        return Double(after - before) / Double(clients.count)
    }
}
