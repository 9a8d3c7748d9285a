import EventLoop
import Server
import Simulator
import Synchronization

/// The simulated API on a port of this process, and the number of requests it got.
final class CountedOrigin: Responder {
    let port: Int
    let api: SimulatedAPI
    private let count = Atomic<Int>(0)
    private let host = Mutex<ServiceHost?>(nil)

    init(_ configuration: SimulatorConfiguration) throws {
        port = try Ports.free()
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
        count.add(1, ordering: .relaxed)
        return api.respond(to: request)
    }

    var requests: Int { count.load(ordering: .relaxed) }

    func stop() {
        host.withLock { $0 }?.stop()
    }
}
