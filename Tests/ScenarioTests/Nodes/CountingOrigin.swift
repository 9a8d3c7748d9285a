import Server
import Simulator
import Synchronization

@testable import EventLoop

/// The simulated API on a port of this process, and how often it was asked.
final class CountingOrigin: Sendable {
    struct Counts: Sendable {
        var asked = 0
        /// Those that were answered 429.
        var refused = 0
    }

    private final class Counter: Responder {
        let counts = Mutex(Counts())
        private let api: any Responder

        init(_ api: any Responder) { self.api = api }

        func respond(to request: SimulatorRequest) -> SimulatorResponse {
            let response = api.respond(to: request)
            counts.withLock {
                $0.asked += 1
                if response.status == 429 { $0.refused += 1 }
            }
            return response
        }
    }

    private let counter: Counter
    private let host: ServiceHost

    init(_ api: any Responder) throws {
        let counter = Counter(api)
        self.counter = counter
        host = try .serving(counter)
    }

    var address: SocketAddress { host.address }
    var counts: Counts { counter.counts.withLock { $0 } }

    func stop() { host.stop() }
}
