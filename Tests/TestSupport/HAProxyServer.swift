import Foundation
import Testing

/// A real `haproxy` on 127.0.0.1 with the delivered configuration. The environment gives the
/// machine's own settings. It ends with this object.
public final class HAProxyServer {
    /// Where a node takes requests, and where it says whether it is ready.
    public struct Node: Sendable {
        public let port: Int
        public let adminPort: Int

        public init(port: Int, adminPort: Int) { (self.port, self.adminPort) = (port, adminPort) }
    }

    public struct Failure: Error, CustomStringConvertible { public let description: String }

    /// The file that is delivered.
    public static let configuration = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Deployment/haproxy/haproxy.cfg")
    /// As many nodes as it names.
    public static let nodeCount = 3

    /// The port of the listener with TLS.
    public let port: UInt16
    /// The port of one without, which is added for clients that speak no TLS.
    public let plainPort: UInt16
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// Waits until it takes connections.
    /// - Parameters:
    ///   - nodes: those of the file, or more: each further one gets lines like those of the last.
    ///   - certificate: PEM, with its key.
    public init(_ nodes: [Node], certificate: String) throws {
        folder = try TemporaryFolder()
        try folder.put(certificate, "certificate.pem", mode: 0o600)
        for _ in 0..<20 {
            let ports = (try RawSocket.freePort(), try RawSocket.freePort())
            try folder.put(Self.text(nodeCount: nodes.count, plainPort: ports.1).utf8, "haproxy.cfg")
            let environment = Self.environment(
                nodes, front: "127.0.0.1:\(ports.0)", certificate: folder.file("certificate.pem"),
                stats: folder.file("stats"))
            guard let process = try Self.run(folder, environment, waitingFor: ports.1) else { continue }
            (port, plainPort, self.process) = (ports.0, ports.1, process)
            return
        }
        throw Failure(description: folder.text("log"))
    }

    /// Before its folder goes.
    deinit { process.kill() }

    /// Its log, a line for each request.
    public var log: String { folder.text("log") }

    /// Variables of the environment that the configuration uses.
    public static func environment(
        _ nodes: [Node], front: String, certificate: String, stats: String
    ) -> [String: String] {
        var variables = ["REFRAIN_FRONT": front, "REFRAIN_CERTIFICATE": certificate, "REFRAIN_STATS": stats]
        for (index, node) in nodes.enumerated() {
            variables["REFRAIN_NODE\(index + 1)"] = "127.0.0.1:\(node.port)"
            variables["REFRAIN_READY\(index + 1)"] = "\(node.adminPort)"
        }
        return variables
    }

    private static func text(nodeCount: Int, plainPort: UInt16) throws -> String {
        let lines = try String(contentsOf: configuration, encoding: .utf8).components(separatedBy: "\n")
        return lines.flatMap { line -> [String] in
            let words = line.split(separator: " ")
            switch words.first {
            case "bind": return [line, "    bind 127.0.0.1:\(plainPort)"]
            // Only root becomes another.
            case "user", "group": return geteuid() == 0 ? [line] : []
            case "server" where words[1] == "node\(Self.nodeCount)":
                return (Self.nodeCount...nodeCount).map { number in
                    ["node", "NODE", "READY"].reduce(line) {
                        $0.replacingOccurrences(of: "\($1)\(Self.nodeCount)", with: "\($1)\(number)")
                    }
                }
            default: return [line]
            }
        }.joined(separator: "\n")
    }

    /// Nil where it has ended before it took connections.
    private static func run(
        _ folder: TemporaryFolder, _ environment: [String: String], waitingFor port: UInt16
    ) throws -> ChildProcess? {
        try folder.put([], "log")
        let process = try ChildProcess(
            [Tool("haproxy")?.path ?? "/usr/sbin/haproxy", "-db", "-f", folder.file("haproxy.cfg")],
            environment: ProcessInfo.processInfo.environment.merging(environment) { $1 }, output: folder.file("log"))
        waitUntil { !process.isRunning || (try? RawClient(port: port)) != nil }
        return process.isRunning ? process : nil
    }
}
