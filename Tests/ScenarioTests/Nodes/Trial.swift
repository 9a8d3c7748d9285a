import Foundation
import Server
import Synchronization
import TestSupport
import Testing

/// All requests of `TrialWorld` through nodes, several at a time.
final class Trial: Sendable {
    struct Outcome: Sendable {
        let asked: Int
        /// Requests without an answer, or with another one than the origin's.
        let failures: [String]
    }

    /// The event when half of the requests are under way.
    enum Event: Sendable {
        case kill, join
    }

    private let requests = TrialWorld.requests
    private let fleet: NodeFleet
    private let event: Event?
    /// The nodes that are there, and how many turns there were.
    private let nodes: Mutex<(present: [Int], turns: Int)>
    private let next = Atomic(0)
    private let answered: Mutex<[Bool]>
    private let failures = Mutex<[String]>([])

    private init(_ fleet: NodeFleet, nodes: Int, _ event: Event?) {
        (self.fleet, self.event) = (fleet, event)
        self.nodes = Mutex((Array(0..<nodes), 0))
        answered = Mutex(Array(repeating: false, count: requests.count))
    }

    /// - Parameter nodes: with an engine where there are several.
    static func outcome(nodes: Int, _ event: Event? = nil) throws -> Outcome {
        let origin = CountingResponder(TrialWorld.api)
        let host = try ServiceHost.serving(origin)
        defer { host.stop() }
        let trial = Trial(try NodeFleet(nodes, isShared: nodes > 1, before: host.address), nodes: nodes, event)
        concurrently(12) { _ in trial.ask() }
        return Outcome(asked: origin.targets.count, failures: trial.failures.withLock { $0 })
    }

    /// One client's connections: whatever request is next, until there is none.
    private func ask() {
        var clients: [Int: HTTPTestClient] = [:]
        while true {
            let index = next.add(1, ordering: .relaxed).oldValue
            guard index < requests.count else { return }
            if index == requests.count / 2 { happen() }
            let request = requests[index]
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
        while let node = nextNode() {
            let client = clients[node] ?? HTTPTestClient(port: fleet.port(of: node), reopens: true)
            clients[node] = client
            guard let reply = try? client.send("GET", request.target) else {
                clients[node] = nil
                nodes.withLock { $0.present.removeAll { $0 == node } }
                continue
            }
            return reply.status == request.status ? nil : "\(reply.status), not \(request.status): \(request.target)"
        }
        return "no node is left: \(request.target)"
    }

    /// One node after the other, whatever is asked for.
    private func nextNode() -> Int? {
        nodes.withLock { nodes in
            nodes.turns += 1
            return nodes.present.isEmpty ? nil : nodes.present[nodes.turns % nodes.present.count]
        }
    }

    private func happen() {
        switch event {
        case nil: break
        case .kill: fleet.kill(1)
        case .join:
            do {
                let node = try fleet.join()
                nodes.withLock { $0.present.append(node) }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }
    }
}
