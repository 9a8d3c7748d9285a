import EventLoop
import Server
import Simulator
import Synchronization

/// The simulated API on a port of this process, and how many requests of which kind it was asked.
final class CountedOrigin: Responder {
    let api: SimulatedAPI
    private let counts = Mutex<[RequestKind: Int]>([:])
    private let host = Mutex<ServiceHost?>(nil)

    init(_ configuration: SimulatorConfiguration, port: Int) throws {
        api = SimulatedAPI(configuration: configuration)
        guard let address = SocketAddress(host: "127.0.0.1", port: UInt16(port)) else {
            throw BenchError("\(port) is no port")
        }
        let made = try ServiceHost(label: "origin", listener: ListenerSettings(address: address, tls: nil)) {
            [unowned self] context in SimulatorService(self, context: context)
        }
        host.withLock { $0 = made }
    }

    func respond(to request: SimulatorRequest) -> SimulatorResponse {
        let kind = RequestKind(SimulatorTarget(request.target))
        counts.withLock { $0[kind, default: 0] += 1 }
        return api.respond(to: request)
    }

    /// What it was asked since the last time, by kind.
    func takeCounts() -> [RequestKind: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }

    func stop() {
        host.withLock { $0 }?.stop()
    }
}
