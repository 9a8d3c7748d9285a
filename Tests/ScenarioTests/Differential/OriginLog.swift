import Synchronization
import TestSupport

@testable import Simulator

/// The simulated API, with its answers to all clients and their times.
final class OriginLog: Responder {
    /// One answer to a GET.
    struct Entry: Sendable {
        let target: String
        /// The revision before the answer: one that comes meanwhile may be in it.
        fileprivate(set) var revision: Revision
        let unixSeconds: Int64
        let status: Int
        /// Empty with a 304.
        let body: [UInt8]
    }

    private struct State {
        var entries: [Entry] = []
        var count = 0
    }

    private let api: SimulatedAPI
    private let clock: ManualClock
    private let state = Mutex(State())

    init(_ api: SimulatedAPI, _ clock: ManualClock) { (self.api, self.clock) = (api, clock) }

    var count: Int { state.withLock { $0.count } }

    /// The answers since the last call.
    ///
    /// - Parameter revision: the earliest they may be of, where the catalog moved among them. The
    ///   proxy may have received them in another order, and counts the one that came last.
    func take(asOf revision: Revision? = nil) -> [Entry] {
        let entries = state.withLock { state in
            defer { state.entries = [] }
            return state.entries
        }
        guard let revision else { return entries }
        return entries.map { entry in
            var earliest = entry
            earliest.revision = revision
            return earliest
        }
    }

    func respond(to request: SimulatorRequest) -> SimulatorResponse {
        let revision = api.revision
        var request = request
        request.nowUnixSeconds = clock.unixSeconds
        let response = api.respond(to: request)
        guard request.method == "GET", request.field("Music-User-Token") == nil,
            [200, 304, 404].contains(response.status)
        else { return response }
        let entry = Entry(
            target: String(decoding: request.target, as: UTF8.self), revision: revision,
            unixSeconds: clock.unixSeconds, status: response.status, body: response.body)
        state.withLock { state in
            state.entries.append(entry)
            state.count += 1
        }
        return response
    }
}
