import Foundation
import Server
import Synchronization
import TestSupport
import Testing

/// One way of a world's requests through nodes, several at a time.
final class Trial: Sendable {
    /// The result of a trial.
    struct Outcome: Sendable {
        /// Requests that reached the origin.
        let asked: Int
        /// Requests without an answer, or with another one than the origin's.
        let failures: [String]
    }

    /// The event when half of the requests are under way.
    enum Event: Sendable {
        case nothing, kill, join
    }

    private static let clients = 12

    private let world: TrialWorld
    private let fleet: NodeFleet
    private let event: Event
    private let balancer: Mutex<TrialBalancer>
    private let next = Atomic(0)
    private let answered: Mutex<[Bool]>
    private let failures = Mutex<[String]>([])

    private init(_ world: TrialWorld, _ fleet: NodeFleet, _ balancer: TrialBalancer, _ event: Event) {
        (self.world, self.fleet, self.event) = (world, fleet, event)
        self.balancer = Mutex(balancer)
        answered = Mutex(Array(repeating: false, count: world.requests.count))
    }

    /// - Parameter way: nil for one node that is alone.
    static func outcome(of world: TrialWorld, _ way: TrialBalancer.Way?, _ event: Event = .nothing) throws -> Outcome {
        let count = way == nil ? 1 : 3
        let origin = CountingResponder(world.api)
        let host = try ServiceHost.serving(origin)
        defer { host.stop() }
        let fleet = try NodeFleet(count, isShared: way != nil, before: host.address)
        let trial = Trial(world, fleet, TrialBalancer(way ?? .roundRobin, nodes: 0..<count), event)
        concurrently(clients) { _ in trial.ask() }
        return Outcome(asked: origin.counts.asked, failures: trial.failures.withLock { $0 })
    }

    /// One client's connections: whatever request is next, until there is none.
    private func ask() {
        var clients: [Int: HTTPTestClient] = [:]
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < world.requests.count else { return }
            if index == world.requests.count / 2 { happen() }
            let request = world.requests[index]
            // Some other client has taken it, or it would not be earlier.
            if let predecessor = request.predecessor {
                waitUntil { answered.withLock { $0[predecessor] } }
            }
            if let failure = failure(of: request, &clients) { failures.withLock { $0.append(failure) } }
            answered.withLock { $0[index] = true }
        }
    }

    /// As a balancer that asks another node where one is gone.
    private func failure(of request: TrialWorld.Request, _ clients: inout [Int: HTTPTestClient]) -> String? {
        while let node = balancer.withLock({ $0.next(for: request.target) }) {
            let client = clients[node] ?? HTTPTestClient(port: fleet.port(of: node), reopens: true)
            clients[node] = client
            guard let reply = try? client.send("GET", request.target) else {
                clients[node] = nil
                balancer.withLock { $0.remove(node) }
                continue
            }
            return reply.status == request.status ? nil : "\(reply.status), not \(request.status): \(request.target)"
        }
        return "no node is left: \(request.target)"
    }

    private func happen() {
        switch event {
        case .nothing: break
        case .kill: fleet.kill(1)
        case .join:
            do {
                let node = try fleet.join()
                balancer.withLock { $0.add(node) }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
    }
}
