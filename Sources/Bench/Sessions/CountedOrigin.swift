import EventLoop
import Foundation
import Server
import Simulator
import Synchronization

/// The simulated API on a port of this process, and how many requests it was asked.
final class CountedOrigin: Responder {
    static let port = 18090

    let api: SimulatedAPI
    private let count = Atomic<Int>(0)
    private let host = Mutex<ServiceHost?>(nil)

    init(_ configuration: SimulatorConfiguration) throws {
        api = SimulatedAPI(configuration: configuration)
        guard let address = SocketAddress(host: "127.0.0.1", port: UInt16(Self.port)) else {
            throw BenchError("\(Self.port) is no port")
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

    /// How often it is asked while a trace is played through the server in front of it.
    func requests(while player: TracePlayer) throws -> Int {
        try waitFor(player.port)
        let before = count.load(ordering: .relaxed)
        try player.play()
        return count.load(ordering: .relaxed) - before
    }

    /// Waits until a server on this port answers.
    private func waitFor(_ port: Int) throws {
        for _ in 0..<100 {
            if (try? TraceClient(port: port).status(of: "/v1/storefronts/us")) == 200 { return }
            usleep(50_000)
        }
        throw BenchError("nothing answers at 127.0.0.1:\(port)")
    }

    func stop() {
        host.withLock { $0 }?.stop()
    }
}
