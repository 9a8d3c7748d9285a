import Simulator
import Synchronization

/// The simulated API, and the number of requests it got.
final class CountedOrigin: Responder {
    let api: SimulatedAPI
    private let count = Atomic<Int>(0)

    init(_ configuration: SimulatorConfiguration) { api = SimulatedAPI(configuration: configuration) }

    var requests: Int { count.load(ordering: .relaxed) }

    func respond(to request: SimulatorRequest) -> SimulatorResponse {
        count.add(1, ordering: .relaxed)
        return api.respond(to: request)
    }
}
