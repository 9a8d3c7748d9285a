import Foundation

/// The servers behind the benchmarks that run on the simulated API.
enum Servers {
    static let simulatorPort = 18090, refrainPort = 18080, adminPort = 18081, nginxPort = 18082

    static func simulator(_ workspace: Workspace) throws -> Child {
        try Child(
            Programs.refrain, ["simulate", "--listen", "127.0.0.1:\(simulatorPort)", "--no-auth"],
            log: workspace.path + "/simulator.log")
    }

    /// Waits until something answers on the port; the body of `path`.
    static func waitFor(_ port: Int, _ path: String) throws -> Data {
        guard let curl = Child.find("curl") else { throw BenchError("curl is not installed") }
        for _ in 0..<100 {
            let text = try Child.output(of: curl, ["-s", "-f", "http://127.0.0.1:\(port)\(path)"])
            if !text.isEmpty { return Data(text.utf8) }
            usleep(50_000)
        }
        throw BenchError("nothing answers at 127.0.0.1:\(port)\(path)")
    }
}
