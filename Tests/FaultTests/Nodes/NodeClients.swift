import Foundation
import Synchronization
import TestSupport
import Testing

/// Clients that ask all nodes without a pause, and check each answer.
///
/// They compare it with the promises at the time of the request.
final class NodeClients: Sendable {
    struct Figures: Sendable, CustomStringConvertible {
        var answers = 0
        var hits = 0
        var stale = 0
        var shared = 0
        /// Made of parts of other answers.
        var composed = 0
        /// Answers to albums that a purge has promised something of.
        var checks = 0
        /// Without an answer, where the node was killed or stopped meanwhile.
        var excused = 0
        var failed: [String] = []
        var wrong: [String] = []
        var outdated: [String] = []
        /// The times of answers that are not hits.
        var missTimes: [Duration] = []

        var description: String {
            let times = missTimes.sorted()
            let late = times.isEmpty ? "none" : "\(times[times.count / 2]), at most \(times[times.count - 1])"
            return "\(answers) answers (\(hits) hits, \(stale) stale, \(shared) shared, \(composed) composed; "
                + "misses: \(late)), \(checks) checks, \(outdated.count) outdated, \(wrong.count) wrong, \(failed.count) failed, "
                + "\(excused) of nodes that went"
        }

        /// Expects that each request was answered rightly.
        func judge(_ what: String) {
            for (kind, requests) in [("failed", failed), ("wrong", wrong), ("outdated", outdated)] {
                #expect(requests.isEmpty, "\(kind): \(requests.prefix(5)), \(what)")
            }
        }
    }

    private let promises: PurgePromises
    private let nodes: Int
    private let asksLists: Bool
    private let figures = Mutex(Figures())
    private let isOver = Atomic<Bool>(false)
    /// Albums above the changing ones, each asked of two nodes.
    private let fresh = Atomic(2_000)
    private let done = DispatchGroup()

    /// - Parameter asksLists: whether they ask for several albums at once too.
    init(_ promises: PurgePromises, nodes: Int, threads: Int, asksLists: Bool = false, seed: UInt64) {
        (self.promises, self.nodes, self.asksLists) = (promises, nodes, asksLists)
        for number in 0..<threads {
            done.enter()
            Thread.detachNewThread { [self] in
                run(SeededGenerator(seed: seed &+ UInt64(number)))
                done.leave()
            }
        }
    }

    /// Returns the figures since the last call, and begins anew.
    func take() -> Figures {
        figures.withLock { figures in
            defer { figures = Figures() }
            return figures
        }
    }

    var answerCount: Int { figures.withLock { $0.answers } }

    /// Ends the clients; returns the figures since the last `take`.
    func stop() -> Figures {
        isOver.store(true, ordering: .relaxed)
        done.waitOrFail()
        return take()
    }

    /// A node closes a connection that has been idle for a minute. A client that waits for a node
    /// that is stopped may leave its connections to others alone for longer, and does not use them
    /// then.
    private static let longestIdle = Duration.seconds(30)

    private func run(_ generator: SeededGenerator) {
        var generator = generator
        var clients: [Int: (client: HTTPTestClient, usedAt: ContinuousClock.Instant)] = [:]
        while !isOver.load(ordering: .relaxed) {
            let node = Int.random(in: 0..<nodes, using: &generator)
            var album = Int.random(in: 0..<VersionedOrigin.albums, using: &generator)
            if Int.random(in: 0..<5, using: &generator) == 0 { album = fresh.add(1, ordering: .relaxed).newValue / 2 }
            guard let visit = promises.visit(node, album) else {
                usleep(1_000)
                continue
            }
            let kept = clients[visit.port].flatMap { $0.usedAt.duration(to: .now) < Self.longestIdle ? $0.client : nil }
            let client = kept ?? HTTPTestClient(port: visit.port)
            var albums = [album]
            if asksLists, Int.random(in: 0..<5, using: &generator) == 0 {
                albums = Array((0..<VersionedOrigin.albums).shuffled(using: &generator).prefix(3))
            }
            clients[visit.port] = ask(client, node, albums, visit) ? (client, .now) : nil
            usleep(3_000)
        }
    }

    /// Whether there was an answer.
    private func ask(_ client: HTTPTestClient, _ node: Int, _ albums: [Int], _ visit: PurgePromises.Visit) -> Bool {
        let begun = ContinuousClock.now
        do {
            let reply = try client.send("GET", VersionedOrigin.target(albums))
            let taken = ContinuousClock.now - begun
            figures.withLock { Self.judge(reply, node, albums, visit, taken, &$0) }
            return true
        } catch {
            let isThere = promises.visit(node, albums[0])?.port == visit.port
            figures.withLock { figures in
                if isThere { figures.failed.append("node \(node), \(albums): \(error)") } else { figures.excused += 1 }
            }
            return false
        }
    }

    private static func judge(
        _ reply: HTTPTestClient.Reply, _ node: Int, _ albums: [Int], _ visit: PurgePromises.Visit, _ taken: Duration,
        _ figures: inout Figures
    ) {
        figures.answers += 1
        let status = reply.field("Cache-Status") ?? ""
        let place = "node \(node), albums \(albums), \"\(status)\""
        guard reply.status == 200 else { return figures.failed.append("\(place): \(reply.status)") }
        guard let versions = VersionedOrigin.versions(of: reply.body, albums) else {
            return figures.wrong.append("\(place): \(String(decoding: reply.body.prefix(120), as: UTF8.self))")
        }
        let isStale = status.contains("ttl=-") || status.contains("ttl=0") || status.contains("stale")
        if status.contains("; hit") { figures.hits += 1 } else { figures.missTimes.append(taken) }
        if status.contains("detail=shared") { figures.shared += 1 }
        if ["split", "reduced"].contains(where: { status.contains("detail=" + $0) }) { figures.composed += 1 }
        if isStale { figures.stale += 1 }
        // A list is purged by its own target: it only brings parts.
        guard albums.count == 1, let version = versions.first else { return }
        let floor = visit.floor
        if floor.fresh > 1 { figures.checks += 1 }
        if version < floor.any || (!isStale && version < floor.fresh) {
            figures.outdated.append(
                "\(place): \(version), promised \(floor.fresh) fresh and \(floor.any) at all; asked "
                    + "\(taken) before \(Date().timeIntervalSince1970)")
        }
    }
}
