import EventLoop
import Foundation
import Synchronization
import TestSupport
import Testing

/// Processes of the program before one origin, with an engine that they share, or one alone.
final class NodeFleet: @unchecked Sendable {  // because one thread at a time starts and ends nodes
    private let engine: RedisServer?
    private let folder: TemporaryFolder
    private let origin: SocketAddress
    private var programs: [ServedProgram] = []
    private let ports = Mutex<[Int]>([])

    /// Waits until all are ready.
    /// - Parameter isShared: whether they have an engine.
    init(_ count: Int, isShared: Bool, before origin: SocketAddress) throws {
        engine = isShared ? try RedisServer() : nil
        folder = try TemporaryFolder()
        self.origin = origin
        for _ in 0..<count { try start() }
        for program in programs { try wait(for: program) }
    }

    deinit { for program in programs { program.kill() } }

    /// Answers stay fresh for as long as a trial lasts. A busy machine makes the engine late, and a
    /// late answer is asked of the origin, so it has the longest time that there is.
    private func start() throws {
        let number = programs.count
        var lines = [
            "admin_listen 127.0.0.1:0", "access_log off", "workers 1", "cache_file off", "memory_size 256MiB",
            "upstream http://\(origin)", "ttl catalog 365d", "ttl charts 365d", "ttl search 365d",
            "ttl storefronts 365d", "ttl not-found 10m", "verify_sample off",
        ]
        if let engine {
            lines += [
                "shared_tier redis://127.0.0.1:\(engine.port)", "shared_tier_timeout 1s", "node_name node\(number)",
            ]
        }
        programs.append(try ServedProgram(folder, named: "node\(number)", lines.joined(separator: "\n")))
    }

    private func wait(for program: ServedProgram) throws {
        guard program.listens() else { throw ServedProgram.Failure(description: program.text) }
        let admin = HTTPTestClient(port: try program.adminPort)
        var isReady = false
        waitUntil(within: 60) {
            isReady = (try? admin.send("GET", "/readyz").status) == 200
            return isReady
        }
        guard isReady else { throw ServedProgram.Failure(description: "not ready: \(program.text)") }
        let port = try program.port
        ports.withLock { $0.append(port) }
    }

    /// One more, empty; its number.
    func join() throws -> Int {
        try start()
        try wait(for: programs[programs.count - 1])
        return programs.count - 1
    }

    /// Ends one without a word.
    func kill(_ node: Int) { programs[node].kill() }

    func killEngine() { engine?.kill() }

    func port(of node: Int) -> Int { ports.withLock { $0[node] } }

    /// The limit of the origin that a node keeps to, in requests a second; 0 without any.
    func limit(of node: Int) throws -> Double {
        let statistics = try HTTPTestClient(port: programs[node].adminPort).send("GET", "/stats").json
        return (statistics as? [String: Any])?["upstream_rate"] as? Double ?? 0
    }

    /// Asks a node for its readiness, as its load balancer does.
    func readiness(of node: Int) throws -> (status: Int, text: String) {
        let reply = try HTTPTestClient(port: programs[node].adminPort).send("GET", "/readyz")
        return (reply.status, String(decoding: reply.body, as: UTF8.self))
    }
}
