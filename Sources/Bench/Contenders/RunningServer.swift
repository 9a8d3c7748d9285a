import Foundation

struct RunningServer {
    let name: String
    let ports: ServerPorts
    let usesTLS: Bool
    let child: Child
    let folder: String

    func url(_ target: String) -> String {
        "\(usesTLS ? "https" : "http")://127.0.0.1:\(ports.clients)\(target)"
    }

    /// With its children: nginx's workers, Varnish's cache process.
    var cpuNanoseconds: Int { ProcessUse.tree(child.identifier).reduce(0) { $0 + ProcessUse.cpuNanoseconds(of: $1) } }

    /// Memory of all of them, with shared pages counted once (PSS).
    func proportionalBytes() throws -> Int {
        try ProcessUse.tree(child.identifier).reduce(0) { sum, process in
            guard let bytes = ProcessUse.proportionalBytes(of: process) else {
                throw BenchError("/proc/\(process)/smaps_rollup of \(name) cannot be read")
            }
            return sum + bytes
        }
    }

    func waitUntilReady() throws {
        for _ in 0..<200 {
            guard child.isRunning else { break }
            if Ports.isTaken(ports.clients) { return }
            usleep(25_000)
        }
        let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
        throw BenchError("\(name) did not start:\n\(log)")
    }

    /// Whether the answer to `target` comes out of the cache by the server's own word: Refrain's
    /// `Cache-Status`, nginx's `$upstream_cache_status`, the two transactions that Varnish names
    /// for a hit.
    func saysHit(_ target: String) throws -> Bool {
        let client = BlockingClient(port: ports.plain)
        guard try client.get(target).status == 200 else { throw BenchError("\(name): no 200 for \(target)") }
        switch name {
        case Contender.nginx.name: return client.field("x-cache-status") == "HIT"
        case Contender.varnish.name: return client.field("x-varnish")?.split(separator: " ").count == 2
        default: return client.field("cache-status")?.contains("; hit") == true
        }
    }

    /// Its files stay until the workspace goes: ext4 passes over the places of files that were
    /// deleted a moment ago, so that a process that creates files next would pay for it, four times
    /// over with a hundred thousand of them.
    func stop() {
        child.stop()
    }
}
