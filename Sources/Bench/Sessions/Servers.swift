import Foundation

/// The servers behind the benchmarks that run on the simulated API.
enum Servers {
    static let simulatorPort = 18090, refrainPort = 18080, adminPort = 18081, nginxPort = 18082

    /// Waits until `path` is answered with a 200 on the port.
    static func waitFor(_ port: Int, _ path: String) throws {
        for _ in 0..<100 {
            if (try? TraceClient(port: port).status(of: path)) == 200 { return }
            usleep(50_000)
        }
        throw BenchError("nothing answers at 127.0.0.1:\(port)\(path)")
    }
}
